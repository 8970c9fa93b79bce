import type { Predicate } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { conjunctionFilter } from './predicate-filter.ts'
import type { TimeSlices } from './time-slices.ts'

/** Records found so far: the first `count` of a vector with room for all. */
export interface Found {
  readonly slots: Int32Array
  count: number
}

/** The records of a table that pass all tests, block by block. */
export function scanSliced(
  slices: TimeSlices,
  database: Database,
  table: Table,
  residual: readonly Predicate[],
): Readonly<Found> {
  const filter = conjunctionFilter(database, table, residual)
  return slices.loop(
    ['scan', database, table, residual],
    null,
    table.length,
    () => nothingOf(table.length),
    (found, from, to) => {
      found.count += filter.scan(from, to, found.slots.subarray(found.count))
    },
  )
}

/** The same for some records, in their order. */
export function narrowSliced(
  slices: TimeSlices,
  database: Database,
  table: Table,
  residual: readonly Predicate[],
  candidates: Int32Array,
): Readonly<Found> {
  const filter = conjunctionFilter(database, table, residual)
  return slices.loop(
    ['narrow', database, table, residual],
    candidates,
    candidates.length,
    () => nothingOf(candidates.length),
    (found, from, to) => {
      const block = found.slots.subarray(found.count, found.count + to - from)
      block.set(candidates.subarray(from, to))
      found.count += filter.narrow(block, to - from)
    },
  )
}

const nothingOf = (room: number): Found => ({ slots: new Int32Array(room), count: 0 })
