import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { RangeFilter } from '../../src/plan/range-filter.ts'
import { DAYS, INSTANTS, indexSets, offices, TEXTS } from '../arbitraries.ts'
import type { ClassName } from '../oracle/office.ts'
import { patience, runs } from '../runs.ts'
import { type Key, type OfficeStore, officeOf, outcome } from './office-store.ts'

// A filter that is one range, with values by position, is planned without being bound
// (`RangeFilter`). With values by name, it is bound like every other filter. Both must find, print
// and refuse the same.

const OPERATORS = ['=', '===', '<', '<=', '>', '>=', 'begin', '!='] as const
const ATTRIBUTES: Readonly<Partial<Record<ClassName, readonly string[]>>> = {
  Employee:
    'ID,name,code,token,level,serial,salary,active,born,hired,shift,employerID,employer,notes'.split(
      ',',
    ),
  Badge: ['code', 'number', 'colour'],
}
const asked = fc
  .constantFrom<ClassName>('Employee', 'Employee', 'Badge')
  .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(ATTRIBUTES[name] ?? []))))
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...TEXTS,
    ...INSTANTS,
    ...DAYS,
    'a@',
    '@',
    'Maier',
    '1',
    'true',
    true,
    false,
    null,
    undefined,
  ),
  fc.constantFrom<unknown>(
    0,
    -0,
    1,
    2,
    3,
    2.5,
    1000,
    2 ** 40,
    60_000,
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(0),
  ),
  fc.integer({ min: -2, max: 8 }),
)
const comparison = fc.record({ operator: fc.constantFrom(...OPERATORS), value })

function reported(
  store: OfficeStore,
  className: ClassName,
  text: string,
  params: unknown,
): unknown {
  return outcome(() => {
    const selection = store.dataClass(className).query(text, params as never)
    const { root, condition } = selection.explain()
    const plain = JSON.stringify([root, condition], (name, part: unknown) =>
      name === 'milliseconds' ? null : part,
    )
    const pages = [selection.page(0, 3).keys(), selection.page(1, 2).keys()]
    return [selection.count, ...pages, selection.keys(), plain] as unknown as readonly Key[]
  })
}

test(
  'values given by position and by name give the same result and the same text',
  patience,
  () => {
    const comparisons = fc.array(comparison, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        asked,
        comparisons,
        (data, indexes, [className, attribute], parts) => {
          const store = officeOf(data, indexes)
          const textOf = (name: (at: number) => string) =>
            parts.map(({ operator }, at) => `${attribute} ${operator} :${name(at)}`).join(' and ')
          const byPosition = textOf((at) => String(at + 1))
          const byName = textOf((at) => `v${at + 1}`)
          const values = parts.map((one) => one.value)
          const named = Object.fromEntries(values.map((one, at) => [`v${at + 1}`, one]))
          expect(reported(store, className, byPosition, values)).toEqual(
            reported(store, className, byName, named),
          )
        },
      ),
      runs(600),
    )
  },
)

test('a later change of the given values does not change a query', () => {
  const store = officeOf(fc.sample(offices(), { numRuns: 1, seed: 7 })[0], [])
  const values = [1, 3]
  const selection = store.dataClass('Employee').query('ID >= :1 and ID <= :2', values)
  const before = [selection.keys(), selection.explain().root.detail]
  values[0] = 100
  store.dataClass('Employee').query('ID >= :1 and ID <= :2', values)
  expect([selection.keys(), selection.explain().root.detail]).toEqual(before)
})

test('a range that its index answers makes no predicate', () => {
  const predicate = vi.spyOn(RangeFilter.prototype, 'predicate', 'get')
  const store = officeOf(fc.sample(offices(), { numRuns: 1, seed: 7 })[0])
  const found = store.Employee.query('salary >= :1 and salary < :2', [1000, 2000])
  expect([found.count, found.page(0, 10).keys(), found.toArray()]).toHaveLength(3)
  expect(predicate).not.toHaveBeenCalled()
})
