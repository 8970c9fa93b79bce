import type { Database } from '../execute/database.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { LiveDelta } from '../model/live-types.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import type { Table } from '../storage/table.ts'
import { changeOfResult, type Standing, type Touched } from './live-change.ts'

const NONE: readonly never[] = Object.freeze([])

/**
 * The delta of a result, from records that are or were in it; null if it did not change. `order`
 * has the keys of a page whose order changed.
 */
export function deltaOf(
  { database, moment }: SelectionPort,
  table: Table,
  orderBy: OrderBy | null,
  standings: Iterable<Standing>,
  saved: Touched,
  order: readonly (string | number)[] | null,
): LiveDelta | null {
  const change = changeOfResult(table, standings, saved, order !== null)
  if (change === null) return null
  const { entered, changed, left } = change
  return Object.freeze<LiveDelta>({
    globalStamp: moment.globalStamp,
    entered: entitiesInOrder(database, table, entered, orderBy),
    changed: entitiesInOrder(database, table, changed, orderBy),
    left: left.length === 0 ? NONE : Object.freeze(left),
    order: order === null ? null : Object.freeze(order.slice()),
  })
}

function entitiesInOrder(
  database: Database,
  table: Table,
  slots: readonly number[],
  orderBy: OrderBy | null,
): readonly AnyEntity[] {
  if (slots.length === 0) return NONE
  if (slots.length === 1) return Object.freeze([database.entityAt(table, slots[0])])
  const ascending = Int32Array.from(slots).sort()
  const ordered = orderBy === null ? ascending : sortSlots(database, table, ascending, orderBy)
  return Object.freeze(entitiesAt(database, table, ordered))
}

export function entitiesAt(database: Database, table: Table, slots: Int32Array): AnyEntity[] {
  return Array.from(slots, (slot) => database.entityAt(table, slot))
}
