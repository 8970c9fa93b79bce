import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, type EntityOf } from '../../src/index.ts'
import { codeOrDone } from '../filter/refusal.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    lastName: attribute.string(),
    salary: attribute.number(),
    employer: attribute.relatedEntity('Company'),
    city: attribute.alias('employer.name'),
  },
  { functions: { payroll: { on: 'selection', run: ({ selection }) => selection.sum('salary') } } },
)

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <_T extends true>() => {}

function firm() {
  const store = createDataStore({ name: 'firm', dataClasses: [Company, Employee] })
  const acme = store.Company.insert({ name: 'Acme' })
  store.Employee.insert({ lastName: 'Byron', salary: 7, employer: acme })
  return store
}

test('the past has the same types for reading as the present', () => {
  const past = firm().at(2)
  const byron = past.Employee.query('salary > 1').first()
  is<Equal<NonNullable<typeof byron>['salary'], number | null>>()
  is<Equal<NonNullable<typeof byron>['city'], string | null>>()
  is<Equal<NonNullable<NonNullable<typeof byron>['employer']>['name'], string>>()
  const colleague: EntityOf<typeof past.Employee> | undefined = byron?.employer?.staff
    .orderBy('lastName')
    .first()
  expect(colleague?.lastName).toBe('Byron')
  const rows = past.Employee.all().page(0, 1).select('lastName, employer.name')
  is<Equal<(typeof rows)[number]['lastName'], string | null>>()
  expect(rows).toEqual([{ lastName: 'Byron', employer: { name: 'Acme' } }])
  const highest: number | null = past.dataClass('Employee').all().max('salary')
  expect(highest).toBe(7)
  expect(
    past
      .dataClass('Employee' as string)
      .all()
      .or(past.dataClass('Employee' as string).empty()).count,
  ).toBe(1)
  // @ts-expect-error misspelt
  expect(codeOrDone(() => past.Employee.all().orderBy('salery'))).toBe('attributeNotFound')
})

test('the types of the past have no method that writes, and calling one throws', () => {
  const store = firm()
  const past = store.at(2)
  const all = past.Employee.all()
  const staff = past.Company.get(1)?.staff
  const refused: readonly (() => unknown)[] = [
    // @ts-expect-error no insert
    () => past.Employee.insert({ lastName: 'Ng' }),
    // @ts-expect-error no update
    () => past.Employee.update(1, { salary: 8 }),
    // @ts-expect-error no updateAll
    () => past.Employee.updateAll([]),
    // @ts-expect-error no remove
    () => past.Employee.remove(1),
    // @ts-expect-error no preview
    () => past.Employee.preview(1, {}),
    // @ts-expect-error no load
    () => past.Employee.load([]),
    // @ts-expect-error no createIndex
    () => past.Employee.createIndex('salary'),
    // @ts-expect-error no dropIndex
    () => past.Employee.dropIndex('salary'),
    // @ts-expect-error no functions
    () => past.Employee.call('payroll'),
    // @ts-expect-error no functions
    () => past.Employee.callOn(past.Employee.get(1), 'payroll'),
    // @ts-expect-error selections do not remove
    () => all.remove(),
    // @ts-expect-error nor call
    () => all.call('payroll'),
    // @ts-expect-error nor what is made of them
    () => all.orderBy('salary').page(0, 1).remove(),
    // @ts-expect-error nor those of relations
    () => staff?.remove(),
    // @ts-expect-error nor those of the dataclass of a selection
    () => all.dataClass.all().remove(),
    // @ts-expect-error no transact
    () => past.transact(() => 1),
    // @ts-expect-error no restore
    () => past.restore(store.snapshot()),
  ]
  for (const act of refused) expect(codeOrDone(act)).toBe('pastReadOnly')
  // @ts-expect-error of the past and of the present
  expect(codeOrDone(() => all.and(store.Employee.all()))).toBe('selectionMismatch')
  store.verify()
  expect(store.globalStamp).toBe(2)
})

test('a dataclass cannot have the name of a member of the past', () => {
  expect(codeOrDone(() => defineDataClass('dispose', { ID: attribute.long({ key: true }) }))).toBe(
    'modelInvalid',
  )
  expect(
    codeOrDone(() => defineDataClass('globalStamp', { ID: attribute.long({ key: true }) })),
  ).toBe('modelInvalid')
})
