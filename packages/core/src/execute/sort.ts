import type { OrderBy } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { Ordering, type Past } from './ordering.ts'
import { slicedPositions } from './sliced-sort.ts'
import type { Slots, TimeSlices } from './time-slices.ts'

/**
 * Sorts records, ties by record number. `past` as in `orderKeys`. Cost: O(n), and comparisons of
 * records with close keys: at most O(n log n), of numbers, or of texts with the same beginning.
 */
export function sortSlots(
  database: Database,
  table: Table,
  slots: Int32Array,
  orderBy: OrderBy,
  past: Past = null,
): Int32Array {
  return new Ordering(database, table, ascending(slots), orderBy, () => past).page(0, slots.length)
}

function ascending(slots: Int32Array): Int32Array {
  for (let i = 1; i < slots.length; i++) if (slots[i] < slots[i - 1]) return slots.slice().sort()
  return slots
}

/**
 * The positions of `slots` in the order of a comparison without ties; `memoKey` identifies the
 * order.
 */
export function orderedPositions(
  slices: TimeSlices | null,
  memoKey: readonly unknown[],
  slots: Slots,
  compare: (a: number, b: number) => number,
): Int32Array {
  if (slices !== null) return slicedPositions(slices, memoKey, slots, compare)
  const positions = new Int32Array(slots.length)
  for (let i = 0; i < positions.length; i++) positions[i] = i
  return positions.sort(compare)
}
