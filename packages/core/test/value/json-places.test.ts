import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/value/check-options.ts'
import { copyJson, isDangerousName, propertyAt } from '../../src/value/json.ts'
import type { Json } from '../../src/value/types.ts'

function foundIn(input: object): string {
  const refusal = copyJson(input)
  expect(refusal).toBeInstanceOf(Refusal)
  expect((refusal as Refusal).expected).toBe('JSON')
  return (refusal as Refusal).found
}

class Point {
  x = 1
}

/** Values that are not JSON, with their names in messages. */
const WRONG: readonly (readonly [what: string, value: unknown])[] = [
  ['a number that is NaN', Number.NaN],
  ['the number Infinity', Number.POSITIVE_INFINITY],
  ['the number -Infinity', Number.NEGATIVE_INFINITY],
  ['a bigint', 1n],
  ['a function', () => 1],
  ['a symbol', Symbol('x')],
  ['text with a lone surrogate', 'x\ud800y'],
  ['a Date (give its ISO text)', new Date(0)],
  ['an instance of a class', new Point()],
  ['an instance of a class', new Map()],
  ['an instance of a class', new Uint8Array(1)],
  ['a property called "__proto__"', JSON.parse('{"__proto__":1}')],
  ['a property called "constructor"', { constructor: 1 }],
  ['a property called "prototype"', { prototype: 1 }],
  ['a property name with a lone surrogate', { '\udc00': 1 }],
]

describe('values other than JSON are refused with their place', () => {
  test.each(WRONG)('%s', (what, value) => {
    expect(foundIn({ name: value })).toBe(`${what} at "name"`)
    expect(foundIn([value])).toBe(`${what} at "[0]"`)
    expect(foundIn({ a: 1, b: { c: [0, { d: value }] } })).toBe(`${what} at "b.c[1].d"`)
    expect(foundIn([[], [0, 1, [value]]])).toBe(`${what} at "[1][2][0]"`)
  })

  test('undefined is refused in a list only: a property with it is left out', () => {
    expect(foundIn({ a: [0, undefined] })).toBe('undefined at "a[1]"')
    expect(copyJson({ a: undefined, b: null })).toEqual({ b: null })
  })

  test('without a place if it is the whole value', () => {
    for (const [what, value] of WRONG)
      if (typeof value === 'object' && value !== null) expect(foundIn(value)).toBe(what)
  })

  test('with at most 80 characters of the place', () => {
    const longest = 'n'.repeat(80)
    expect(foundIn({ [longest]: 1n })).toBe(`a bigint at "${longest}"`)
    expect(foundIn({ [`${longest}n`]: 1n })).toBe(`a bigint at "${'n'.repeat(79)}…"`)
    expect(foundIn({ short: { [longest]: 1n } })).toBe(`a bigint at "short.${'n'.repeat(73)}…"`)
    expect(foundIn({ short: 1n })).toBe('a bigint at "short"')
  })
})

test('an error of a limit names the place', () => {
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`p${i}`, i]))
  expect(foundIn({ inner: [wide] })).toBe('an object of more than 1000 properties at "inner[0]"')
  let deep: object = []
  for (let level = 1; level < 65; level++) deep = [deep]
  expect(foundIn(deep)).toMatch(/^more than 64 levels at "(?:\[0\]){26}\[…"$/)
})

describe('a repeated part counts each time towards the million values', () => {
  // The object, its list and 999 rows of a thousand values each; a last row of one value and its
  // own.
  const rows = new Array(999).fill(new Array(999).fill(true))
  const given = (last: number): object => ({ rows: [...rows, new Array(last).fill(true)] })

  test('of which all are accepted', () => {
    expect(copyJson(given(997))).not.toBeInstanceOf(Refusal)
  })

  test('and one more is refused at its place', () => {
    expect(foundIn(given(998))).toBe('more than 1000000 values at "rows[999][997]"')
  })
})

test('the names that reach prototypes are these three', () => {
  for (const name of ['__proto__', 'constructor', 'prototype'])
    expect(isDangerousName(name)).toBe(true)
  for (const name of [
    '',
    'proto',
    'Prototype',
    'constructors',
    '__proto',
    'toString',
    'hasOwnProperty',
  ])
    expect(isDangerousName(name)).toBe(false)
})

describe('a path', () => {
  const value = copyJson({
    text: 'abc',
    none: null,
    yes: true,
    list: [null, 'x', [7]],
    '0': 'zero',
    length: 3,
  }) as Json

  test.each<[path: string[], found: unknown]>([
    [[], value],
    [['text'], 'abc'],
    [['none'], null],
    [['0'], 'zero'],
    [['length'], 3],
    [['list', '0'], null],
    [['list', '1'], 'x'],
    [['list', '2', '0'], 7],
  ])('%j leads to a value', (path, found) => {
    expect(propertyAt(value, path)).toEqual(found)
  })

  test.each([
    [['more']],
    [['none', 'a']],
    [['none', '0']],
    [['text', '0']],
    [['text', 'length']],
    [['text', 'toString']],
    [['yes', 'valueOf']],
    [['list', 'length']],
    [['list', '3']],
    [['list', '-1']],
    [['list', '01']],
    [['list', '']],
    [['list', '3', '0']],
    [['list', 'length', 'more']],
    [['list', '2', '0', '0']],
    [['more', 'of', 'them']],
  ])('%j leads nowhere', (path) => {
    expect(propertyAt(value, path)).toBeUndefined()
  })
})
