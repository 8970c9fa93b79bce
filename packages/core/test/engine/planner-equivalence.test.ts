import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { type FilterText, filters, orders, queries } from '../filter-arbitraries.ts'
import { evaluate } from '../oracle/evaluate.ts'
import { CLASS_NAMES, type ClassName, type PlainData } from '../oracle/office.ts'
import { orderBySyntax, orderRows } from '../oracle/order.ts'
import { patience, runs } from '../runs.ts'
import { keysOf, type OfficeStore, officeOf, outcome, setIndexes } from './office-store.ts'

const asked = fc
  .constantFrom(...CLASS_NAMES, 'Employee' as const)
  .chain((className) => fc.tuple(fc.constant(className), queries(className)))

/** The keys in the order of the filter, by the naive scan. */
function naive(
  data: PlainData,
  className: ClassName,
  { text, params }: FilterText,
): readonly unknown[] {
  const rows = evaluate(data, className, text, params)
  return keysOf(className, orderBySyntax(data, className, rows, parseFilter(text).orderBy))
}

function mustAgree(
  store: OfficeStore,
  data: PlainData,
  className: ClassName,
  query: FilterText,
): void {
  const table = store.dataClass(className)
  const { text, params } = query
  const expected = outcome(() => naive(data, className, query))
  const found = outcome(() => table.query(text, params).keys())
  expect(found).toEqual(expected)
  if (expected === 'refused') return
  const plans = table.plans(text, params)
  expect(plans.length).toBeGreaterThan(0)
  for (let plan = 0; plan < plans.length; plan++) {
    const forced = table.query(text, params, { plan })
    expect(forced.keys(), `plan ${plan}:\n${plans[plan]}`).toEqual(expected)
    expect(forced.count).toBe(expected.length)
  }
}

test(
  'every plan of every filter gives the result of the naive scan, in its order, whatever is indexed',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        fc.array(asked, { minLength: 1, maxLength: 4 }),
        (data, indexes, queries) => {
          const store = officeOf(data, indexes)
          for (const [className, query] of queries) mustAgree(store, data, className, query)
        },
      ),
      runs(350),
    )
  },
)

test('creating and dropping indexes on existing data changes no result', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      indexSets,
      asked,
      (data, before, after, [className, query]) => {
        const store = officeOf(data, before)
        setIndexes(store, after)
        store.verify()
        mustAgree(store, data, className, query)
      },
    ),
    runs(70),
  )
})

test(
  'a filter within a selection keeps what both select, in the order of the selection',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        queries('Employee'),
        fc.option(orders('Employee')),
        filters('Employee'),
        (data, indexes, first, order, second) => {
          const store = officeOf(data, indexes)
          const found = outcome(() => {
            const selection = store.Employee.query(first.text, first.params)
            return (order === null ? selection : selection.orderBy(order))
              .query(second.text, second.params)
              .keys()
          })
          const expected = outcome(() => {
            const parsed = parseFilter(first.text).orderBy
            const rows = evaluate(data, 'Employee', first.text, first.params)
            const ordered =
              order === null
                ? orderBySyntax(data, 'Employee', rows, parsed)
                : orderRows(data, 'Employee', rows, order)
            const kept = new Set(evaluate(data, 'Employee', second.text, second.params))
            return keysOf(
              'Employee',
              ordered.filter((row) => kept.has(row)),
            )
          })
          expect(found).toEqual(expected)
        },
      ),
      runs(105),
    )
  },
)

test('findBy gives the first entity in record order', patience, () => {
  const attributes = ['name', 'code', 'token', 'level', 'salary', 'active', 'employerID'] as const
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      fc.constantFrom(...attributes),
      fc.nat(8),
      (data, indexes, attribute, place) => {
        const value = data.Employee[place]?.[attribute] ?? null
        const store = officeOf(data, indexes)
        const condition = value === null ? `${attribute} === null` : `${attribute} === :1`
        const [expected] = evaluate(data, 'Employee', condition, [value])
        expect(store.Employee.findBy(attribute, value)?.key).toBe(expected?.ID)
      },
    ),
    runs(40),
  )
})
