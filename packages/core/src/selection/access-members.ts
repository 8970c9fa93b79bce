import { listsOf, placesOf, windowsOf } from '../execute/index-access.ts'
import {
  type IndexWindow,
  indexOfOrder,
  pageByFilters,
  pageByIndex,
} from '../execute/index-order.ts'
import { Ordering } from '../execute/ordering.ts'
import { predicateFilter } from '../execute/predicate-filter.ts'
import { rangePage } from '../execute/range-page.ts'
import { type RecordTest, type RecordView, recordTest } from '../execute/record-test.ts'
import { runPlan } from '../execute/run-plan.ts'
import { both, EVERYTHING } from '../filter/draft.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { isPageScanned, isWalkShorter, walkOfScan } from '../plan/fast-paths.ts'
import type { IndexPlan, ScanPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex, OrderedEntries } from '../storage/attribute-index.ts'
import { bitsOf, clearBit, setBit, wordsFor } from '../storage/bitset.ts'
import { WordColumn } from '../storage/column.ts'
import type { PastRecord } from '../storage/history.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import {
  contains,
  countOf,
  denseSet,
  type RecordSet,
  slotsOf,
  wordsOf,
} from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Access } from './members.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * A page, in record order, of what one access path selects. Null if it is better to materialise the
 * members first. Cost: O(page) for the whole table and for a posting list; else it visits the
 * entries of the index (`lowestOf`), or scans the column until the page is full.
 */
export function pageOfAccess(
  port: SelectionPort,
  table: Table,
  plan: Access,
  skip: number,
  top: number,
): number[] | null {
  if (plan.kind === 'none' || top <= 0) return []
  if (plan.kind === 'all') {
    const end = Math.min(table.liveCount, skip + top)
    if (table.liveCount !== table.length) return bitsOf(table.live, skip, end - skip)
    const out: number[] = []
    for (let slot = skip; slot < end; slot++) out.push(slot)
    return out
  }
  const { places } = plan
  if (places.version !== table.version) return null
  if (places.kind === 'slots' && places.many.length === 1) return skip === 0 ? [places.many[0]] : []
  const index = table.indexes[plan.attribute.ordinal] as AttributeIndex
  if (places.kind === 'list' && index.postings !== null) {
    const { data } = index.postings
    const start = index.postings.start(places.first) + skip
    // A plain array: creating a typed one of a page's size costs more than filling it.
    const out: number[] = new Array(Math.max(0, Math.min(plan.rows - skip, top)))
    for (let i = 0; i < out.length; i++) out[i] = data[start + i]
    return out
  }
  // A page of most members costs as much as all of them.
  if (places.kind === 'slots' || (skip + top) * 2 > plan.rows) return null
  const isRange = index.ordered !== null && places.kind !== 'lists'
  if (isRange && isPageScanned(table.length, plan.rows, skip + top))
    return scanForPage(port, table, plan, skip, top)
  return lowestOf(port, table, index, plan, skip, top)
}

/**
 * The lowest record numbers of several posting lists or of a range. It collects and sorts the
 * record numbers below a bound, which is chosen to leave a few more than the page needs. Cost: each
 * entry of a range, or the entries below the bound of each list.
 */
function lowestOf(
  { database }: SelectionPort,
  table: Table,
  index: AttributeIndex,
  plan: IndexPlan,
  skip: number,
  top: number,
): number[] {
  const lists = listsOf(plan.places)
  const windows = windowsOf(plan.places)
  const needed = skip + top
  const room = database.scratch.take(plan.rows + 1)
  // The expected number below the bound, if records are spread evenly: `needed` and two standard
  // deviations.
  let bound = Math.ceil(((needed + 2 * Math.sqrt(needed)) / plan.rows) * table.length)
  let count = 0
  for (;;) {
    count = 0
    for (let i = 0; i < lists.length; i++)
      count = (index.postings as PostingLists).copyBelow(bound, lists[i], room, count)
    for (let i = 0; i < windows.length; i += 2)
      count = (index.ordered as OrderedEntries).copyBelow(
        bound,
        windows[i],
        windows[i + 1],
        room,
        count,
      )
    if (count >= needed || bound >= table.length) break
    bound *= 2
  }
  const page = database.scratch.sorter.sorted(room, count, table.length, skip, needed)
  database.scratch.release(room)
  return page
}

/** Scans the column from its start until the page is full. */
function scanForPage(
  port: SelectionPort,
  table: Table,
  plan: IndexPlan,
  skip: number,
  top: number,
): number[] {
  const { attribute, predicate, ranges } = plan
  const inRange = rangePage(table, attribute.ordinal, ranges, skip, top)
  if (inRange !== null) return inRange
  const filter = predicateFilter(port.database, table, predicate)
  // A quarter more than the page is expected to need.
  const step = Math.min(
    table.length,
    64 + Math.ceil((((skip + top) * table.length) / plan.rows) * 1.25),
  )
  const chunk = port.database.scratch.take(step)
  const out: number[] = []
  let passed = 0
  for (let from = 0; from < table.length && out.length < top; from += step) {
    const found = filter.scan(from, Math.min(table.length, from + step), chunk)
    for (let i = Math.max(0, skip - passed); i < found && out.length < top; i++) out.push(chunk[i])
    passed += found
  }
  port.database.scratch.release(chunk)
  return out
}

/**
 * An ordered page, read from the order's index. Null unless the members are all records or a range
 * of that index.
 */
export function orderedPageOfAccess(
  port: SelectionPort,
  table: Table,
  plan: Access,
  orderBy: OrderBy,
  skip: number,
  top: number,
): Int32Array | null {
  const index = indexOfOrder(table, orderBy)
  if (index === null || plan.kind === 'none') return null
  if (plan.kind === 'all')
    return pageByIndex(port.database, table, index, orderBy, null, null, skip, top)
  const window = windowOf(table, index, plan)
  return window === null
    ? null
    : pageByIndex(port.database, table, index, orderBy, null, window, skip, top)
}

/** The entries of an index that hold exactly a plan's records; null if there are none such. */
export function windowOf(table: Table, index: AttributeIndex, plan: IndexPlan): IndexWindow | null {
  if (plan.attribute !== index.column.attribute) return null
  const places = placesOf(table, plan)
  if (places?.kind === 'window') return { kind: 'ranks', from: places.first, to: places.end }
  const isOfWords =
    index.column instanceof WordColumn && (places?.kind === 'list' || places?.kind === 'lists')
  return isOfWords ? { kind: 'lists', lists: listsOf(places) } : null
}

/**
 * An ordered page of what a scan selects: walks the order's index and tests its records until the
 * page is full. Null if the scan is shorter, by estimate or after half of the entries. Cost:
 * O(entries walked).
 */
export function orderedPageOfScan(
  { database }: SelectionPort,
  table: Table,
  { residual, rows }: ScanPlan,
  orderBy: OrderBy,
  skip: number,
  top: number,
): Int32Array | null {
  const index = indexOfOrder(table, orderBy)
  const most = walkOfScan(table.liveCount, rows, skip + top)
  if (index === null || most === 0) return null
  return pageByFilters(database, table, index, orderBy, residual, skip, top, most)
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
  const walked = walkedPageOfSet(port, table, set, orderBy, skip, top)
  return (
    walked ?? new Ordering(port.database, table, slotsOf(set), orderBy, () => null).page(skip, top)
  )
}

/**
 * An ordered page of a set, read from the order's index. Null if there is none, or if sorting the
 * members is shorter.
 */
export function walkedPageOfSet(
  { database }: SelectionPort,
  table: Table,
  set: RecordSet,
  orderBy: OrderBy,
  skip: number,
  top: number,
): Int32Array | null {
  const count = countOf(set)
  const needed = Math.min(count, skip + top)
  if (needed <= skip) return new Int32Array(0)
  const index = isWalkShorter(table.length, count, needed) ? indexOfOrder(table, orderBy) : null
  if (index === null) return null
  return pageByIndex(
    database,
    table,
    index,
    orderBy,
    (slot) => contains(set, slot),
    null,
    skip,
    top,
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
