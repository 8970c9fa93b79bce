import { compareSortSteps } from '../storage/slot-sorter.ts'
import { type BuildSteps, inBlocks } from '../storage/text-prefixes.ts'
import type { OrderKeys } from './order-keys.ts'

/** Fewer items are sorted by insertion, which takes less than a call of `sort`. */
const MAX_INSERTED = 12

/**
 * Sorts some ranges of `items`, in place: `ranges` holds their beginnings and ends, alternating.
 * `comparing` takes the items of all ranges, which are many and short, and returns a comparison of
 * two of them by their places in that list.
 */
export function sortRanges(
  items: Int32Array,
  ranges: readonly number[],
  comparing: (tied: Int32Array) => (a: number, b: number) => number,
  tied = itemsIn(items, ranges),
): void {
  const positions = new Int32Array(tied.length)
  for (let i = 0; i < positions.length; i++) positions[i] = i
  const compare = comparing(tied)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    const from = at
    at += ranges[i + 1] - ranges[i]
    sortPart(positions, from, at, compare)
    for (let j = from; j < at; j++) items[ranges[i] + j - from] = tied[positions[j]]
  }
}

/** The items of some ranges, one after the other. */
export function itemsIn(items: Int32Array, ranges: readonly number[]): Int32Array {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1] - ranges[i]
  const found = new Int32Array(count)
  for (let i = 0, at = 0; i < ranges.length; i += 2)
    for (let place = ranges[i]; place < ranges[i + 1]; place++) found[at++] = items[place]
  return found
}

/** Sorts ranges, given as their beginnings and ends, by a comparison of items, in place. */
export function* sortItems(
  items: Int32Array,
  ranges: readonly number[],
  compare: (a: number, b: number) => number,
): BuildSteps {
  for (let at = 0; at < ranges.length; at += 2) {
    at = sortShort(items, ranges, at, compare)
    if (at < ranges.length)
      yield* compareSortSteps(items.subarray(ranges[at], ranges[at + 1]), compare)
    yield
  }
}

/** Items that are sorted in one step. */
const ITEMS_PER_STEP = 1024

/** Sorts ranges from `at` on, until it comes to a long one or has sorted many items. */
function sortShort(
  items: Int32Array,
  ranges: readonly number[],
  at: number,
  compare: (a: number, b: number) => number,
): number {
  let left = ITEMS_PER_STEP
  for (; at < ranges.length; at += 2) {
    const from = ranges[at]
    const to = ranges[at + 1]
    left -= to - from
    if (left < 0) break
    sortPart(items, from, to, compare)
  }
  return at
}

/** Sorts the items at the places [`from`, `to`). */
function sortPart(
  items: Int32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
  if (to - from > MAX_INSERTED) {
    items.subarray(from, to).sort(compare)
    return
  }
  for (let i = from + 1; i < to; i++) {
    const moved = items[i]
    let at = i
    for (; at > from && compare(items[at - 1], moved) > 0; at--) items[at] = items[at - 1]
    items[at] = moved
  }
}

/**
 * The first `end` of `count` positions in an order, by binary insertion. For few positions, since
 * each insertion may move all others. Cost O(count) comparisons, O(log end) more for each that is
 * among the first when it is compared.
 */
export function firstPositions(
  count: number,
  end: number,
  compare: (a: number, b: number) => number,
): number[] {
  const first: number[] = []
  for (let position = 0; position < count; position++) {
    const isFull = first.length === end
    if (isFull && compare(position, first[end - 1]) > 0) continue
    let low = 0
    let high = isFull ? end - 1 : first.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(first[middle], position) < 0) low = middle + 1
      else high = middle
    }
    for (let i = isFull ? end - 1 : first.length; i > low; i--) first[i] = first[i - 1]
    first[low] = position
  }
  return first
}

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
export function* bucketsOf(keys: OrderKeys, descending: boolean): BuildSteps<Buckets | null> {
  if (keys.kind === 'mixed') return null
  if (keys.kind === 'number' && keys.limit > 0)
    return yield* distributed(new Int32Array(keys.keys), keys.limit, true, descending)
  const numbers = keys.kind === 'number' ? keys.keys : keys.prefixes
  const count = numbers.length
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  yield* inBlocks(count, (from, to) => {
    let [least, most] = [low, high]
    for (let i = from; i < to; i++) {
      const number = numbers[i]
      if (number === Number.NEGATIVE_INFINITY) continue
      if (number < least) least = number
      if (number > most) most = number
    }
    low = least
    high = most
  })
  // The first bucket, or the last of a descending order, is for nulls.
  const used = Math.min(MAX_BUCKETS, Math.max(64, Math.floor(count / KEYS_PER_BUCKET)))
  const isCounted = keys.kind === 'number' && high - low < used && areWhole(numbers)
  const scale = isCounted || high === low ? 1 : (used - 1) / (high - low)
  if (low > high) return yield* distributed(new Int32Array(count), 1, true, false)
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY && high < Number.POSITIVE_INFINITY))
    return null
  const isExact = isCounted || (low === high && (keys.kind === 'number' || isSame(keys.keys)))
  const buckets = new Int32Array(count)
  const [first, factor] = [low, scale]
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const number = numbers[i]
      // Rounding keeps the order. The highest key stays in the last bucket, however it is rounded.
      if (number !== Number.NEGATIVE_INFINITY)
        buckets[i] = 1 + Math.min(used - 1, Math.floor((number - first) * factor))
    }
  })
  return yield* distributed(buckets, used + 1, isExact, descending)
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
function* distributed(
  bucketOf: Int32Array,
  count: number,
  isExact: boolean,
  descending: boolean,
): BuildSteps<Buckets> {
  const { length } = bucketOf
  const [sign, first] = descending ? [-1, count - 1] : [1, 0]
  const starts = new Int32Array(count + 1)
  yield* inBlocks(length, (from, to) => {
    for (let i = from; i < to; i++) starts[first + sign * bucketOf[i] + 1]++
  })
  for (let b = 0; b < count; b++) starts[b + 1] += starts[b]
  const next = starts.slice(0, count)
  const places = new Int32Array(length)
  yield* inBlocks(length, (from, to) => {
    for (let i = from; i < to; i++) places[next[first + sign * bucketOf[i]]++] = i
  })
  return { places, starts, isExact }
}

/** The bucket that holds a place: the last that begins at or before it. */
export function bucketAt(starts: Int32Array, place: number): number {
  let low = 0
  let high = starts.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (starts[middle] <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** Sorts the keys of all buckets. */
export function sortBuckets(
  { places, starts }: Buckets,
  compare: (a: number, b: number) => number,
): BuildSteps {
  const ranges: number[] = []
  for (let b = 0; b + 1 < starts.length; b++)
    if (starts[b + 1] - starts[b] > 1) ranges.push(starts[b], starts[b + 1])
  return sortItems(places, ranges, compare)
}
