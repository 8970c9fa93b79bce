import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Dictionary } from '../../src/storage/dictionary.ts'
import { textKey } from '../../src/value/compare.ts'
import { TEXTS } from '../arbitraries.ts'
import { runs } from '../runs.ts'
import { labelAfter, livingCodes } from './word-codes.ts'

const word = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.nat(4000).map((n) => `w${n}`),
)
const byKey = (a: string, b: string) => {
  const [left, right] = [textKey(a, 'folded'), textKey(b, 'folded')]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Derives many words from one small number, so that a counterexample is that number. */
function wordsFrom(count: number, seed: number): string[] {
  const words = new Set<string>(seed % 2 === 0 ? TEXTS : [])
  for (let state = seed + 1; words.size < count; state = (state * 48_271) % 2_147_483_647)
    words.add(`w${state % 9973}`)
  return [...words].slice(0, count)
}

test('each word has one code, and labels are in the order of the keys, for any order of arrival', () => {
  const count = fc.oneof(fc.nat(20), fc.integer({ min: 500, max: 1600 }))
  fc.assert(
    fc.property(
      count,
      fc.nat(999_999),
      fc.nat(1600),
      fc.nat(3),
      (many, seed, orderedFrom, dying) => {
        const first = wordsFrom(many, seed)
        const dictionary = new Dictionary('folded')
        const live = new Set<string>()
        const admit = (text: string) => {
          const code = dictionary.admit(text)
          dictionary.counts[code] = 1
          live.add(text)
        }
        for (const [i, each] of first.entries()) {
          if (i === orderedFrom) dictionary.order()
          admit(each)
        }
        for (const [i, each] of first.entries()) {
          if (dying === 0 || i % 7 >= dying * 2) continue
          dictionary.counts[dictionary.find(each)] = 0
          live.delete(each)
        }
        dictionary.sweep()
        for (const each of ['again', ...first.slice(0, 5)]) admit(each)

        expect(dictionary.size).toBe(live.size)
        const codes = new Set<number>()
        for (const each of live) {
          const code = dictionary.find(each)
          expect(dictionary.spellings[code]).toBe(each)
          expect(dictionary.codesOfKey(textKey(each, 'folded'))).toContain(code)
          codes.add(code)
        }
        expect(codes.size).toBe(live.size)
        const inOrder = livingCodes(dictionary).map((code) => dictionary.spellings[code])
        expect(inOrder.length).toBe(live.size)
        const { labels } = dictionary.order()
        for (let i = 1; i < inOrder.length; i++) {
          const order = byKey(inOrder[i - 1], inOrder[i])
          expect(order).not.toBe(1)
          const [left, right] = [
            labels[dictionary.find(inOrder[i - 1])],
            labels[dictionary.find(inOrder[i])],
          ]
          expect(order === 0 ? left === right : left < right).toBe(true)
        }
      },
    ),
    runs(60),
  )
})

test('a label range holds the words between two keys', () => {
  fc.assert(
    fc.property(fc.nat(900), fc.nat(999_999), word, word, (count, seed, from, to) => {
      const given = wordsFrom(count, seed)
      const dictionary = new Dictionary('folded')
      const order = dictionary.order()
      for (const each of given) dictionary.admit(each)
      const [low, high] = [textKey(from, 'folded'), textKey(to, 'folded')]
      const expected = given.filter(
        (each) => textKey(each, 'folded') >= low && textKey(each, 'folded') <= high,
      )
      const codes = order.codesBetween(order.labelAtOrAfter(low), labelAfter(order, high))
      expect(codes.map((code) => dictionary.spellings[code]).sort()).toEqual(expected.sort())
    }),
    runs(100),
  )
})

test('words that always arrive at one place are relabelled before the gaps are used up', () => {
  const dictionary = new Dictionary('exact')
  const order = dictionary.order()
  dictionary.admit('a')
  dictionary.admit('b')
  // Each new word sorts between the previous one and "b".
  for (let n = 0; n < 3000; n++)
    dictionary.admit(`a${'z'.repeat(Math.floor(n / 26))}${String.fromCharCode(97 + (n % 26))}`)
  const codes: number[] = []
  order.some(false, (code) => codes.push(code) < 0)
  for (let i = 1; i < codes.length; i++) {
    expect(dictionary.keys[codes[i - 1]] < dictionary.keys[codes[i]]).toBe(true)
    expect(order.labels[codes[i - 1]]).toBeLessThan(order.labels[codes[i]])
  }
  expect(codes).toHaveLength(dictionary.size)
})

test('`onlyCodeOf` returns a code only if its key has one spelling', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.boolean()), { maxLength: 20 }), (words) => {
      const dictionary = new Dictionary('folded')
      const mustBeTrue = () => {
        for (const [text] of words) {
          const code = dictionary.onlyCodeOf(text)
          if (code !== 0) expect(dictionary.codesOfKey(textKey(text, 'folded'))).toEqual([code])
        }
      }
      for (const [text, isLiving] of words) {
        const code = dictionary.admit(text)
        if (isLiving) dictionary.counts[code] = 1
        mustBeTrue()
      }
      dictionary.sweep()
      mustBeTrue()
    }),
    runs(200),
  )
})
