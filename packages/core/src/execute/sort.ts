import type { OrderBy } from '../filter/predicate.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { comparatorOf, orderKeys } from './order-keys.ts'
import { positionsInTurns } from './sort-in-turns.ts'
import type { Slots, Turns } from './turns.ts'

/**
 * Records in an order, ties by record number. Takes them in any order; `past` as in `orderKeys`.
 * Cost O(n log n) comparisons, of numbers but for texts that begin alike.
 */
export function sortSlots(
  database: Database,
  table: Table,
  slots: Int32Array,
  orderBy: OrderBy,
  past: ReadonlyMap<number, PastRecord> | null = null,
): Int32Array {
  const { turns } = database
  const order = (): Int32Array => {
    const keys = orderBy.map((term) => orderKeys(database, table, term, slots, past))
    const compare = comparatorOf(orderBy, keys, slots)
    return orderedPositions(turns, ['order', orderBy], slots, compare).map((at) => slots[at])
  }
  // What is kept is nobody's to change.
  return turns === null || past !== null ? order() : turns.once(['ordered', orderBy], order, slots).slice()
}

/** The positions of `slots` in the order of a comparison that calls no two of them equal; `question` says which order it is. */
export function orderedPositions(
  turns: Turns | null,
  question: readonly unknown[],
  slots: Slots,
  compare: (a: number, b: number) => number,
): Int32Array {
  if (turns !== null) return positionsInTurns(turns, question, slots, compare)
  const positions = new Int32Array(slots.length)
  for (let i = 0; i < positions.length; i++) positions[i] = i
  return positions.sort(compare)
}

/**
 * Puts some ranges of `slots` into an order each, in place, ties by record number: `ranges` holds their beginnings and ends in turn.
 * Keys are read once for all of them, for they are many and short: records of equal salary on a page.
 */
export function sortRanges(
  database: Database,
  table: Table,
  slots: Int32Array,
  ranges: readonly number[],
  orderBy: OrderBy,
): void {
  if (database.turns !== null) ranges = shortRanges(database, table, slots, ranges, orderBy)
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1] - ranges[i]
  const tied = new Int32Array(count)
  const positions = new Int32Array(count)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    for (let place = ranges[i]; place < ranges[i + 1]; place++, at++) {
      tied[at] = slots[place]
      positions[at] = at
    }
  }
  const keys = orderBy.map((term) => orderKeys(database, table, term, tied, null))
  const compare = comparatorOf(orderBy, keys, tied)
  for (let i = 0, at = 0; i < ranges.length; i += 2) {
    const from = at
    at += ranges[i + 1] - ranges[i]
    sortPart(positions, from, at, compare)
    for (let j = from; j < at; j++) slots[ranges[i] + j - from] = tied[positions[j]]
  }
}

/** What is left of ranges when the long ones, which may take several turns, are in order. */
function shortRanges(
  database: Database,
  table: Table,
  slots: Int32Array,
  ranges: readonly number[],
  orderBy: OrderBy,
): readonly number[] {
  const short: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i]
    const to = ranges[i + 1]
    if (to - from <= LONG) short.push(from, to)
    else slots.set(sortSlots(database, table, slots.slice(from, to), orderBy), from)
  }
  return short
}

/** Ranges above this length are sorted each by itself. */
const LONG = 1024

/** Few are inserted one after the other: a call of `sort` takes longer than that. */
function sortPart(positions: Int32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  if (to - from > 8) {
    positions.subarray(from, to).sort(compare)
    return
  }
  for (let i = from + 1; i < to; i++) {
    const moved = positions[i]
    let at = i
    for (; at > from && compare(positions[at - 1], moved) > 0; at--) positions[at] = positions[at - 1]
    positions[at] = moved
  }
}

/**
 * The first `count` records of an order. Where the first term is a number or text, a threshold is found by selection first, and only
 * what lies within it is sorted: O(n) and O(count log count).
 */
export function topSlots(
  database: Database,
  table: Table,
  slots: Int32Array,
  orderBy: OrderBy,
  count: number,
): Int32Array {
  if (!isFewOf(count, slots.length)) return sortSlots(database, table, slots, orderBy).subarray(0, count)
  const first = orderKeys(database, table, orderBy[0], slots, null)
  if (first.kind === 'mixed') return sortSlots(database, table, slots, orderBy).subarray(0, count)
  const numbers = first.kind === 'number' ? first.keys : first.prefixes
  const keys = orderBy[0].descending ? numbers.map((key) => -key) : numbers
  const threshold = selectKth(Float64Array.from(keys), count - 1)
  const survivors: number[] = []
  for (let i = 0; i < keys.length; i++) if (keys[i] <= threshold) survivors.push(slots[i])
  return sortSlots(database, table, Int32Array.from(survivors), orderBy).subarray(0, count)
}

/** True when looking for the first `count` before sorting is worth it. */
export const isFewOf = (count: number, all: number): boolean => count * 4 < all && all >= 256

/** The value that `k` others precede. Quickselect, median of three: O(n) on average; reorders `values`. */
function selectKth(values: Float64Array, k: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const pivot = medianOf(values[low], values[middle], values[high])
    let i = low
    let j = high
    while (i <= j) {
      while (values[i] < pivot) i++
      while (values[j] > pivot) j--
      if (i <= j) {
        const swap = values[i]
        values[i++] = values[j]
        values[j--] = swap
      }
    }
    if (k <= j) high = j
    else if (k >= i) low = i
    else return values[k]
  }
  return values[k]
}

const medianOf = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
