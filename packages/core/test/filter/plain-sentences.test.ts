import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { DEFAULT_FILTER_LIMITS } from '../../src/filter/filter-errors.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { ParserError, parse } from '../../src/filter/parser.generated.ts'
import { readConjunction } from '../../src/filter/read-conjunction.ts'

/**
 * The grammar does not parse the inside of a condition in quotes; the fast reader leaves all such
 * filters to it.
 */
const readInQuotes = () => NOTHING_READ
const NOTHING_READ = { kind: 'or', parts: [] } as const

const limits = DEFAULT_FILTER_LIMITS

/** The result of reading a text: a tree, or the code of the refusal. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (isEntiaError(error)) return error.code
    if (error instanceof ParserError) return 'filterSyntax'
    throw error
  }
}
const byGrammar = (text: string) =>
  outcome(() => parse(text, { startRule: 'Filter', depth: 0, limits, quotes: null, readInQuotes }))

const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit)),
  '\u0080',
  'é',
  '\u00a0',
  '名',
]

// Every position of a plain sentence, with and without a space.
const PLACES: readonly ((c: string) => string)[] = [
  (c) => `${c}a = 1`,
  (c) => `a${c}= 1`,
  (c) => `a${c}b = 1`,
  (c) => `a.${c} = 1`,
  (c) => `a ${c} 1`,
  (c) => `a ${c}= 1`,
  (c) => `a =${c} 1`,
  (c) => `a =${c}1`,
  (c) => `a = ${c}1`,
  (c) => `a = 1${c}`,
  (c) => `a = ${c}`,
  (c) => `a = 1${c}2`,
  (c) => `a = 'x${c}y'`,
  (c) => `a = 'x'${c}`,
  (c) => `a = "x${c}y"`,
  (c) => `a = :x${c}`,
  (c) => `a = :x${c}y`,
  (c) => `a = :${c}`,
  (c) => `a = 1${c}and b = 2`,
  (c) => `a = 'x'${c}and b = 2`,
  (c) => `a = 1 and${c}b = 2`,
  (c) => `a = 1 an${c} b = 2`,
  (c) => `a = 1 and${c} b = 2`,
  (c) => `a = 1 ${c} b = 2`,
  (c) => `a = not${c}`,
  (c) => `a is not${c}b`,
  (c) => `a is no${c} b`,
  (c) => `a = nul${c}`,
  (c) => `a = eval${c}1`,
  (c) => `an${c} = 1`,
  (c) => `a begin${c}1`,
]

describe('plain sentences', () => {
  test('are read as the grammar reads them, with any character at any place', () => {
    let read = 0
    const others: string[] = []
    for (const place of PLACES)
      for (const character of CHARACTERS) {
        const text = place(character)
        const condition = outcome(() => readConjunction(text, limits))
        const expected = byGrammar(text)
        if (
          !isDeepStrictEqual(
            outcome(() => parseFilter(text)),
            expected,
          )
        )
          others.push(text)
        if (condition === null || typeof condition === 'string') continue
        read++
        if (!isDeepStrictEqual(expected, { condition, orderBy: null })) others.push(text)
      }
    expect(others).toEqual([])
    expect(read).toBeGreaterThan(1000)
  })

  test.each([
    'a = 1',
    ' a=1 ',
    'a.b.c >= -1.5',
    'a < b',
    'a <= b',
    'a > b',
    'a == b',
    'a != b',
    'a # b',
    'a === b',
    'a !== b',
    'a % b',
    'a is null',
    'a like S@',
    'a eq notable',
    'a = noté',
    'a = not-x',
    'a = android',
    'nota = 1',
    'order = 1',
    'a = order',
    'é = é',
    "a = O'Reilly",
    'a = {x}',
    "a = 'x y' and b = \"it's\"",
    'a = :1 and b = :x.y.z',
    'a = 1 AND b = 2 aNd c = 3',
    'a = 1\tand\r\nb = 2\n',
    "a='x' and b=:1 and c=1",
    'a = null and b is NULL',
    'a.and = 1',
    'a begin b',
    'a = eval',
  ])('%j needs no grammar', (text) => {
    const condition = readConjunction(text, limits)
    expect(condition).not.toBeNull()
    expect(byGrammar(text)).toEqual({ condition, orderBy: null })
  })

  test('that need the grammar are left to it', () => {
    for (const text of [
      ...[
        '',
        ' ',
        'a',
        'a =',
        '= 1',
        'a = 1 and',
        'a = 1 and ',
        "a = 'x",
        "a = 'x\\",
        'a = :',
        'a = :x.',
        'a. = 1',
        'a = [',
      ],
      ...[
        'and = 1',
        'a = and',
        'a = or',
        'a = 1 b',
        'a = 1 an b = 2',
        "a = 'x'and b = 2",
        'a in :1',
        'a = not x',
        'a is not b',
      ],
      ...[
        'a = 1 and b',
        'a ? 1',
        'a => 1',
        'a = 1 & b = 2',
        'a = 1 and(b = 2)',
        'a[] = 1',
        'a{2} = 1',
        ':1 = 2',
        'a = "x\\u0041"',
      ],
    ])
      expect(readConjunction(text, limits), text).toBeNull()
  })

  test('a path with too many names is left to the grammar, which refuses it; one with exactly the maximum is read', () => {
    const path = (names: number) => `${Array.from({ length: names }, () => 'a').join('.')} = 1`
    expect(readConjunction(path(8), limits)).not.toBeNull()
    expect(readConjunction(path(9), limits)).toBeNull()
    expect(readConjunction(path(1), { ...limits, maxPathSegments: 0 })).not.toBeNull()
  })

  test('keep the place of every part', () => {
    expect(readConjunction(" ab.c >= 'x' and d = :1 and e = null", limits)).toEqual({
      kind: 'and',
      parts: [
        {
          kind: 'comparison',
          path: {
            kind: 'path',
            steps: [
              { name: 'ab', instance: 1, element: null, at: 1 },
              { name: 'c', instance: 1, element: null, at: 4 },
            ],
            at: 1,
          },
          operator: 'greaterEqual',
          value: { kind: 'quoted', text: 'x', at: 9 },
        },
        {
          kind: 'comparison',
          path: {
            kind: 'path',
            steps: [{ name: 'd', instance: 1, element: null, at: 17 }],
            at: 17,
          },
          operator: 'equal',
          value: { kind: 'placeholder', name: '1', position: 1, at: 21 },
        },
        {
          kind: 'comparison',
          path: {
            kind: 'path',
            steps: [{ name: 'e', instance: 1, element: null, at: 28 }],
            at: 28,
          },
          operator: 'equal',
          value: { kind: 'null', at: 32 },
        },
      ],
    })
  })
})
