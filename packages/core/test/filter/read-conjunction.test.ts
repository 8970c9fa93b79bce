import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { DEFAULT_FILTER_LIMITS } from '../../src/filter/filter-errors.ts'
import { parse } from '../../src/filter/parser.generated.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import { readConjunction } from '../../src/filter/read-conjunction.ts'
import { runs } from '../runs.ts'
import { filterSyntax } from './syntax-arbitraries.ts'

/**
 * The grammar does not parse the inside of a condition in quotes; the fast reader leaves all such
 * filters to it.
 */
const readInQuotes = () => NOTHING_READ
const NOTHING_READ = { kind: 'or', parts: [] } as const

const limits = DEFAULT_FILTER_LIMITS
const byGrammar = (text: string) => {
  try {
    return parse(text, { startRule: 'Filter', depth: 0, limits, quotes: null, readInQuotes })
  } catch (error) {
    return isEntiaError(error) ? error.code : 'malformed'
  }
}
const pieces = fc.constantFrom(
  ...[
    'a',
    'b.c',
    'and',
    'AND',
    'not',
    'or',
    'order',
    'by',
    'in',
    'is',
    'begin',
    'LIKE',
    'null',
    'Null',
    'true',
    'eval',
  ],
  ...[
    '=',
    '==',
    '!=',
    '>=',
    '#',
    '%',
    '!',
    '=!!2024-01-31!!',
    '&',
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    ':',
    ':1',
    ':x.y',
  ],
  ...[
    "'x y'",
    '"q"',
    "'",
    '\\u0027',
    '\\',
    '5',
    '-1.5',
    "O'Reilly",
    'é',
    '\u00a0',
    '\ud83d',
    ' ',
    '  ',
    '\t',
    '\n',
    '',
  ],
)

const comparison = fc
  .tuple(
    fc.constantFrom('a', 'b.c', 'is'),
    fc.constantFrom('=', 'eq', '>='),
    fc.constantFrom('5', "'x'", ':1', 'null'),
  )
  .map((parts) => parts.join(' '))

describe('reading conjunctions without the grammar', () => {
  test('a text is read as the grammar reads it, or left to the grammar', () => {
    let read = 0
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pieces, comparison), { maxLength: 9 }),
        fc.constantFrom('', ' '),
        (parts, glue) => {
          const text = parts.join(glue)
          const condition = readConjunction(text, limits)
          if (condition === null) return
          read++
          expect(byGrammar(text)).toEqual({ condition, orderBy: null })
        },
      ),
      // The first example threw an error once.
      { ...runs(3000, 3000), examples: [[['a', '=', 'eval', '('], '']] },
    )
    expect(read).toBeGreaterThan(30)
  })

  test('filters of every kind are read as the grammar reads them', () => {
    fc.assert(
      fc.property(filterSyntax, (syntax) => {
        const text = printFilter(syntax)
        const condition = readConjunction(text, limits)
        if (condition !== null) expect(byGrammar(text)).toEqual({ condition, orderBy: null })
      }),
    )
  })

  test('plain comparisons joined by "and" need no grammar', () => {
    for (const text of [
      'ID = 7',
      "a.b >= 5 AND c = 'x y' and d is null",
      ' a = :1 and b begin :name ',
      "a=O'Reilly",
    ])
      expect(readConjunction(text, limits)).not.toBeNull()
  })

  test.each([
    '',
    'a',
    'a = 1 or b = 2',
    'not a = 1',
    '(a = 1)',
    'a in [1]',
    'a = 1 order by b',
    'a = not b',
    "a = '\\u0027'",
    'a=eval(',
    'a=EVAL(1)',
    'a = 1 and b = eval(b)',
    'a = and',
    'a ~ 1',
    'a.b.c.d.e.f.g.h.i = 1',
  ])('%j is left to the grammar', (text) => {
    expect(readConjunction(text, limits)).toBeNull()
  })
})
