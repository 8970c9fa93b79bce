import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bitsInto,
  bitsOf,
  clearBit,
  combineWords,
  countBits,
  hasBit,
  nextClearBit,
  setBit,
  wordsFor,
  wordsIntersect,
} from '../../src/storage/bitset.ts'
import { BitsetKernel, WordAllocator } from '../../src/storage/bitset-kernel.ts'
import { runs } from '../runs.ts'

const LENGTH = 300
const members = fc.oneof(
  fc.uniqueArray(fc.nat(LENGTH - 1), { maxLength: 20 }),
  fc.uniqueArray(fc.nat(LENGTH - 1), { minLength: 100, maxLength: LENGTH }),
  fc.constant(Array.from({ length: LENGTH }, (_, i) => i)),
)
function wordsOf(slots: readonly number[], length = LENGTH): Int32Array {
  const words = new Int32Array(wordsFor(length))
  for (const slot of slots) setBit(words, slot)
  return words
}
const sorted = (slots: Iterable<number>) => [...slots].sort((a, b) => a - b)
function slotsOf(words: Int32Array): number[] {
  const out = new Int32Array(LENGTH)
  return [...out.subarray(0, bitsInto(words, out))]
}

test('words behave as sets of numbers', () => {
  fc.assert(
    fc.property(members, members, (a, b) => {
      const left = wordsOf(a)
      const right = wordsOf(b)
      const inB = new Set(b)
      expect(slotsOf(left)).toEqual(sorted(a))
      expect(countBits(left)).toBe(a.length)
      const out = new Int32Array(left.length)
      combineWords('and', left, right, out)
      expect(slotsOf(out)).toEqual(sorted(a.filter((slot) => inB.has(slot))))
      combineWords('except', left, right, out)
      expect(slotsOf(out)).toEqual(sorted(a.filter((slot) => !inB.has(slot))))
      combineWords('or', left, right, out)
      expect(slotsOf(out)).toEqual(sorted(new Set([...a, ...b])))
      expect(wordsIntersect(left, right)).toBe(a.some((slot) => inB.has(slot)))
      for (const slot of b) clearBit(left, slot)
      for (let slot = 0; slot < LENGTH; slot++)
        expect(hasBit(left, slot)).toBe(a.includes(slot) && !inB.has(slot))
    }),
    runs(200),
  )
})

test('sets of different lengths combine as if the shorter one were padded with zeros', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(LENGTH - 1)), fc.uniqueArray(fc.nat(60)), (long, short) => {
      const a = wordsOf(long)
      const b = wordsOf(short, 61)
      const out = new Int32Array(a.length)
      combineWords('or', b, a, out)
      expect(slotsOf(out)).toEqual(sorted(new Set([...long, ...short])))
      combineWords('except', a, b, out)
      expect(slotsOf(out)).toEqual(sorted(long.filter((slot) => !short.includes(slot))))
      const less = new Int32Array(b.length)
      combineWords('and', a, b, less)
      expect(slotsOf(less)).toEqual(sorted(short.filter((slot) => long.includes(slot))))
      expect(hasBit(b, 299)).toBe(false)
    }),
    runs(200),
  )
})

test('pages of members are slices of all', () => {
  fc.assert(
    fc.property(members, fc.nat(320), fc.nat(320), (slots, skip, limit) => {
      const expected = sorted(slots).slice(skip, skip + limit)
      expect(bitsOf(wordsOf(slots), skip, limit)).toEqual(expected)
    }),
    runs(300),
  )
})

test('the next clear bit is the first missing number', () => {
  fc.assert(
    fc.property(members, fc.nat(LENGTH), fc.nat(LENGTH), (slots, from, end) => {
      const all = new Set(slots)
      let expected = from
      while (expected < end && all.has(expected)) expected++
      expect(nextClearBit(wordsOf(slots), from, end)).toBe(from < end ? expected : end)
    }),
    runs(500),
  )
})

test('words from the allocator are zero and not shared', () => {
  const allocator = new WordAllocator(() => BitsetKernel.create())
  const taken = Array.from({ length: 300 }, (_, i) => allocator.take((i * 97) % 3000))
  for (const [i, words] of taken.entries()) {
    expect(words.length).toBe((i * 97) % 3000)
    expect(words.every((word) => word === 0)).toBe(true)
    words.fill(i + 1)
  }
  for (const [i, words] of taken.entries()) expect(words.every((word) => word === i + 1)).toBe(true)
})
