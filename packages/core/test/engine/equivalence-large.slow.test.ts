import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { companyValues, employeeValues, INDEXABLE, type IndexSet } from '../arbitraries.ts'
import { type FilterText, filters, orders, queries } from '../filter-arbitraries.ts'
import { aggregate, distinct } from '../oracle/aggregate.ts'
import { evaluate } from '../oracle/evaluate.ts'
import type { PlainData, Row } from '../oracle/office.ts'
import { orderBySyntax, orderRows } from '../oracle/order.ts'
import { patience, runs } from '../runs.ts'
import {
  keysOf,
  mustBeExact,
  type OfficeStore,
  officeOf,
  outcome,
  setIndexes,
} from './office-store.ts'

/**
 * Enough entities that plans differ in cost, that index blocks fill up and split, and that top-k
 * beats a sort. The data is the same in each run; filters and orders vary.
 */
function largeOffice(size: number): PlainData {
  const values = <T>(arbitrary: fc.Arbitrary<T>, many: number): T[] =>
    fc.sample(arbitrary, { numRuns: many, seed: size })
  const names = fc.oneof(
    { weight: 4, arbitrary: employeeValues.map(({ name }) => name) },
    fc.string({ maxLength: 4 }),
  )
  const varied = fc.record({
    values: employeeValues,
    salary: fc.option(fc.integer({ min: 0, max: 400 }), { freq: 9 }),
    serial: fc.integer({ min: -size, max: size }),
    name: names,
    code: fc.option(fc.string({ minLength: 3, maxLength: 5 }), { freq: 9 }),
    employer: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 9 }),
    boss: fc.option(fc.integer({ min: 1, max: size }), { freq: 5 }),
  })
  const Employee = values(varied, size).map(
    ({ values, salary, serial, name, code, employer, boss }, i): Row => {
      const own = {
        ...values,
        salary,
        serial: i % 3 === 0 ? values.serial : serial,
        name,
        code: i % 2 === 0 ? code : values.code,
      }
      return { ID: i + 1, ...own, employerID: employer, boss }
    },
  )
  const Company = values(companyValues, 20).map((values, i): Row => ({ ID: i + 1, ...values }))
  const Badge = Employee.slice(0, size / 4).map((_, i): Row => {
    return {
      code: `b${i}`,
      number: i,
      colour: ['red', 'Red', 'blue'][i % 3],
      holder: (i * 7) % size || null,
      issuerID: (i % 25) + 1 > 20 ? null : (i % 25) + 1,
    }
  })
  return { Company, Employee, Badge }
}

const INDEX_SETS: readonly IndexSet[] = [
  [],
  INDEXABLE,
  INDEXABLE.filter((_, i) => i % 2 === 0),
  INDEXABLE.filter((_, i) => i % 3 === 1),
]

describe.each([
  { size: 700, isAsked: (_: FilterText) => true, share: 1 },
  // The oracle follows relations to employees by scanning them, so large offices leave these
  // filters out.
  {
    size: 5000,
    isAsked: ({ text }: FilterText) => !/team|boss|badges|employees/.test(text),
    share: 0.3,
  },
])('an office of $size', ({ size, isAsked, share }) => {
  let data: PlainData
  let stores: readonly OfficeStore[]
  beforeAll(() => {
    data = largeOffice(size)
    stores = INDEX_SETS.map((indexes) => {
      const store = officeOf(data, indexes)
      store.verify()
      return store
    })
  }, patience.timeout)
  const places = fc.nat(INDEX_SETS.length - 1)

  function naive({ text, params }: FilterText): readonly Row[] | 'refused' {
    return outcome(() =>
      orderBySyntax(
        data,
        'Employee',
        evaluate(data, 'Employee', text, params),
        parseFilter(text).orderBy,
      ),
    )
  }

  test(
    'every plan gives what the naive scan gives, and counts are exact where the plan says so',
    patience,
    () => {
      fc.assert(
        fc.property(places, queries('Employee').filter(isAsked), (place, query) => {
          const { Employee } = stores[place]
          const { text, params } = query
          const rows = naive(query)
          const keys = rows === 'refused' ? rows : keysOf('Employee', rows)
          expect(outcome(() => Employee.query(text, params).keys())).toEqual(keys)
          if (rows === 'refused') return
          for (let plan = 0; plan < Employee.plans(text, params).length; plan++) {
            const selection = Employee.query(text, params, { plan })
            expect(selection.count).toBe(rows.length)
            expect(selection.keys()).toEqual(keys)
            const explain = selection.explain()
            mustBeExact(explain.root)
            expect(explain.root.actualRows).toBe(rows.length)
          }
        }),
        runs(60 * share, 10),
      )
    },
  )

  test('ordered pages are slices of the naive scan, and pages add up', patience, () => {
    const asked = fc.oneof(
      fc.constant({ text: '', params: [] }),
      filters('Employee').filter(isAsked),
    )
    const order = orders('Employee').filter((text) => isAsked({ text, params: [] }))
    fc.assert(
      fc.property(
        places,
        asked,
        order,
        fc.nat(size),
        fc.integer({ min: 1, max: 60 }),
        (place, query, order, skip, top) => {
          const found = naive(query)
          if (found === 'refused') return
          const keys = keysOf('Employee', orderRows(data, 'Employee', found, order))
          const ordered = (): ReturnType<OfficeStore['Employee']['all']> =>
            stores[place].Employee.query(query.text, query.params).orderBy(order)
          expect(ordered().page(0, top).keys()).toEqual(keys.slice(0, top))
          expect(ordered().page(skip, top).keys()).toEqual(keys.slice(skip, skip + top))
          expect(
            ordered()
              .page(found.length - 3 < 0 ? 0 : found.length - 3, top)
              .keys(),
          ).toEqual(keys.slice(Math.max(0, found.length - 3)).slice(0, top))
          expect(ordered().slice(-5).keys()).toEqual(keys.slice(-5))
          expect(ordered().first()?.key).toBe(keys[0])
          const unordered = stores[place].Employee.query(query.text, query.params)
          expect(unordered.page(skip, top).keys()).toEqual(
            keysOf('Employee', found.slice(skip, skip + top)),
          )
          expect(ordered().keys()).toEqual(keys)
        },
      ),
      runs(75 * share, 10),
    )
  })

  test('aggregates and distinct values are those of the naive scan', patience, () => {
    const names = fc.constantFrom(
      'salary',
      'serial',
      'level',
      'name',
      'code',
      'token',
      'active',
      'born',
      'hired',
      'shift',
      'employerID',
    )
    fc.assert(
      fc.property(places, filters('Employee').filter(isAsked), names, (place, query, name) => {
        const rows = naive(query)
        if (rows === 'refused') return
        const selection = stores[place].Employee.query(query.text, query.params)
        const { sum, average, ...expected } = aggregate(data, 'Employee', rows, name)
        expect(selection.compute(name)).toMatchObject(
          sum === null ? expected : { sum, average, ...expected },
        )
        expect(selection.distinct(name)).toEqual(distinct(data, 'Employee', rows, [name]))
      }),
      runs(30 * share, 10),
    )
  })

  test('creating and dropping indexes changes no result', patience, () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...INDEXABLE]),
        queries('Employee').filter(isAsked),
        (indexes, query) => {
          const [store] = stores
          setIndexes(store, indexes)
          const rows = naive(query)
          expect(outcome(() => store.Employee.query(query.text, query.params).keys())).toEqual(
            rows === 'refused' ? rows : keysOf('Employee', rows),
          )
          setIndexes(store, INDEX_SETS[0])
          store.verify()
        },
      ),
      runs(5 * share, 10),
    )
  })
})
