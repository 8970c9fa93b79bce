import { describe, expect, test } from 'vitest'
import {
  bitsInto,
  bitsOf,
  clearBit,
  combineWords,
  countBits,
  hasBit,
  nextClearBit,
  orBits,
  type SetOperator,
  setBit,
  wordFrom,
  wordsFor,
  wordsIntersect,
} from '../../src/storage/bitset.ts'
import { runs } from '../runs.ts'
import { dice, upTo } from './dice.ts'

/** Words with random members: none, few, half, nearly all, all. */
function wordsOf(count: number, seed: number): Int32Array {
  const roll = dice(seed)
  const words = new Int32Array(count)
  const most = [0, 1, 4, 7, 8][seed % 5]
  for (let slot = 0; slot < count * 32; slot++) if (roll(8) < most) setBit(words, slot)
  return words
}
/** Sets are compared by `hasBit`, which a test below checks against its definition. */
const membersOf = (words: Int32Array): number[] =>
  upTo(words.length * 32).filter((slot) => hasBit(words, slot))

test('bit `n` of a set is bit `n % 32` of word `n / 32`', () => {
  const words = new Int32Array(3)
  for (const slot of [0, 1, 31, 32, 62, 95]) setBit(words, slot)
  expect([...words]).toEqual([2 ** 31 + 3, 1 + 2 ** 30, 2 ** 31].map((word) => word | 0))
  expect(membersOf(words)).toEqual([0, 1, 31, 32, 62, 95])
  for (const slot of [1, 31, 62]) clearBit(words, slot)
  clearBit(words, 5)
  expect(membersOf(words)).toEqual([0, 32, 95])
  for (const beyond of [96, 127, 128, 1000]) expect(hasBit(words, beyond)).toBe(false)
})

test('`wordsFor` gives the number of words that hold so many records', () => {
  expect([0, 1, 31, 32, 33, 64, 65].map(wordsFor)).toEqual([0, 1, 1, 1, 2, 2, 3])
})

const OPERATORS: Readonly<Record<SetOperator, (isInA: boolean, isInB: boolean) => boolean>> = {
  and: (isInA, isInB) => isInA && isInB,
  or: (isInA, isInB) => isInA || isInB,
  except: (isInA, isInB) => isInA && !isInB,
}
// Eight words are combined at a time.
const LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 24]

describe.each(['and', 'or', 'except'] as const)('%s', (operator) => {
  test('of words of all lengths gives the right members and their count', () => {
    for (const left of LENGTHS)
      for (const right of LENGTHS)
        for (let seed = 0; seed < runs(5).numRuns; seed++) {
          const [a, b] = [wordsOf(left, seed), wordsOf(right, seed * 2 + 3)]
          const length =
            operator === 'and'
              ? Math.min(left, right)
              : operator === 'or'
                ? Math.max(left, right)
                : left
          const out = new Int32Array(length).fill(-1)
          const count = combineWords(operator, a, b, out)
          const expected = upTo(Math.max(left, right) * 32).filter((slot) =>
            OPERATORS[operator](hasBit(a, slot), hasBit(b, slot)),
          )
          expect(count).toBe(expected.length)
          if (operator === 'and') expect(wordsIntersect(a, b)).toBe(expected.length > 0)
          expect(membersOf(out).join()).toBe(expected.join())
        }
  })
})

test('members are counted and listed in ascending order', () => {
  for (let seed = 0; seed < 20; seed++) {
    const words = wordsOf(seed % 7, seed)
    const expected = membersOf(words)
    expect(countBits(words)).toBe(expected.length)
    const out = new Int32Array(expected.length + 1).fill(-1)
    expect(bitsInto(words, out)).toBe(expected.length)
    expect([...out]).toEqual([...expected, -1])
  }
})

test('a page of members is a slice of all members, across word boundaries', () => {
  for (let seed = 0; seed < 10; seed++) {
    const words = wordsOf(5, seed)
    const expected = membersOf(words)
    const whole = [
      0,
      1,
      2,
      31,
      32,
      33,
      63,
      64,
      65,
      96,
      159,
      160,
      161,
      expected.length - 1,
      expected.length,
    ]
    for (const skip of whole)
      for (const limit of [0, 1, 2, 31, 32, 33, 64, 200])
        if (skip >= 0)
          expect(bitsOf(words, skip, limit).join()).toBe(expected.slice(skip, skip + limit).join())
  }
})

test('bits are read and set at any place, across word boundaries', () => {
  for (let seed = 0; seed < 10; seed++) {
    const words = wordsOf(5, seed)
    const members = membersOf(words)
    for (const slot of [0, 1, 31, 32, 33, 63, 100, 128, 140, 159]) {
      const near = members.filter((member) => member >= slot && member < slot + 32)
      const word = Int32Array.of(wordFrom(words, slot))
      expect(membersOf(word)).toEqual(near.map((member) => member - slot))
      const moved = new Int32Array(11)
      orBits(moved, slot, words)
      expect(membersOf(moved)).toEqual(members.map((member) => member + slot))
    }
  }
})

test('listed bits are numbered from the first on, and end behind a limit', () => {
  for (let seed = 0; seed < 10; seed++) {
    const words = wordsOf(5, seed)
    const members = membersOf(words)
    const out = new Int32Array(160)
    for (const limit of [0, 10, 60, 159]) {
      const count = bitsInto(words, out, 7, limit)
      expect([...out.subarray(0, count)]).toEqual(
        members.slice(0, count).map((member) => member + 7),
      )
      expect(count > limit || count === members.length).toBe(true)
      expect(count).toBeLessThanOrEqual(limit + 32)
    }
  }
})

test('`intersects` is true exactly if two sets share a member, also for sets of different lengths', () => {
  for (const [a, b, expected] of [
    [[], [], false],
    [[0], [0], true],
    [[0], [1], false],
    [[31, 32], [33, 32], true],
    [[31], [32], false],
    [[0, 64], [1, 64], true],
    [[0, 64], [1], false],
    [[95], [0, 95, 300], true],
    [[300], [95], false],
  ] as const) {
    const words = [a, b].map((slots) => {
      const made = new Int32Array(wordsFor(Math.max(-1, ...slots) + 1))
      for (const slot of slots) setBit(made, slot)
      return made
    })
    expect(wordsIntersect(words[0], words[1])).toBe(expected)
    expect(wordsIntersect(words[1], words[0])).toBe(expected)
  }
})

test('the next clear bit is the first missing record number, and at most the end', () => {
  for (let seed = 0; seed < 15; seed++) {
    const words = wordsOf(4, seed)
    // Runs of members that end at a word boundary or cross it.
    for (let slot = 20; slot < 20 + seed * 6; slot++) setBit(words, slot)
    const members = new Set(membersOf(words))
    for (const end of [0, 1, 31, 32, 33, 64, 100, 128])
      for (let from = 0; from <= end; from++) {
        let expected = from
        while (expected < end && members.has(expected)) expected++
        expect(nextClearBit(words, from, end)).toBe(expected)
      }
  }
})
