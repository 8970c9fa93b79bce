import type { OrderKeys } from './order-keys.ts'

/** The highest number of buckets, and the keys per bucket if they are spread evenly. */
const MAX_BUCKETS = 1 << 16
const KEYS_PER_BUCKET = 8

/**
 * Places of keys, distributed over buckets: no key of a bucket precedes a key of an earlier bucket.
 */
export interface Buckets {
  /**
   * Bucket `b` holds `places[starts[b]]` up to, not including, `places[starts[b + 1]]`, ascending.
   */
  readonly places: Int32Array
  readonly starts: Int32Array
  /** True if the keys of each bucket are equal. */
  readonly isExact: boolean
}

/**
 * Distributes keys over buckets in the order of the keys. Null if the keys have several types, or
 * if their range is too large for floating-point numbers. Keys that are not all equal give at least
 * two buckets. Cost: O(keys), without comparisons.
 */
export function bucketsOf(keys: OrderKeys, descending: boolean): Buckets | null {
  if (keys.kind === 'mixed') return null
  if (keys.kind === 'number' && keys.limit > 0) {
    const ranks = Int32Array.from(keys.keys)
    return distributed(ranks, keys.limit, true, descending)
  }
  const numbers = keys.kind === 'number' ? keys.keys : keys.prefixes
  const count = numbers.length
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const number = numbers[i]
    if (number === Number.NEGATIVE_INFINITY) continue
    if (number < low) low = number
    if (number > high) high = number
  }
  // The first bucket, or the last of a descending order, is for nulls.
  const used = Math.min(MAX_BUCKETS, Math.max(64, Math.floor(count / KEYS_PER_BUCKET)))
  const isCounted = keys.kind === 'number' && high - low < used && areWhole(numbers)
  const scale = isCounted || high === low ? 1 : (used - 1) / (high - low)
  if (low > high) return distributed(new Int32Array(count), 1, true, false)
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY && high < Number.POSITIVE_INFINITY))
    return null
  const isExact = isCounted || (low === high && (keys.kind === 'number' || isSame(keys.keys)))
  const buckets = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const number = numbers[i]
    // Rounding keeps the order. The highest key stays in the last bucket, however it is rounded.
    if (number !== Number.NEGATIVE_INFINITY)
      buckets[i] = 1 + Math.min(used - 1, Math.floor((number - low) * scale))
  }
  return distributed(buckets, used + 1, isExact, descending)
}

function areWhole(numbers: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++)
    if (numbers[i] !== Number.NEGATIVE_INFINITY && !Number.isInteger(numbers[i])) return false
  return true
}

/** True if all texts are equal, except nulls. */
function isSame(texts: readonly (string | null)[]): boolean {
  const first = texts.find((text) => text !== null)
  return texts.every((text) => text === null || text === first)
}

/**
 * Distributes by counting. `bucketOf` gives the bucket of each key, counted from the end for a
 * descending order.
 */
function distributed(
  bucketOf: Int32Array,
  count: number,
  isExact: boolean,
  descending: boolean,
): Buckets {
  if (descending) for (let i = 0; i < bucketOf.length; i++) bucketOf[i] = count - 1 - bucketOf[i]
  const starts = new Int32Array(count + 1)
  for (let i = 0; i < bucketOf.length; i++) starts[bucketOf[i] + 1]++
  for (let b = 0; b < count; b++) starts[b + 1] += starts[b]
  const next = starts.slice(0, count)
  const places = new Int32Array(bucketOf.length)
  for (let i = 0; i < bucketOf.length; i++) places[next[bucketOf[i]]++] = i
  return { places, starts, isExact }
}
