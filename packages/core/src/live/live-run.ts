import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { isSingleAccess } from '../plan/physical-plan.ts'
import { orderedPageOfSet } from '../selection/access-members.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { LiveSource } from './live-source.ts'

/** The records that a live query selects, in its order. Cost: that of the query. */
export function runSource(port: SelectionPort, source: LiveSource): Int32Array {
  const { dataClass, predicate, orderBy, page } = source
  const { database } = port
  const table = database.tableOf(dataClass)
  if (page !== null && orderBy !== null) return findPage(port, table, source, orderBy)
  const slots = slotsOf(database.select(dataClass, predicate))
  if (page !== null) return slots.slice(page.skip, page.skip + page.top)
  return orderBy === null ? slots : sortSlots(database, table, slots, orderBy)
}

/** Reads a page from an index if a page of a selection would. */
function findPage(
  port: SelectionPort,
  table: Table,
  { dataClass, predicate, page }: LiveSource,
  orderBy: OrderBy,
): Int32Array {
  const { skip, top } = page as NonNullable<LiveSource['page']>
  const { database } = port
  const plan = port.planner.planOf(dataClass, predicate)
  if (isSingleAccess(plan)) {
    const wanted = Math.max(0, Math.min(top, plan.rows - skip))
    const found =
      wanted === 0
        ? null
        : port.planner.indexing?.orderedPage(database, table, plan, orderBy, skip, wanted)
    if (found) return found
  }
  const set = database.select(dataClass, predicate)
  return orderedPageOfSet(port, table, set, orderBy, skip, top)
}
