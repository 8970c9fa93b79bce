import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import {
  findQuotedParts,
  printFilter,
  printOrderBy,
  printPath,
  splitFilter,
  splitOrder,
} from '../../src/filter/print-filter.ts'
import { filterSyntax, orderBySyntax } from './syntax-arbitraries.ts'

/** The positions of the quoted values of a tree, ascending. */
function quotedPlaces(tree: unknown): number[] {
  const places: number[] = []
  JSON.stringify(tree, (_, node) => {
    if (node?.kind === 'quoted') places.push(node.at)
    return node
  })
  return places.sort((a, b) => a - b)
}

describe('quoted parts', () => {
  test('begin where the tree has quoted values', () => {
    fc.assert(
      fc.property(filterSyntax, (syntax) => {
        const text = printFilter(syntax)
        const parts = findQuotedParts(text)
        expect(parts.map(({ start }) => start)).toEqual(quotedPlaces(parseFilter(text)))
        for (const { start, end } of parts) expect(text.slice(start, end ?? 0)).toMatch(/^'[^']*'$/)
      }),
    )
  })

  test.each([
    [`"a = 'x'" and b = 'y'`, ['"a = \'x\'"', "'y'"]],
    ["begin begin'x'", ["'x'"]],
    ["a = b,'x and not'b'", ["'b'"]],
    ["a in[b'x,'c',\"d\"]", ["'c'", '"d"']],
    ["a = O'Neil", []],
    ["a = 'x' andd b = 'y'", ["'x'"]],
    ['', []],
  ])('of %s are %j', (text, expected) => {
    expect(findQuotedParts(text).map(({ start, end }) => text.slice(start, end ?? 0))).toEqual(
      expected,
    )
  })

  test('have no end without a closing quote', () => {
    expect(findQuotedParts("a = 'x' and b = 'y & c")).toEqual([
      { start: 4, end: 7 },
      { start: 16, end: null },
    ])
    expect(findQuotedParts('not "a = 1')).toEqual([{ start: 4, end: null }])
  })

  test('are found in any text, also with too many parentheses', () => {
    fc.assert(fc.property(fc.string(), (text) => void findQuotedParts(text)))
    expect(findQuotedParts(`${'('.repeat(100_000)}'x'`)).toBeInstanceOf(Array)
  })
})

describe('split text', () => {
  test('an order is its paths and directions', () => {
    fc.assert(
      fc.property(orderBySyntax, (order) => {
        expect(splitOrder(printOrderBy(order), null)).toEqual(
          order.map(({ path, descending }) => ({ path: printPath(path), descending })),
        )
      }),
    )
  })

  test('has the default limits, given ones, or none', () => {
    const order = Array.from({ length: 17 }, () => 'a').join(', ')
    expect(() => splitOrder(order)).toThrow('maxSortKeys')
    expect(() => splitFilter(`order by ${order}`, { maxSortKeys: 2 })).toThrow('maxSortKeys')
    expect(splitFilter(`order by ${order}`, null)).toEqual({ condition: null, orderBy: order })
  })
})
