import type { OrderBy } from '../filter/predicate.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { comparatorOf, orderKeys } from './order-keys.ts'

/**
 * Records in an order, ties by record number. Takes them in any order; `past` as in `orderKeys`.
 * Cost O(n log n) comparisons of numbers where the order is over numbers, dates, booleans or coded text.
 */
export function sortSlots(
  database: Database,
  table: Table,
  slots: Int32Array,
  orderBy: OrderBy,
  past: ReadonlyMap<number, PastRecord> | null = null,
): Int32Array {
  const keys = orderBy.map((term) => orderKeys(database, table, term, slots, past))
  const compare = comparatorOf(orderBy, keys, slots)
  const positions = new Int32Array(slots.length)
  for (let i = 0; i < positions.length; i++) positions[i] = i
  positions.sort(compare)
  for (let i = 0; i < positions.length; i++) positions[i] = slots[positions[i]]
  return positions
}

/**
 * The first `count` records of an order. Where the first term is a number, a threshold is found by selection first, and only what
 * lies within it is sorted: O(n) and O(count log count).
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
  if (first.kind !== 'number') return sortSlots(database, table, slots, orderBy).subarray(0, count)
  const keys = orderBy[0].descending ? first.keys.map((key) => -key) : first.keys
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
