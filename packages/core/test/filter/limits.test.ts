import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { parseOrderBy } from '../../src/filter/bind-order-by.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../../src/filter/filter-errors.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { refusalOf } from './refusal.ts'
import { employee } from './staff-catalog.ts'

const nested = (depth: number) => `${'('.repeat(depth)}a = 1${')'.repeat(depth)}`
const names = (count: number) => Array.from({ length: count }, (_, i) => `a${i}`)
const list = (count: number) => names(count).join(', ')

/** For each limit, a text of a given size. */
const TEXTS: { readonly [L in keyof FilterLimits]: (size: number) => () => unknown } = {
  maxFilterLength: (size) => () => parseFilter(`a = ${'b'.repeat(size - 4)}`),
  maxFilterDepth: (size) => () => parseFilter(nested(size)),
  maxPathSegments: (size) => () => parseFilter(`${names(size).join('.')} = 1`),
  maxListItems: (size) => () => prepareFilter('firstName in :1', employee).bind([names(size)]),
  maxPlaceholders: (size) => () =>
    prepareFilter(
      names(size)
        .map((name) => `age = :${name}`)
        .join('|'),
      employee,
    ),
  maxSortKeys: (size) => () => parseOrderBy(list(size)),
  maxPatternLength: (size) => () => prepareFilter(`firstName = ${'b'.repeat(size - 1)}@`, employee),
  maxWildcards: (size) => () => prepareFilter(`firstName = ${'@b'.repeat(size)}`, employee),
}

describe('limits', () => {
  for (const option of Object.keys(TEXTS) as (keyof FilterLimits)[])
    test(`${option}: one less and exactly as many pass, one more is refused`, () => {
      const limit = DEFAULT_FILTER_LIMITS[option]
      TEXTS[option](limit - 1)()
      TEXTS[option](limit)()
      expect(refusalOf(TEXTS[option](limit + 1))).toMatchObject({
        code: 'filterTooLarge',
        details: { limit, option },
      })
    })

  test('negations count like parentheses', () => {
    parseFilter(`${'not '.repeat(64)}a = 1`)
    expect(refusalOf(() => parseFilter(`${'not '.repeat(65)}a = 1`)).code).toBe('filterTooLarge')
    expect(refusalOf(() => parseFilter(`${'(!'.repeat(33)}a`)).code).toBe('filterTooLarge')
  })

  test('depth is the deepest nesting, not a sum', () => {
    parseFilter(Array.from({ length: 100 }, () => nested(3)).join(' and '))
  })

  test('an order at the end of a filter has the same limit', () => {
    parseFilter(`a = 1 order by ${list(16)}`)
    expect(refusalOf(() => parseFilter(`a = 1 order by ${list(17)}`)).code).toBe('filterTooLarge')
  })

  test('written lists have the same limit as given lists', () => {
    const limits = { ...DEFAULT_FILTER_LIMITS, maxListItems: 3 }
    parseFilter('a in [1, 2, 3]', limits)
    expect(refusalOf(() => parseFilter('a in [1, 2, 3, 4]', limits)).code).toBe('filterTooLarge')
  })

  test('thousands of parentheses are refused without a stack overflow', () => {
    expect(refusalOf(() => parseFilter(`${'('.repeat(5000)}a`)).code).toBe('filterTooLarge')
  })

  test('hundreds of alternatives are accepted', () => {
    const text = Array.from({ length: 400 }, (_, i) => `age = ${i}`).join(' or ')
    expect(parseFilter(text).condition).toMatchObject({ kind: 'or', parts: { length: 400 } })
  })
})
