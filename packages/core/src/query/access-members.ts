import { type RecordTest, type RecordView, recordTest } from '../execute/record-test.ts'
import { runPlan } from '../execute/run-plan.ts'
import { listedSlots, type Slots } from '../execute/time-slices.ts'
import { both, EVERYTHING } from '../filter/context.ts'
import type { OrderBy } from '../filter/predicate.ts'
import type { IndexPlan, ScanPlan } from '../plan/physical-plan.ts'
import { bitsOf, clearBit, setBit, wordsFor } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import {
  contains,
  correctedSet,
  countOf,
  denseSet,
  filterSet,
  membersOf,
  type RecordSet,
  wordsOf,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Access, Members } from './members.ts'
import type { AsOf } from './provenance.ts'
import type { SelectionPort } from './selection-port.ts'

/** A page of the whole table, in record order. Cost: O(page), while no record is free. */
function pageOfTable(table: Table, skip: number, top: number): number[] {
  const end = Math.min(table.liveCount, skip + top)
  if (table.liveCount !== table.length) return bitsOf(table.live, skip, end - skip)
  const out: number[] = []
  for (let slot = skip; slot < end; slot++) out.push(slot)
  return out
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
  some: () => false,
})

/**
 * The members of a selection that still exist: computed at the first call, then corrected by the
 * changes of commits.
 */
export class LivingMembers {
  /** The set as of a commit, with the table's `removals` at that time. */
  #cached: {
    readonly globalStamp: number
    readonly removals: number
    readonly set: RecordSet
  } | null = null

  /**
   * Takes all members, and their creation. Cost: O(changes since the last call), and a copy
   * of the set if one of them is a member. The first call costs O(members) if some members were
   * removed before the selection was created.
   */
  of(set: RecordSet, asOf: AsOf, port: SelectionPort): RecordSet {
    const { table } = asOf
    const { removals } = table
    const isAlive = (slot: number): boolean => asOf.isAlive(slot)
    const { allocator } = port.database
    // A transaction that has written may be rolled back, which leaves no trace in the history:
    // nothing it reads is cached.
    if (port.moment.isProvisional) return filterSet(set, isAlive, allocator)
    const cached = this.#cached
    if (cached?.removals === removals) return cached.set
    const base = cached ?? (asOf.removals < 0 ? null : { globalStamp: asOf.globalStamp, set })
    const changed = base === null ? null : port.moment.changedSlots(table, base.globalStamp)
    const living =
      base === null || changed === null
        ? filterSet(set, isAlive, allocator)
        : correctedSet(base.set, changed, (slot) => contains(set, slot) && isAlive(slot), allocator)
    this.#cached = { globalStamp: port.moment.globalStamp, removals, set: living }
    return living
  }
}

// One loop per kind of vector: in a shared loop, V8 would test the kind at every record.

/** The keys of records. Cost: O(records), with a cache miss for each if they are scattered. */
export function keysOf(table: Table, slots: Slots): (string | number)[] {
  const key = table.columns[table.model.key.ordinal]
  if (key.layout !== 'number') {
    const out: string[] = new Array(slots.length)
    for (let i = 0; i < out.length; i++) out[i] = key.read(slots[i]) as string
    return out
  }
  // Keys are never null, so the vector holds the values themselves.
  const { data } = key
  if (!(data instanceof Int32Array)) return wideKeys(data, slots)
  return slots instanceof Int32Array
    ? keysAt(data, slots, 0, slots.length)
    : keysOfSlots(data, slots)
}

/**
 * Keys of records `skip` to `skip + top` of the posting list that a plan reads, without listing the
 * records. Null if the plan does not read one posting list, or if the table changed since planning.
 * Cost: O(answer).
 */
export function keysOfList(
  table: Table,
  { attribute, places, rows }: IndexPlan,
  skip: number,
  top: number,
): number[] | null {
  if (places.kind !== 'list' || places.version !== table.version) return null
  const key = table.columns[table.model.key.ordinal]
  const postings = table.indexes[attribute.ordinal]?.postings ?? null
  if (postings === null || key.layout !== 'number' || !(key.data instanceof Int32Array)) return null
  return keysAt(
    key.data,
    postings.data,
    postings.start(places.first) + skip,
    Math.max(0, Math.min(rows - skip, top)),
  )
}

function keysAt(keys: Int32Array, slots: Int32Array, from: number, count: number): number[] {
  const out: number[] = new Array(count)
  for (let i = 0; i < count; i++) out[i] = keys[slots[from + i]]
  return out
}

function keysOfSlots(keys: Int32Array, slots: readonly number[]): number[] {
  const out: number[] = new Array(slots.length)
  for (let i = 0; i < out.length; i++) out[i] = keys[slots[i]]
  return out
}

function wideKeys(keys: Float64Array, slots: Slots): number[] {
  const out: number[] = new Array(slots.length)
  for (let i = 0; i < out.length; i++) out[i] = keys[slots[i]]
  return out
}

/**
 * Members `skip` to `skip + wanted` of `count`, if that costs less than computing all members in
 * their order; else null. An access path is read from the table, which must be unchanged.
 */
export function pageOfMembers(
  port: SelectionPort,
  table: Table,
  members: Members,
  orderBy: OrderBy | null,
  skip: number,
  wanted: number,
  count: number,
): Int32Array | readonly number[] | null {
  const { database, planner } = port
  const { indexing } = planner
  switch (members.kind) {
    case 'all':
    case 'none':
    case 'index':
      if (orderBy !== null)
        return indexing !== null && wanted < count
          ? indexing.orderedPage(database, table, members, orderBy, skip, wanted)
          : null
      if (members.kind === 'none' || wanted <= 0) return []
      if (members.kind === 'all') return pageOfTable(table, skip, wanted)
      return indexing?.page(database, table, members, skip, wanted) ?? null
    case 'set': {
      const { set } = members
      if (orderBy !== null)
        return indexing !== null && wanted < count
          ? indexing.walkedPage(database, table, set, orderBy, skip, wanted)
          : null
      const isWhole = skip === 0 && wanted === countOf(set)
      if (isWhole && set.kind === 'sparse') return set.slots
      return isWhole ? listedSlots(database.slices, set) : membersOf(set, skip, wanted)
    }
    case 'ordered':
      return wanted < count ? members.ordering.page(skip, wanted) : null
    case 'list':
      return members.slots.subarray(skip, skip + wanted)
    case 'concat': {
      // A page within the first members does not need the second.
      const { first, firstSet } = members
      const isFirst = skip + wanted <= first.count && countOf(firstSet) === first.count
      return isFirst ? first.slots(skip, wanted) : null
    }
    default:
      return null
  }
}
