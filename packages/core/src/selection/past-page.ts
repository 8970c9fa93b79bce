import { indexOfOrder } from '../execute/index-order.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { PastRecord } from '../storage/history.ts'
import { contains, countOf, difference, type RecordSet, sparseSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { orderedPageOfSet } from './access-members.ts'
import type { SelectionPort } from './selection-port.ts'

/** With more changed members than this, or for a page deeper than a share of all members, sorting once is the better way. */
const MAX_CHANGED = 1024
const DEEPEST_SHARE = 1 / 4

/**
 * Members `skip` to `skip + top` of a set in an order, as of the moment that `past` leads back to: members that did not change are
 * walked in the order's index, and the changed ones are merged in by their values of that moment. Null where sorting all members once
 * is better. Cost: that of a page of the present, plus O(k log k) for k changed members.
 */
export function orderedPageAsOf(
  port: SelectionPort,
  table: Table,
  set: RecordSet,
  orderBy: OrderBy,
  past: ReadonlyMap<number, PastRecord>,
  skip: number,
  top: number,
): Int32Array | null {
  const count = countOf(set)
  const changed: number[] = []
  for (const slot of past.keys()) if (contains(set, slot)) changed.push(slot)
  const needed = Math.min(count, skip + top)
  if (changed.length > MAX_CHANGED || needed > count * DEEPEST_SHARE) return null
  if (needed <= skip) return new Int32Array(0)
  if (indexOfOrder(table, orderBy) === null) return null
  changed.sort((a, b) => a - b)
  const unchanged = difference(set, sparseSet(changed), port.database.allocator)
  // At most all changed members stand before the page: the first unchanged one of it is at most so many places further ahead.
  const from = Math.max(0, skip - changed.length)
  const walked = orderedPageOfSet(port, table, unchanged, orderBy, from, needed - from)
  const merged = new Int32Array(walked.length + changed.length)
  merged.set(walked)
  merged.set(changed, walked.length)
  return sortSlots(port.database, table, merged, orderBy, past).slice(skip - from, needed - from)
}
