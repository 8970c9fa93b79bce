import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markCodes, markDoubles, markFlags, markInts } from '../../src/execute/column-loops.ts'
import { bitsOf, wordsFor } from '../../src/storage/bitset.ts'
import { runs } from '../runs.ts'

/** Bounds of a block within a column of up to 200 records. */
const bounds = fc.tuple(fc.nat(200), fc.nat(200))

/**
 * Checks that a loop marks the values of a block that satisfy a test, and keeps the bits of others.
 */
function checkMarks(
  all: readonly number[],
  [a, b]: readonly [number, number],
  mark: (from: number, to: number, words: Int32Array) => void,
  satisfies: (value: number) => boolean,
): void {
  const from = Math.min(a, b, all.length)
  const to = Math.min(Math.max(a, b), all.length)
  const words = new Int32Array(wordsFor(to - from))
  if (words.length > 0) words[0] = 1
  mark(from, to, words)
  const places = all.slice(from, to).flatMap((value, at) => (satisfies(value) ? [at] : []))
  const kept = words.length > 0 ? [0] : []
  expect(bitsOf(words, 0, 200)).toEqual([...new Set([...kept, ...places])])
}

test('codes are found at every position, beside any other codes', () => {
  // Codes whose halves borrow from each other in a subtraction.
  const code = fc.constantFrom(0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff)
  const codes = fc.array(code, { maxLength: 200 })
  fc.assert(
    fc.property(codes, code, bounds, fc.boolean(), (all, wanted, block, isWide) => {
      const column = isWide ? Uint32Array.from(all) : Uint16Array.from(all)
      checkMarks(
        all,
        block,
        (from, to, words) => markCodes(column, wanted, from, to, words),
        (value) => value === wanted,
      )
    }),
    runs(500),
  )
})

test('ranges and flags are found at every position', () => {
  const value = fc.constantFrom(-(2 ** 31), -1, 0, 1, 2, 3, 2 ** 31 - 1)
  const values = fc.array(value, { maxLength: 200 })
  fc.assert(
    fc.property(values, value, value, bounds, (all, low, high, block) => {
      const isInside = (found: number): boolean => found >= low && found <= high
      const ints = Int32Array.from(all)
      const doubles = Float64Array.from(all)
      const codes = Uint8Array.from(all, (found) => found & 3)
      const flags = Uint8Array.from([0, 1, 2, 3], (found) => +isInside(found))
      checkMarks(all, block, (from, to, out) => markInts(ints, low, high, from, to, out), isInside)
      checkMarks(
        all,
        block,
        (from, to, out) => markDoubles(doubles, low, high, from, to, out),
        isInside,
      )
      checkMarks(
        all,
        block,
        (from, to, out) => markFlags(codes, flags, from, to, out),
        (found) => isInside(found & 3),
      )
    }),
    runs(500),
  )
})
