import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseOrderBy } from '../../src/filter/bind-order-by.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter, printOrderBy } from '../../src/filter/print-filter.ts'
import { runs } from '../runs.ts'
import { filterSyntax, orderBySyntax, withoutOffsets } from './syntax-arbitraries.ts'

describe('printing a filter', () => {
  test('a printed filter is read as the same tree', () => {
    fc.assert(
      fc.property(filterSyntax, (syntax) => {
        expect(withoutOffsets(parseFilter(printFilter(syntax)))).toEqual(withoutOffsets(syntax))
      }),
      runs(1000),
    )
  })

  test('printing is stable', () => {
    fc.assert(
      fc.property(filterSyntax, (syntax) => {
        const printed = printFilter(syntax)
        expect(printFilter(parseFilter(printed))).toBe(printed)
      }),
    )
  })

  test('a printed order is read as the same order', () => {
    fc.assert(
      fc.property(orderBySyntax, (syntax) => {
        expect(withoutOffsets(parseOrderBy(printOrderBy(syntax)))).toEqual(withoutOffsets(syntax))
      }),
    )
  })

  test.each([
    ['a EQ b && NOT c', 'a = b and not c'],
    ['(a = 1 or b = 2) and c # 3', '(a = 1 or b = 2) and c != 3'],
    ['a = 1 | b = 2 ^ c = 3', 'a = 1 or b = 2 except c = 3'],
    ['a = 1 or (b = 2 except c = 3)', 'a = 1 or (b = 2 except c = 3)'],
    ["a in [1,'b c' , :d] ORDER BY x ASC, y.z DESC", "a in [1, 'b c', :d] order by x, y.z desc"],
    [`a = "it's"`, "a = 'it\\u0027s'"],
    ['a is not null', 'a !== null'],
  ])('%s is printed as %s', (text, printed) => {
    expect(printFilter(parseFilter(text))).toBe(printed)
  })
})
