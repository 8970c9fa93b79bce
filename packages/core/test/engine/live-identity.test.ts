import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { createDataStore } from '../../src/store/create-store.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  salary: attribute.number(),
  hired: attribute.date(),
  notes: attribute.object(),
  key: attribute.string(),
  title: attribute.computed('string', { get: (e: { name: string | null }) => `Dr ${e.name}` }),
  employer: attribute.relatedEntity('Company'),
})
const create = () => createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

test('texts are equal exactly for selections that follow the same result', () => {
  const store = create()
  const employees = store.Employee
  const all = employees.all()
  const rich = employees.query('salary > 5')
  const byName = rich.orderBy('name')
  /** The selections of a line follow the same result; those of different lines do not. */
  const lines = [
    [all, employees.all()],
    [
      rich,
      employees.query('salary > :1', [5]),
      employees.query('salary>:least', { least: 5 }),
      all.query('salary > 5'),
    ],
    [employees.query('salary > 6')],
    [employees.query('salary >= 5')],
    [byName, employees.query('salary > 5 order by name')],
    [rich.orderBy('name desc')],
    [rich.orderBy('employer.name')],
    [rich.orderBy('notes.name')],
    [byName.page(0, 10)],
    [byName.page(10, 10)],
    [employees.query('salary > 5 and name = a'), rich.query('name = a')],
    [employees.query('name = :1', ['a@b'])],
    [employees.query('name === :1', ['a@b'])],
    [employees.query('name in :1', [['a', 'b']])],
    [employees.query('employer.name = a')],
    [employees.query('title = a')],
    [employees.query('notes.name = a')],
    [employees.query('notes.name = 5')],
    [employees.query('notes.attribute = a')],
    [employees.query('hired > 2020-01-01')],
    [employees.query('hired > 2020-01-02')],
    [store.Company.insert({ name: 'Acme' }).staff],
    [store.Company.all()],
  ]
  const texts = lines.map((line) => {
    const [text, ...others] = line.map((selection) => selection.liveIdentity().text)
    for (const other of others) expect(other).toBe(text)
    return text
  })
  expect(new Set(texts).size).toBe(lines.length)
})

test('the origin is the store or the view, and its entities have keys and stamps', () => {
  const store = create()
  const all = store.Employee.all()
  const { origin, keyOf, stampOf, isPage } = all.liveIdentity()
  expect(store.Employee.query('salary > 5').orderBy('name').liveIdentity().origin).toBe(origin)
  const ada = store.Employee.insert({ name: 'Ada', key: 'k' })
  expect([keyOf(ada), stampOf(ada), isPage]).toEqual([ada.ID, 1, false])
  expect(all.page(0, 1).liveIdentity().isPage).toBe(true)
  expect(create().Employee.all().liveIdentity().origin).not.toBe(origin)
  const view = store.view({ rows: { Employee: 'salary > 10' } })
  const [seen, again] = [view, view].map((each) => each.dataClass('Employee').all().liveIdentity())
  expect(seen?.origin).not.toBe(origin)
  expect(seen?.origin).toBe(again?.origin)
})

test('selections that cannot be followed have no identity', () => {
  const { Employee: employees } = create()
  for (const selection of [employees.from([1]), employees.all().or(employees.query('salary > 5'))])
    expect(() => selection.liveIdentity()).toThrow('use one filter instead')
})
