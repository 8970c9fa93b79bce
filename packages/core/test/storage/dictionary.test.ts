import { describe, expect, test } from 'vitest'
import { Dictionary } from '../../src/storage/dictionary.ts'
import { textKey } from '../../src/value/compare.ts'
import type { Collation } from '../../src/value/types.ts'
import { runs } from '../runs.ts'
import { dice, upTo } from './dice.ts'
import { livingCodes } from './word-codes.ts'

/** A few keys in several spellings each. */
const WORDS = [
  'a',
  'A',
  'á',
  'b',
  'B',
  'c',
  'ca',
  'Ca',
  'cA',
  'CA',
  'd',
  '',
  'zz',
  'Zz',
  'É',
  'e',
  'E',
  '\u{1f600}',
  '\uff5e',
]
const key = (text: string, collation: Collation) => textKey(text, collation)

/** Everything that a dictionary returns; `known` are its words, including those without records. */
function mustKnow(dictionary: Dictionary, known: ReadonlyMap<string, number>): void {
  const { collation } = dictionary
  expect(dictionary.size).toBe(known.size)
  const codes = new Map<string, number>()
  for (const word of WORDS) {
    const code = dictionary.find(word)
    expect(code >= 0).toBe(known.has(word))
    if (code < 0) continue
    expect(code).toBeGreaterThan(0)
    expect(code).toBeLessThan(dictionary.codeLimit)
    expect([dictionary.spellings[code], dictionary.keys[code]]).toEqual([
      word,
      key(word, collation),
    ])
    expect(dictionary.counts[code]).toBe(known.get(word))
    codes.set(word, code)
  }
  expect(new Set(codes.values()).size).toBe(known.size)
  expect([...dictionary.codes()].sort()).toEqual([...codes.values()].sort())
  expect(dictionary.deadWords()).toBe([...known.values()].filter((count) => count === 0).length)
  const keys = new Set([...known.keys()].map((word) => key(word, collation)))
  for (const word of [...WORDS, 'absent']) {
    const shared = [...known.keys()].filter(
      (other) => key(other, collation) === key(word, collation),
    )
    const expected = shared.map((other) => codes.get(other) as number)
    expect([...dictionary.codesOfKey(key(word, collation))].sort()).toEqual(expected.sort())
    expect(dictionary.singleCodeOfKey(key(word, collation))).toBe(
      expected.length === 0 ? 0 : expected.length === 1 ? expected[0] : -1,
    )
    // It may return 0 once two spellings have shared a key.
    const only = dictionary.onlyCodeOf(word)
    if (keys.size === known.size && only !== 0) expect(only).toBe(codes.get(word))
    if (keys.size < known.size || !known.has(word)) expect(only).toBe(0)
  }
  if (dictionary.hasOrder) mustBeOrdered(dictionary, known)
}

function mustBeOrdered(dictionary: Dictionary, known: ReadonlyMap<string, number>): void {
  const order = dictionary.order()
  expect(order.count).toBe(known.size)
  const keys: string[] = []
  const labels: number[] = []
  order.some(false, (code) => {
    keys.push(dictionary.keys[code])
    labels.push(order.labels[code])
    return false
  })
  const sorted = [...known.keys()].map((word) => key(word, dictionary.collation)).sort()
  expect(keys).toEqual(sorted.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  for (let i = 1; i < keys.length; i++)
    expect(Math.sign(labels[i] - labels[i - 1])).toBe(keys[i] === keys[i - 1] ? 0 : 1)
  const living = livingCodes(dictionary).map((code) => dictionary.keys[code])
  const expected = [...known]
    .filter(([, count]) => count > 0)
    .map(([word]) => key(word, dictionary.collation))
  expect(living).toEqual(expected.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
}

describe.each(['folded', 'exact'] as const)('words that are compared %s', (collation) => {
  test('are added and removed at random and stay known until a sweep', () => {
    for (let seed = 1; seed <= runs(6).numRuns; seed++) {
      const roll = dice(seed)
      const dictionary = new Dictionary(collation)
      const known = new Map<string, number>()
      if (seed % 3 === 0) dictionary.order()
      for (let i = 0; i < 60; i++) {
        const word = WORDS[roll(WORDS.length)]
        const act = roll(10)
        if (act < 6) {
          const code = dictionary.admit(word)
          expect(dictionary.find(word)).toBe(code)
          dictionary.counts[code]++
          known.set(word, (known.get(word) ?? 0) + 1)
        } else if (act < 8) {
          dictionary.admit(word)
          if (!known.has(word)) known.set(word, 0)
        } else if (act === 8 && (known.get(word) ?? 0) > 0) {
          dictionary.counts[dictionary.find(word)]--
          known.set(word, (known.get(word) as number) - 1)
        } else if (act === 9 && i % 3 === 0) {
          dictionary.sweep()
          for (const [each, count] of known) if (count === 0) known.delete(each)
        } else if (i === 40) {
          const hadOrder = dictionary.hasOrder
          expect(dictionary.suspendOrder()).toBe(hadOrder)
          expect(dictionary.hasOrder).toBe(false)
          dictionary.order()
        }
        if (i % 4 === seed % 4) mustKnow(dictionary, known)
      }
      mustKnow(dictionary, known)
    }
  })
})

test('codes of swept words are reused, the lowest first, before new ones', () => {
  const dictionary = new Dictionary('exact')
  const codes = upTo(10).map((i) => dictionary.admit(`w${i}`))
  expect(codes).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  for (const code of [1, 3, 4, 6, 9, 10]) dictionary.counts[code] = 1
  dictionary.sweep()
  expect(['w1', 'w4', 'w6', 'w7'].map((word) => dictionary.find(word))).toEqual([-1, -1, -1, -1])
  expect(dictionary.find('w3')).toBe(4)
  expect(['n0', 'n1', 'n2', 'n3', 'n4'].map((word) => dictionary.admit(word))).toEqual([
    2, 5, 7, 8, 11,
  ])
  expect(dictionary.codeLimit).toBe(12)
})

test('the most recently found word is unknown after a sweep removes it', () => {
  const dictionary = new Dictionary('exact')
  dictionary.admit('a')
  expect(dictionary.admit('a')).toBe(1)
  dictionary.sweep()
  expect(dictionary.find('a')).toBe(-1)
  expect(dictionary.onlyCodeOf('a')).toBe(0)
})

test('`onlyCodeOf` returns a code until two spellings share a key, and again after a sweep removes one', () => {
  const dictionary = new Dictionary('folded')
  for (const code of ['a', 'b'].map((word) => dictionary.admit(word))) dictionary.counts[code] = 1
  expect([
    dictionary.onlyCodeOf('a'),
    dictionary.onlyCodeOf('A'),
    dictionary.onlyCodeOf('c'),
  ]).toEqual([1, 0, 0])
  dictionary.admit('A')
  expect([dictionary.onlyCodeOf('a'), dictionary.onlyCodeOf('b')]).toEqual([0, 0])
  dictionary.sweep()
  expect([
    dictionary.onlyCodeOf('a'),
    dictionary.onlyCodeOf('b'),
    dictionary.onlyCodeOf('A'),
  ]).toEqual([1, 2, 0])
})

test('counts and spellings of equal keys survive when the dictionary grows', () => {
  const dictionary = new Dictionary('folded')
  for (const i of upTo(300).map((each) => (each * 7) % 300))
    for (const word of [`${i % 7} customers of ${i}`, `${i % 7} Customers of ${i}`]) {
      const code = dictionary.admit(word)
      dictionary.counts[code] = i + 1
    }
  const { labels } = dictionary.order()
  const keys = livingCodes(dictionary).map((code) => dictionary.keys[code])
  expect(keys).toEqual([...keys].sort())
  for (let i = 0; i < 300; i++) {
    const codes = dictionary.codesOfKey(textKey(`${i % 7} customers of ${i}`, 'folded'))
    expect(labels[codes[0]]).toBe(labels[codes[1]])
    expect(codes.map((code) => dictionary.spellings[code]).sort()).toEqual([
      `${i % 7} Customers of ${i}`,
      `${i % 7} customers of ${i}`,
    ])
    expect(codes.map((code) => dictionary.counts[code])).toEqual([i + 1, i + 1])
  }
  expect(dictionary.counts[0]).toBe(0)
})
