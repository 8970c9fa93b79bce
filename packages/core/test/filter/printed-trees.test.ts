import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseOrderBy } from '../../src/filter/bind-order-by.ts'
import type { Operator } from '../../src/filter/operators.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter, printOrderBy } from '../../src/filter/print-filter.ts'
import type { ConditionSyntax, ScalarSyntax } from '../../src/filter/syntax.ts'
import { withoutOffsets } from './syntax-arbitraries.ts'

const leaf = (name: string): ConditionSyntax => ({
  kind: 'isTrue',
  path: { kind: 'path', steps: [{ name, instance: 1, element: null, at: 0 }], at: 0 },
})

/** Every tree with at most `depth` nested connectives; leaves differ in name only. */
function trees(depth: number): readonly ConditionSyntax[] {
  if (depth === 0) return [leaf('a')]
  const below = trees(depth - 1)
  const pairs = below.flatMap((left) => below.map((right) => [left, right] as const))
  return [
    leaf('a'),
    ...below.map((part): ConditionSyntax => ({ kind: 'not', part })),
    ...pairs.map(([left, right]): ConditionSyntax => ({ kind: 'except', left, right })),
    ...pairs.flatMap((parts): ConditionSyntax[] => [
      { kind: 'and', parts },
      { kind: 'or', parts },
      { kind: 'or', parts: [...parts, leaf('z')] },
    ]),
  ]
}

const read = (text: string) => withoutOffsets(parseFilter(text))

/** The text without its `n`th pair of parentheses; null if there are fewer pairs. */
function withoutPair(text: string, n: number): string | null {
  const opens: number[] = []
  let seen = -1
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') opens.push(i)
    if (text[i] !== ')') continue
    const open = opens.pop() ?? 0
    if (++seen === n) return text.slice(0, open) + text.slice(open + 1, i) + text.slice(i + 1)
  }
  return null
}

describe('printed conditions', () => {
  test('with nested connectives are read as the same tree', () => {
    const others = trees(2).filter((condition) => {
      const syntax = { condition, orderBy: null }
      return !isDeepStrictEqual(read(printFilter(syntax)), syntax)
    })
    expect(others).toEqual([])
  })

  test('have no unnecessary parentheses', () => {
    const needless: string[] = []
    for (const condition of trees(2)) {
      const syntax = { condition, orderBy: null }
      const text = printFilter(syntax)
      for (let n = 0; ; n++) {
        const fewer = withoutPair(text, n)
        if (fewer === null) break
        if (isDeepStrictEqual(read(fewer), syntax)) needless.push(`${text} is ${fewer}`)
      }
    }
    expect(needless).toEqual([])
  })

  test('with an order, an order alone, and nothing', () => {
    for (const text of [
      'a = 1 order by b',
      'order by a.b desc, c',
      '',
      'a and b order by c desc, d',
    ])
      expect(printFilter(parseFilter(text))).toBe(text)
    for (const text of ['a', 'a desc', 'a.b, c.d.e desc, f'])
      expect(printOrderBy(parseOrderBy(text))).toBe(text)
  })

  test.each<[Operator, string]>([
    ['equal', 'a = 1'],
    ['identical', 'a === 1'],
    ['notEqual', 'a != 1'],
    ['notIdentical', 'a !== 1'],
    ['greater', 'a > 1'],
    ['greaterEqual', 'a >= 1'],
    ['less', 'a < 1'],
    ['lessEqual', 'a <= 1'],
    ['begin', 'a begin 1'],
    ['keyword', 'a % 1'],
    ['in', 'a in [1]'],
  ])('%s is printed as %s', (operator, text) => {
    expect(parseFilter(text).condition).toMatchObject({ operator })
    expect(printFilter(parseFilter(text))).toBe(text)
  })

  test.each([
    'a{2}.b{13}.c = 1',
    'a[].b[q].c.length > 1',
    'a{3}[] = 1',
    ':1 = :2',
    ':a.b in :c',
    'a in []',
    "a in [1, 'x', null, :y, :1]",
    ':1',
    'a.b = null',
  ])('%s is printed as it is', (text) => {
    expect(printFilter(parseFilter(text))).toBe(text)
  })
})

// Each ASCII character and some others, at each position of a text, also after a reserved word.
const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit)),
  'é',
  '\u00a0',
  '\u2028',
  '😀',
]
const WORDS = [
  'and',
  'or',
  'not',
  'except',
  'null',
  'Null',
  'NOT',
  'order',
  'eval',
  'notx',
  '!!2024-01-31!!',
  '3!1!2024',
]
const TEXTS = [
  ...CHARACTERS.flatMap((c) => [c, `a${c}`, `${c}a`, `a${c}b`, `${c}${c}`]),
  ...[...` .:'"\\\\[](){}!=,;-@é`].flatMap((c) =>
    WORDS.flatMap((word) => [word + c, `${word + c}x`, c + word]),
  ),
  ...WORDS,
]

const inComparison = (value: ScalarSyntax) =>
  printFilter({
    condition: {
      kind: 'comparison',
      path: { kind: 'placeholder', name: '1', position: 1, at: 0 },
      operator: 'equal',
      value,
    },
    orderBy: null,
  })
const inList = (value: ScalarSyntax) =>
  printFilter({
    condition: {
      kind: 'comparison',
      path: { kind: 'placeholder', name: '1', position: 1, at: 0 },
      operator: 'in',
      value: { kind: 'list', items: [value, { kind: 'null', at: 0 }], at: 0 },
    },
    orderBy: null,
  })
const valueIn = (text: string): unknown => {
  const { condition } = parseFilter(text)
  if (condition?.kind !== 'comparison') return null
  return withoutOffsets(
    condition.value.kind === 'list' ? condition.value.items[0] : condition.value,
  )
}
/** The value that a text alone is read as; undefined if it is refused or only partly a value. */
const readAsItIs = (filter: string): unknown => {
  try {
    return valueIn(filter)
  } catch {
    return undefined
  }
}

describe('printed values', () => {
  test('without quotes are read as the same value', () => {
    for (const print of [inComparison, inList]) {
      const others = TEXTS.filter((text) => {
        const value: ScalarSyntax = { kind: 'bare', text, at: 0 }
        return !isDeepStrictEqual(valueIn(print(value)), value)
      })
      expect(others).toEqual([])
    }
  })

  test('without quotes have escapes only where they are needed', () => {
    const escaped = CHARACTERS.flatMap((c) => [c, `a${c}`, `${c}a`, `a${c}b`]).flatMap((text) => {
      const value: ScalarSyntax = { kind: 'bare', text, at: 0 }
      const ways = [
        [inComparison(value), `:1 = ${text}`],
        [inList(value), `:1 in [${text}, null]`],
      ]
      return ways.filter(
        ([printed, plain]) => printed !== plain && isDeepStrictEqual(readAsItIs(plain), value),
      )
    })
    // A backslash is needed only if an escape begins there.
    expect(escaped.filter(([, plain]) => !plain.includes('\\'))).toEqual([])
  })

  test('in quotes are read as the same value, and only quotes and backslashes are escaped', () => {
    for (const text of TEXTS) {
      const value: ScalarSyntax = { kind: 'quoted', text, at: 0 }
      const written = `'${text.replaceAll('\\', '\\u005c').replaceAll("'", '\\u0027')}'`
      const printed = inComparison(value)
      if (printed !== `:1 = ${written}` || !isDeepStrictEqual(valueIn(printed), value))
        expect(printed).toBe(written)
    }
  })

  test.each([
    ['and', '\\u0061nd'],
    ['not.x', '\\u006eot.x'],
    ['not-x', 'not-x'],
    ['NULL', '\\u004eULL'],
    ['a b', 'a\\u0020b'],
    ['a(b)', 'a\\u0028b\\u0029'],
    [':x', '\\u003ax'],
    ["'x", '\\u0027x'],
    ["O'Reilly", "O'Reilly"],
    ["O'Reilly & [co]:", "O'Reilly\\u0020\\u0026\\u0020[co\\u005d:"],
    ['a:b', 'a:b'],
    ['[x', '\\u005bx'],
    ['x[y', 'x[y'],
    ['-1.5e3', '-1.5e3'],
    ['S@', 'S@'],
    ['\u00a0', '\u00a0'],
  ])('%s without quotes is written %s', (text, written) => {
    expect(inComparison({ kind: 'bare', text, at: 0 })).toBe(`:1 = ${written}`)
  })

  test('a comma and a bracket end a value in a list only', () => {
    const value: ScalarSyntax = { kind: 'bare', text: 'a,b]c', at: 0 }
    expect(inComparison(value)).toBe(':1 = a,b]c')
    expect(inList(value)).toBe(':1 in [a\\u002cb\\u005dc, null]')
  })
})
