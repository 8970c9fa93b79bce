import type { Database } from '../execute/database.ts'
import { livingSlots } from '../execute/listed-slots.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'

/** Records in record order, or values that were derived from each of them. */
export interface Members {
  /** Record numbers. Null for all numbers below `count`, and for derived values. */
  readonly slots: Int32Array | null
  readonly count: number
  /** The record numbers that all derived values come from: it identifies them in a sliced read. */
  readonly origin: Int32Array | null
}

/** The members of a set, or every living record if it is null. */
export function membersOf({ slices }: Database, table: Table, set: RecordSet | null): Members {
  if (set === null && table.liveCount === table.length)
    return { slots: null, count: table.length, origin: null }
  return listed(livingSlots(slices, table, set))
}

export const listed = (slots: Int32Array): Members => ({
  slots,
  count: slots.length,
  origin: slots,
})

/** Values by place that were derived from members. */
export const derived = ({ origin }: Members, count: number): Members => ({
  slots: null,
  count,
  origin,
})

export const slotOf = ({ slots }: Members, at: number): number => (slots === null ? at : slots[at])

/** Returns what `find` makes of members, which a sliced read does once. */
export const onceForMembers = <T>(
  { slices }: Database,
  memoKey: readonly unknown[],
  { origin }: Members,
  find: () => T,
): T => (slices === null ? find() : slices.once(memoKey, find, origin))

/** Steps that read records count as visits of a sliced read; passes over codes do not. */
export const READS_RECORDS = 1

/**
 * Runs a loop over members, in a sliced read in blocks. A body that runs code of the application
 * must only write values by place: a time slice may end within a block, which then runs again.
 */
export function forMembers<S>(
  { slices }: Database,
  memoKey: readonly unknown[],
  { origin, count }: Members,
  start: () => S,
  body: (state: S, from: number, to: number) => void,
  visits = 0,
): S {
  if (slices !== null) return slices.loop(memoKey, origin, count, start, body, visits)
  const state = start()
  if (count > 0) body(state, 0, count)
  return state
}
