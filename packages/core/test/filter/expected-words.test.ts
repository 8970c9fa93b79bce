import { describe, expect, test } from 'vitest'
import { parseOrderBy } from '../../src/filter/bind-order-by.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../../src/filter/filter-errors.ts'
import { parseFilter, parsePath } from '../../src/filter/parse-filter.ts'
import { offsetOf, refusalOf } from './refusal.ts'

const CONDITION = '"(", not, an attribute or a placeholder'
const BEGINNING = '"(", not, an attribute, a placeholder, order by or the end'

describe('a malformed filter: the place, and what is expected there', () => {
  test.each([
    ['a =', 3, 'a value'],
    ['a < ', 4, 'a value'],
    ['a = (1)', 4, 'a value'],
    ['a = [5]', 4, 'a value'],
    ['a = :', 4, 'a value'],
    ['a = \\u00', 4, 'a value'],
    ['a = !!2024', 4, 'a value'],
    ['a = not', 7, 'a value'],
    ["a 'x'", 2, 'a comparison operator'],
    [':1(2)', 2, 'a comparison operator'],
    ['f(1)', 1, '"." or a comparison operator'],
    ['a.eval(1)', 6, '"." or a comparison operator'],
    ['evil(1)', 4, '"." or a comparison operator'],
    ['a{0} = 1', 1, '"." or a comparison operator'],
    ['a{2 = 1', 1, '"." or a comparison operator'],
    ['a[1] = 1', 1, '"." or a comparison operator'],
    ['a = 1 and', 9, CONDITION],
    ['a = 1 & ', 8, CONDITION],
    ['a = 1 or', 8, CONDITION],
    ['a = 1 ^', 7, CONDITION],
    ['not', 3, CONDITION],
    ['!!', 2, CONDITION],
    ['(', 1, CONDITION],
    ['()', 1, CONDITION],
    ['(a = 1', 6, 'and, or, except or ")"'],
    ['a = 1)', 5, 'and, or, except, order by or the end'],
    ['a = 5(', 5, 'and, or, except, order by or the end'],
    ['a = 3!1!', 5, 'and, or, except, order by or the end'],
    ['.a = 1', 0, BEGINNING],
    [';', 0, BEGINNING],
    ['and = 1', 0, '"(", not, an attribute, a placeholder, order by or the end'],
    ['a.', 2, 'an attribute'],
    ['a..b = 1', 2, 'an attribute'],
    ['a in', 4, '"[" or a placeholder'],
    ['a in 5', 5, '"[" or a placeholder'],
    ['a in [', 6, 'a value or "]"'],
    ['a in [1', 7, '"," or "]"'],
    ['a in [1 2]', 8, '"," or "]"'],
    ['a in [:1 :2]', 9, '"," or "]"'],
    ['a in [1,', 8, 'a value'],
    ['a order by', 10, 'an attribute'],
    ['order by a,', 11, 'an attribute'],
    ['order by a b', 11, 'asc, desc, "," or the end'],
    ['order by a desc b', 16, '"," or the end'],
  ])('%s', (text, offset, expected) => {
    const error = refusalOf(() => parseFilter(text))
    expect(error).toMatchObject({
      code: 'filterSyntax',
      errCode: 1162,
      details: { filter: text, offset, expected },
    })
    expect(error.message).toContain(`at character ${offset + 1}: expected ${expected}.`)
  })

  test.each([
    ["a = 'x", 4, "'"],
    ['a = "x', 4, '"'],
    ['a = \'x"', 4, "'"],
    ["a in ['x', \"y]", 11, '"'],
    ["a = '\\u00'", 4, "'"],
  ])('%s has a quote that is never closed', (text, offset, quote) => {
    const error = refusalOf(() => parseFilter(text))
    expect([error.code, error.details]).toEqual([
      'filterSyntax',
      { filter: text, offset, expected: `a closing ${quote} for this one` },
    ])
  })

  const words = ['and', 'or', 'not', 'except', 'And', 'OR', 'nOt', 'EXCEPT']
  test.each(words)('%s is a value only in quotes, and the error shows how to write it', (word) => {
    for (const [text, offset] of [
      [`a in [${word}]`, 6],
      [`a in [1, ${word}]`, 9],
      [`a < ${word}`, 4],
    ] as const) {
      const error = refusalOf(() => parseFilter(text))
      // "< not" is read as a comparator, which does not exist.
      if (word.toLowerCase() === 'not' && text.includes('<'))
        expect(error.code).toBe('filterOperator')
      else
        expect([error.code, offsetOf(error), error.message]).toEqual([
          'filterSyntax',
          offset,
          expect.stringContaining(`a value (the text is written '${word}')`),
        ])
    }
  })

  test('words similar to reserved words are names and values', () => {
    const letters = [...'andortexcp']
    const short = letters.flatMap((a) => [
      a,
      ...letters.flatMap((b) => [
        a + b,
        ...letters.map((c) => a + b + c),
        ...letters.map((c) => a + b + c.toUpperCase()),
      ]),
    ])
    const long = [
      'exceptx',
      'xexcept',
      'excep',
      'excxpt',
      'accept',
      'expect',
      'export',
      'nots',
      'ands',
      'ors',
      'none',
    ]
    const reserved = new Set(['and', 'or', 'not', 'except'])
    for (const word of [...short, ...long, ...long.map((one) => one.toUpperCase())]) {
      const names = { path: { steps: [{ name: word }] }, value: { kind: 'bare', text: word } }
      if (reserved.has(word.toLowerCase()))
        expect(() => parseFilter(`${word} >= ${word}`), word).toThrow()
      else expect(parseFilter(`${word} >= ${word}`).condition, word).toMatchObject(names)
    }
  })
})

describe('a wrong comparator', () => {
  test.each([
    ['a b', 2, 'b'],
    ['a 5', 2, '5'],
    ['a !', 2, '!'],
    ['a ! b', 2, '!'],
    ['a === not b', 2, '=== not'],
    ['a andd b = 2', 2, 'andd'],
    ['a = 1 and (b oder c)', 13, 'oder'],
    ['a not', 2, 'not'],
    ['a < not 5', 2, '< not'],
    ['a begin NOT 5', 2, 'begin not'],
  ])('of %s is named, with its place and the valid operators', (text, offset, found) => {
    const error = refusalOf(() => parseFilter(text))
    expect([error.code, error.details]).toEqual(['filterOperator', { filter: text, offset, found }])
    expect(error.message).toMatch(/Use =, ===/)
    // A word may be meant to join conditions.
    const isWord = /^\p{L}/u.test(found)
    expect(error.message.includes('wrong comparison operator')).toBe(!isWord)
    expect(error.message.includes('Use and, or or except to join conditions.')).toBe(isWord)
  })
})

describe('a word behind a condition', () => {
  test.each([
    ['a = 5 eval(1)', 6, 'eval', 'and, or, except or order by'],
    ['a = 1 andd b = 2', 6, 'andd', 'and, or, except or order by'],
    ['a = John Smith', 9, 'Smith', 'and, or, except or order by'],
    ['a = 1 order', 6, 'order', 'and, or, except or order by'],
    ['a = 1 order bya', 6, 'order', 'and, or, except or order by'],
    ['not a = 1 b', 10, 'b', 'and, or, except or order by'],
    ['(a = 1 b', 7, 'b', 'and, or or except'],
    ['(a) and "b = 1 c"', 15, 'c', 'and, or or except'],
  ])('of %s is named, with its place and what can stand there', (text, offset, found, expected) => {
    const error = refusalOf(() => parseFilter(text))
    expect([error.code, error.details]).toEqual([
      'filterOperator',
      { filter: text, offset, found, expected },
    ])
    expect(error.message).toContain(
      `has "${found}" at character ${offset + 1} where ${expected} is expected.`,
    )
  })
})

describe('a formula', () => {
  test.each([
    ['eval(1)', 0],
    ['EVAL (1)', 0],
    ['a = 1 or eval(x)', 9],
    ['not eval("x")', 4],
    ['a = eval(1)', 4],
    ['a.b >= Eval(1)', 7],
    ['a in [1] and b = eval(1)', 17],
  ])('%s is refused at its place', (text, offset) => {
    const error = refusalOf(() => parseFilter(text))
    expect([error.code, error.details]).toEqual(['formulaNotAllowed', { filter: text, offset }])
  })

  test('needs the word eval and a parenthesis', () => {
    for (const text of [
      'eval = 1',
      'a = eval',
      'a = evil',
      'a.eval > 1',
      'eval',
      'a = eval and b = 1',
    ])
      expect(parseFilter(text).condition, text).not.toBeNull()
    for (const text of ['evil(1)', 'eva(1)', 'eval.x(1)', ':eval(1)', 'a = evil(1)', 'a = eva(1)'])
      expect(refusalOf(() => parseFilter(text)).code, text).toMatch(/^filter/)
  })
})

describe('paths and orders', () => {
  test.each([
    ['', 0, 'an attribute'],
    [':1', 0, 'an attribute'],
    ['a.', 2, 'an attribute'],
    ['a b', 2, 'the end'],
    ['a = 1', 2, 'the end'],
    ['and', 0, 'something else'],
  ])('"%s" is not a path', (text, offset, expected) => {
    const error = refusalOf(() => parsePath(text))
    expect([error.code, error.details]).toEqual([
      'filterSyntax',
      { filter: text, offset, expected },
    ])
  })

  test.each([
    ['', 0, 'an attribute'],
    [':1', 0, 'an attribute'],
    ['a,', 2, 'an attribute'],
    ['a b', 2, 'asc, desc, "," or the end'],
    ['a desc asc', 7, '"," or the end'],
    ['a;', 1, '".", asc, desc, "," or the end'],
  ])('"%s" is not an order', (text, offset, expected) => {
    const error = refusalOf(() => parseOrderBy(text))
    expect([error.code, error.details]).toEqual([
      'orderBySyntax',
      { orderBy: text, offset, expected },
    ])
  })

  test('paths keep their marks, and blanks around them are ignored', () => {
    const step = (name: string, at: number) => ({ name, instance: 1, element: null, at })
    expect(parsePath(' a.b ')).toEqual({ kind: 'path', steps: [step('a', 1), step('b', 3)], at: 1 })
    expect(parsePath('a{12}.b[].c[Q].d')).toEqual({
      kind: 'path',
      steps: [
        { name: 'a', instance: 12, element: null, at: 0 },
        { name: 'b', instance: 1, element: '', at: 6 },
        { name: 'c', instance: 1, element: 'q', at: 10 },
        step('d', 15),
      ],
      at: 0,
    })
  })
})

describe('a limit', () => {
  const few: FilterLimits = {
    ...{
      maxFilterLength: 60,
      maxFilterDepth: 2,
      maxPathSegments: 2,
      maxListItems: 2,
      maxPlaceholders: 2,
    },
    ...{ maxSortKeys: 2, maxPatternLength: 5, maxWildcards: 2 },
  }

  test.each<[keyof FilterLimits, string, () => unknown]>([
    ['maxFilterLength', 'characters', () => parseFilter(`a = ${'b'.repeat(57)}`, few)],
    ['maxFilterLength', 'characters', () => parsePath('b'.repeat(61), few)],
    ['maxFilterLength', 'characters', () => parseOrderBy('b'.repeat(61), few)],
    ['maxFilterDepth', 'levels', () => parseFilter('(((a = 1)))', few)],
    ['maxFilterDepth', 'levels', () => parseFilter('(not (a = 1))', few)],
    ['maxPathSegments', 'names in a path', () => parseFilter('a.b.c = 1', few)],
    ['maxPathSegments', 'names in a path', () => parsePath('a.b.c', few)],
    ['maxPathSegments', 'names in a path', () => parseOrderBy('a.b.c', few)],
    ['maxListItems', 'values in a list', () => parseFilter('a in [1, 2, 3]', few)],
    ['maxSortKeys', 'attributes in its order', () => parseFilter('a = 1 order by a, b, c', few)],
    ['maxSortKeys', 'attributes in its order', () => parseOrderBy('a, b, c', few)],
  ])('%s: the error names the limit of %s and the option', (option, what, run) => {
    const error = refusalOf(run)
    expect([error.code, error.details]).toEqual([
      'filterTooLarge',
      { what, limit: few[option], option },
    ])
    expect(error.message).toContain(what)
  })

  test('accepts exactly as many', () => {
    parseFilter(`a = ${'b'.repeat(56)}`, few)
    parsePath('b'.repeat(60), few)
    parseOrderBy('b'.repeat(60), few)
    parseFilter('((a.b in [1, 2])) and ((a = 1)) order by a.b, b', few)
    parsePath('a.b', few)
    parseOrderBy('a.b, b', few)
  })

  test('of depth also applies if the stack has no room left', () => {
    const text = `${'('.repeat(DEFAULT_FILTER_LIMITS.maxFilterDepth)}a = 1${')'.repeat(DEFAULT_FILTER_LIMITS.maxFilterDepth)}`
    const refusals: unknown[] = []
    let isRead = false
    // Measures from the end of the stack backwards until there is enough room.
    const descend = (): void => {
      try {
        descend()
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
      }
      if (isRead || refusals.length > 0) return
      try {
        parseFilter(text)
        isRead = true
      } catch (error) {
        if (error instanceof RangeError) return
        refusals.push(error)
      }
    }
    descend()
    expect(refusals).toMatchObject([
      { code: 'filterTooLarge', details: { what: 'levels', limit: 64, option: 'maxFilterDepth' } },
    ])
  })
})
