import type { Slots } from '../execute/time-slices.ts'
import { NULL_INT } from '../storage/column.ts'

/** Aggregates of the numbers of a column. Without any number, `min` is above `max`. */
export interface Folded {
  count: number
  /** Exact only if no partial sum needs rounding: the order of addition is unspecified. */
  sum: number
  min: number
  max: number
}

export const nothingFolded = (): Folded => ({
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
})

/** Adds the aggregates of other numbers. */
export function addFolded(all: Folded, { count, sum, min, max }: Folded): void {
  if (count === 0) return
  all.count += count
  all.sum += sum
  all.min = Math.min(all.min, min)
  all.max = Math.max(all.max, max)
}

/** Adds the numbers of the records at the places [`from`, `to`) of a list. */
export function foldSlots(
  all: Folded,
  data: Float64Array | Int32Array,
  slots: Slots,
  from: number,
  to: number,
): void {
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  let { count, sum, min, max } = all
  for (let i = from; i < to; i++) {
    const value = data[slots[i]]
    if (value === nothing || Number.isNaN(value)) continue
    count++
    sum += value
    if (value < min) min = value
    if (value > max) max = value
  }
  all.count = count
  all.sum = sum
  all.min = min
  all.max = max
}

/** Adds the numbers of the records whose bits are set. */
export function foldBits(all: Folded, data: Float64Array | Int32Array, words: Int32Array): void {
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  let { count, sum, min, max } = all
  for (let i = 0; i < words.length; i++) {
    let word = words[i]
    const base = i << 5
    while (word !== 0) {
      const bit = word & -word
      word ^= bit
      const value = data[base + 31 - Math.clz32(bit)]
      if (value === nothing || Number.isNaN(value)) continue
      count++
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  all.count = count
  all.sum = sum
  all.min = min
  all.max = max
}

const BLOCK = 1024

/**
 * Folds the first `length` numbers of a vector. Nulls do not count; removed records are null too.
 */
export const foldNumbers = (data: Float64Array | Int32Array, length: number): Folded =>
  data instanceof Int32Array ? foldInts(data, length) : foldDoubles(data, length)

// Both test for nulls once per block until they find one, which saves a test per record.
// Both use several sums, because an addition waits for the one before it.

/** Null is the least of all integers, so the minimum shows whether there was one. */
function foldInts(data: Int32Array, length: number): Folded {
  let count = length
  let sum = 0
  let min = 2147483647
  let max = NULL_INT
  let hasNulls = false
  for (let from = 0; from < length; from += BLOCK) {
    const end = Math.min(length, from + BLOCK)
    let slot = from
    if (!hasNulls) {
      const minBefore = min
      let sumA = 0
      let sumB = 0
      for (const last = end - 1; slot < last; slot += 2) {
        const a = data[slot]
        const b = data[slot + 1]
        sumA += a
        sumB += b
        if (a < min) min = a
        if (a > max) max = a
        if (b < min) min = b
        if (b > max) max = b
      }
      hasNulls = min === NULL_INT
      if (hasNulls) {
        min = minBefore
        slot = from
      } else sum += sumA + sumB
    }
    for (; slot < end; slot++) {
      const value = data[slot]
      if (value === NULL_INT) {
        count--
        continue
      }
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  return { count, sum, min, max }
}

/**
 * Null is NaN: it makes the sum of its block NaN, and comparisons with it are false. Minimum and
 * maximum rarely change, so one condition tests four values.
 */
function foldDoubles(data: Float64Array, length: number): Folded {
  let count = length
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let hasNulls = false
  for (let from = 0; from < length; from += BLOCK) {
    const end = Math.min(length, from + BLOCK)
    let slot = from
    if (!hasNulls) {
      let sumA = 0
      let sumB = 0
      let sumC = 0
      let sumD = 0
      for (const last = end - 3; slot < last; slot += 4) {
        const a = data[slot]
        const b = data[slot + 1]
        const c = data[slot + 2]
        const d = data[slot + 3]
        sumA += a
        sumB += b
        sumC += c
        sumD += d
        if (a < min || b < min || c < min || d < min) {
          if (a < min) min = a
          if (b < min) min = b
          if (c < min) min = c
          if (d < min) min = d
        }
        if (a > max || b > max || c > max || d > max) {
          if (a > max) max = a
          if (b > max) max = b
          if (c > max) max = c
          if (d > max) max = d
        }
      }
      const blockSum = sumA + sumB + (sumC + sumD)
      hasNulls = Number.isNaN(blockSum)
      if (!hasNulls) sum += blockSum
      else slot = from
    }
    for (; slot < end; slot++) {
      const value = data[slot]
      if (Number.isNaN(value)) {
        count--
        continue
      }
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  return { count, sum, min, max }
}

/** Every double is a whole number of steps of 2^-1074. */
const STEP_EXPONENT = -1074
/**
 * More bits than a double has. The dropped bits are summarised in the last one, so that the result
 * is rounded once.
 */
const KEPT_BITS = 64

/**
 * The sum of finite doubles, rounded once, also if partial sums exceed the range of doubles.
 * Infinite if the sum itself does. Cost: O(values) of arithmetic with 2100 bits, a hundred times
 * that of doubles.
 */
export function wideSum(values: Iterable<number>): number {
  const view = new DataView(new ArrayBuffer(8))
  let steps = 0n
  for (const value of values) steps += stepsOf(value, view)
  return doubleOf(steps)
}

function stepsOf(value: number, view: DataView): bigint {
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  const exponent = bits >> 52n
  const fraction = BigInt.asUintN(52, bits)
  const size = exponent === 0n ? fraction : (fraction + (1n << 52n)) << (exponent - 1n)
  return value < 0 ? -size : size
}

/** The double nearest to a whole number of steps of 2^-1074. */
export function doubleOf(steps: bigint): number {
  const size = steps < 0n ? -steps : steps
  const dropped = Math.max(0, size.toString(16).length * 4 - KEPT_BITS)
  let kept = size >> BigInt(dropped)
  // The last bit is sticky: it is set if any dropped bit was.
  if (kept << BigInt(dropped) !== size) kept |= 1n
  const half = (dropped + STEP_EXPONENT) / 2
  // Two factors, because their product may be smaller than any double.
  const result = Number(kept) * 2 ** Math.ceil(half) * 2 ** Math.floor(half)
  return steps < 0n ? -result : result
}
