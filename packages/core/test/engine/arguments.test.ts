import { describe, expect, test } from 'vitest'
import { asyncOf } from '../../src/async.ts'
import { createDataStore } from '../../src/index.ts'
import { Badge, Company, Employee } from './server-state-store.ts'

/** Arguments that plain JavaScript may pass against the types. */
const loose = (value: unknown) => value as never

function office() {
  const store = createDataStore({ name: 'office', dataClasses: [Company, Employee, Badge] })
  store.Company.load([{ name: 'Acme' }, { name: 'Byte' }])
  for (const name of ['Ann', 'Bob', 'Cyd', 'Dan'])
    store.Employee.insert({ name, salary: 10, employer: 1 })
  return store
}
const refused = (code: string, problem?: RegExp) =>
  expect.objectContaining(
    problem === undefined ? { code } : { code, message: expect.stringMatching(problem) },
  )

describe('a wrong argument of a selection', () => {
  test('is refused if it is not a place', () => {
    const all = office().Employee.all()
    for (const wrong of [-1, 1.5, Number.NaN, loose('1')]) {
      expect(() => all.page(wrong, 1)).toThrow(refused('argumentInvalid', /skip/))
      expect(() => all.page(0, wrong)).toThrow(refused('argumentInvalid', /top/))
    }
    expect(all.page(1, Number.POSITIVE_INFINITY).keys()).toEqual([2, 3, 4])
    expect(all.slice(-2).keys()).toEqual([3, 4])
    expect(all.slice(-9, -3).keys()).toEqual([1])
  })

  test('is refused if it is of another dataclass or not a selection', () => {
    const { Company, Employee } = office()
    expect(() => Employee.all().and(loose(Company.all()))).toThrow(
      refused('selectionMismatch', /Employee.*Company/),
    )
    expect(() => Employee.all().or(loose('all'))).toThrow(refused('selectionMismatch', /string/))
  })

  const NOT_TEXTS = [undefined, null, 5, true, {}, ['name'], () => 'name', Symbol('name')]
  test.each(NOT_TEXTS)('is refused by every method that takes a text: %p', (wrong) => {
    const { Employee } = office()
    const all = Employee.all()
    const calls = {
      orderBy: () => all.orderBy(loose(wrong)),
      select: () => all.select(loose(wrong)),
      json: () => all.json(loose(wrong)),
      distinct: () => all.distinct(loose(wrong)),
      sum: () => all.sum(loose(wrong)),
      average: () => all.average(loose(wrong)),
      min: () => all.min(loose(wrong)),
      max: () => all.max(loose(wrong)),
      compute: () => all.compute(loose(wrong)),
      groupBy: () => all.groupBy(loose(wrong), {}).toArray(),
      findBy: () => Employee.findBy(loose(wrong), loose('Ann')),
      asyncSelect: () => asyncOf(office()).Employee.all().select(loose(wrong)),
    }
    for (const [name, call] of Object.entries(calls)) {
      if (name === 'json' && wrong == null) continue // every value
      expect(call, name).toThrow(refused('argumentInvalid', / must be (a )?text.*, not /))
    }
  })

  test('finds no entity if it is not a key', () => {
    const { Employee } = office()
    for (const nobody of [null, undefined, '1x', 1.5, {}]) {
      expect(Employee.all().has(loose(nobody))).toBe(false)
      expect(Employee.has(loose(nobody))).toBe(false)
      expect(Employee.get(loose(nobody))).toBe(undefined)
      expect(Employee.all().query('ID > 0').has(loose(nobody))).toBe(false)
    }
  })

  test('a relation is not a value of a projection, and an object selected as a whole keeps its properties', () => {
    const { Employee } = office()
    expect(() => Employee.all().select('employer')).toThrow(
      refused('attributeNotApplicable', /employer\.\*/),
    )
    expect(Employee.query('ID = 1').select('employer.name, employer.ID')).toEqual([
      { employer: { name: 'Acme', ID: 1 } },
    ])
  })
})

test('an unknown dataclass is refused with the known ones', () => {
  expect(() => office().dataClass(loose('Employe'))).toThrow(
    refused('dataClassNotFound', /"Employe" .* Known: Company, Employee, Badge\.$/),
  )
})

describe('a wrong argument of a dataclass', () => {
  test('an index is for one stored value', () => {
    const { Employee } = office()
    expect(() => Employee.createIndex(loose('nobody'))).toThrow(refused('attributeNotFound'))
    expect(() => Employee.createIndex(loose('employer'))).toThrow(refused('indexInvalid'))
  })

  test('a value is looked up by an attribute that holds it', () => {
    const { Employee } = office()
    expect(Employee.findBy('name', 'Bob')?.key).toBe(2)
    expect(Employee.findBy('name', 'nobody')).toBe(undefined)
    expect(() => Employee.findBy('salary', loose('much'))).toThrow(
      refused('valueInvalid', /the text "much"/),
    )
    expect(() => Employee.findBy(loose('employer.name'), loose('Acme'))).toThrow()
  })

  test('rows must be iterable', () => {
    const { Employee } = office()
    for (const rows of [null, 1, {}])
      expect(() => Employee.load(loose(rows))).toThrow(refused('argumentInvalid', /iter/))
    expect(() => Employee.load([loose('row')])).toThrow(refused('loadRefused', /row 1/i))
  })

  test('a filter must be a text', () => {
    const { Employee } = office()
    expect(() => Employee.query(loose(7))).toThrow(refused('argumentInvalid', /A filter.*text/))
  })

  test('keys must be iterable, and a transaction a function', () => {
    const store = office()
    for (const wrong of [undefined, null, 1, {}, true, Symbol('x')])
      expect(() => store.Employee.from(loose(wrong))).toThrow(
        refused('argumentInvalid', /iterable/),
      )
    for (const wrong of [undefined, null, 1, {}, 'body'])
      expect(() => store.transact(loose(wrong))).toThrow(refused('argumentInvalid', /a function/))
  })

  test('a missing function is distinguished from an existing one', () => {
    const store = office()
    expect(() => (store.call as (name: string) => unknown)('nobody')).toThrow(
      refused('functionNotFound'),
    )
    expect(() => store.on(loose('nothing'), () => undefined)).toThrow(
      refused('argumentInvalid', /"commit" or "error"/),
    )
  })
})

test('errors of listeners, thrown or rejected, go to error listeners and do not stop other listeners', async () => {
  const store = office()
  const reported: unknown[] = []
  const seen: string[] = []
  store.on('error', (error) => void reported.push((error as Error).message))
  store.on('error', () => {
    throw new Error('of the error listener')
  })
  store.on('commit', () => {
    throw new Error('now')
  })
  store.on('commit', (() => Promise.reject(new Error('later'))) as () => void)
  const leave = { last: () => undefined as unknown }
  store.on('commit', () => leave.last())
  leave.last = store.on('commit', () => void seen.push('reported though it was taken away'))
  store.Employee.insert({ name: 'Eve' })
  await Promise.resolve()
  await Promise.resolve()
  expect(reported).toEqual(['now', 'later'])
  expect(seen).toEqual([])
})
