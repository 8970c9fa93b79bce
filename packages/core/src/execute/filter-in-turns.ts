import type { Predicate } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { ColumnFilter } from './column-filter.ts'
import type { Database } from './database.ts'
import { predicateFilter } from './predicate-filter.ts'
import type { Turns } from './turns.ts'

/** Records found so far: the first `count` of a vector with room for all. */
export interface Found {
  readonly slots: Int32Array
  count: number
}

/** The records of a table that pass all tests, block by block. */
export function scanInTurns(
  turns: Turns,
  database: Database,
  table: Table,
  residual: readonly Predicate[],
): Readonly<Found> {
  const [first, ...others] = filtersOf(database, table, residual)
  return turns.loop(
    ['scan', database, table, residual],
    null,
    table.length,
    () => nothingOf(table.length),
    (found, from, to) => {
      const block = found.slots.subarray(found.count)
      found.count += narrowed(others, block, first.scan(from, to, block))
    },
  )
}

/** The same of some records, which are kept in their order. */
export function narrowInTurns(
  turns: Turns,
  database: Database,
  table: Table,
  residual: readonly Predicate[],
  candidates: Int32Array,
): Readonly<Found> {
  const filters = filtersOf(database, table, residual)
  return turns.loop(
    ['narrow', database, table, residual],
    candidates,
    candidates.length,
    () => nothingOf(candidates.length),
    (found, from, to) => {
      const block = found.slots.subarray(found.count, found.count + to - from)
      block.set(candidates.subarray(from, to))
      found.count += narrowed(filters, block, to - from)
    },
  )
}

const nothingOf = (room: number): Found => ({ slots: new Int32Array(room), count: 0 })

const filtersOf = (database: Database, table: Table, residual: readonly Predicate[]): readonly ColumnFilter[] =>
  residual.map((predicate) => predicateFilter(database, table, predicate))

function narrowed(filters: readonly ColumnFilter[], slots: Int32Array, count: number): number {
  for (let i = 0; i < filters.length && count > 0; i++) count = filters[i].narrow(slots, count)
  return count
}
