import { Ordering } from '../execute/ordering.ts'
import { type RecordTest, type RecordView, recordTest } from '../execute/record-test.ts'
import { runPlan } from '../execute/run-plan.ts'
import { both, EVERYTHING } from '../filter/draft.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { ScanPlan } from '../plan/physical-plan.ts'
import { bitsOf, clearBit, setBit, wordsFor } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import { denseSet, type RecordSet, slotsOf, wordsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Access } from './members.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * A page, in record order, of what one access path selects. Null if it is better to materialise the
 * members first. Cost: O(page) for the whole table; see `pageOfIndex`.
 */
export function pageOfAccess(
  port: SelectionPort,
  table: Table,
  plan: Access,
  skip: number,
  top: number,
): number[] | null {
  if (plan.kind === 'none' || top <= 0) return []
  if (plan.kind === 'index')
    return port.planner.indexing?.page(port.database, table, plan, skip, top) ?? null
  const end = Math.min(table.liveCount, skip + top)
  if (table.liveCount !== table.length) return bitsOf(table.live, skip, end - skip)
  const out: number[] = []
  for (let slot = skip; slot < end; slot++) out.push(slot)
  return out
}

/**
 * An ordered page of a set. It walks the order's index if that is shorter than sorting the members.
 */
export function orderedPageOfSet(
  port: SelectionPort,
  table: Table,
  set: RecordSet,
  orderBy: OrderBy,
  skip: number,
  top: number,
): Int32Array {
  const walked = port.planner.indexing?.walkedPage(port.database, table, set, orderBy, skip, top)
  return (
    walked ?? new Ordering(port.database, table, slotsOf(set), orderBy, () => null).page(skip, top)
  )
}

/**
 * The members as of when the plan was created. `past` holds the records that changed since, as they
 * were; null if there are none. The predicate is planned again, because indexes may have been added
 * or dropped.
 */
export function membersAsOf(
  port: SelectionPort,
  table: Table,
  plan: Access | ScanPlan,
  past: ReadonlyMap<number, PastRecord> | null,
): RecordSet {
  if (past === null || plan.kind === 'none') return runPlan(plan, port.database)
  const predicate =
    plan.kind === 'index' ? plan.predicate : plan.kind === 'scan' ? both(plan.residual) : EVERYTHING
  const now = port.database.select(table.model, predicate)
  if (past.size === 0) return now
  let length = table.length
  for (const slot of past.keys()) length = Math.max(length, slot + 1)
  const words = new Int32Array(wordsFor(length))
  const present = wordsOf(now, port.database.allocator)
  words.set(present.length > words.length ? present.subarray(0, words.length) : present)
  // Access paths and scans test stored values of the record only.
  const test = recordTest(predicate) as RecordTest
  for (const [slot, record] of past) {
    if (record.existed && test(recordAsOf(table, slot, record))) setBit(words, slot)
    else clearBit(words, slot)
  }
  return denseSet(words)
}

const recordAsOf = (table: Table, slot: number, { values }: PastRecord): RecordView => ({
  read: (ordinal) =>
    values.has(ordinal) ? (values.get(ordinal) ?? null) : table.read(slot, ordinal),
  follow: () => null,
})
