import type { OrderBy } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { Ordering, type Past } from './ordering.ts'

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
