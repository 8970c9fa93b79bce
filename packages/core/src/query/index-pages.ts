import type { Database } from '../execute/database.ts'
import { endOfIndex, placesOf, windowsOf } from '../execute/index-access.ts'
import { INDEX_OPERATORS } from '../execute/index-operators.ts'
import {
  type IndexWindow,
  indexOfOrder,
  pageByFilters,
  pageByIndex,
} from '../execute/index-order.ts'
import { IndexStatistics, type ScannedMoment } from '../execute/index-statistics.ts'
import { listsOf, rangePage } from '../execute/point-access.ts'
import { predicateFilter } from '../execute/predicate-filter.ts'
import { scoredOrder } from '../execute/relevance.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { residualCost, type Statistics } from '../plan/cost.ts'
import { isPageScanned, isTestCheaper, isWalkShorter, walkOfScan } from '../plan/fast-paths.ts'
import type { IndexPlan, PhysicalPlan, ScanPlan } from '../plan/physical-plan.ts'
import { planAlternatives, planQuery, planRange } from '../plan/plan-query.ts'
import { RangeFilter, rangeTemplate } from '../plan/range-filter.ts'
import {
  type AttributeIndex,
  INDEX_FACTORY,
  type OrderedEntries,
} from '../storage/attribute-index.ts'
import { bitsOf, countBits, wordsFor } from '../storage/bitset.ts'
import { BitsetKernel } from '../storage/bitset-kernel.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { countOf, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Access } from './members.ts'
import { PastPages } from './past-page.ts'

/**
 * A page, in record order, of what one index selects. Null if it is better to materialise the
 * members first. Cost: O(page) for a posting list; else it visits the entries of the index
 * (`lowestOf`), or scans the column until the page is full.
 */
function pageOfIndex(
  database: Database,
  table: Table,
  plan: IndexPlan,
  skip: number,
  top: number,
): number[] | null {
  const { places } = plan
  if (places.version !== table.version) return null
  if (places.kind === 'slots' && places.many.length === 1) return skip === 0 ? [places.many[0]] : []
  if (places.access === 'words') return partOf(places.many, skip, top)
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
    return scanForPage(database, table, plan, skip, top)
  return lowestOf(database, table, index, plan, skip, top)
}

function partOf(slots: ArrayLike<number>, skip: number, top: number): number[] {
  const out: number[] = new Array(Math.max(0, Math.min(slots.length - skip, top)))
  for (let i = 0; i < out.length; i++) out[i] = slots[skip + i]
  return out
}

/**
 * The lowest record numbers of several posting lists or of a range. It collects and sorts the
 * record numbers below a bound, which is chosen to leave a few more than the page needs. Cost: each
 * entry of a range, or the entries below the bound of each list.
 */
function lowestOf(
  database: Database,
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
  database: Database,
  table: Table,
  plan: IndexPlan,
  skip: number,
  top: number,
): number[] {
  const inRange = rangePage(table, plan.attribute.ordinal, plan.ranges, skip, top)
  if (inRange !== null) return inRange
  const filter = predicateFilter(database, table, plan.predicate)
  // A quarter more than the page is expected to need.
  const step = Math.min(
    table.length,
    64 + Math.ceil((((skip + top) * table.length) / plan.rows) * 1.25),
  )
  const out: number[] = []
  let left = skip
  for (let from = 0; from < table.length && out.length < top; from += step) {
    const to = Math.min(table.length, from + step)
    database.scratch.withWords(wordsFor(to - from), (words) => {
      filter.mark(from, to, words)
      for (const place of bitsOf(words, left, top - out.length)) out.push(from + place)
      if (left > 0) left = Math.max(0, left - countBits(words))
    })
  }
  return out
}

/**
 * An ordered page, read from the order's index. Null unless the members are all records or a range
 * of that index.
 */
function orderedPageOfAccess(
  database: Database,
  table: Table,
  plan: Access,
  orderBy: OrderBy,
  skip: number,
  top: number,
): Int32Array | null {
  const index = indexOfOrder(table, orderBy)
  if (index === null || plan.kind === 'none') return null
  const window = plan.kind === 'all' ? null : windowOf(table, index, plan)
  if (plan.kind !== 'all' && window === null) return null
  return pageByIndex(database, table, index, orderBy, null, window, skip, top)
}

/** The entries of an index that hold exactly a plan's records; null if there are none such. */
function windowOf(table: Table, index: AttributeIndex, plan: IndexPlan): IndexWindow | null {
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
function orderedPageOfScan(
  database: Database,
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
 * An ordered page of a set, read from the order's index. Null if there is none, or if sorting the
 * members is shorter.
 */
function walkedPageOfSet(
  database: Database,
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
  return pageByIndex(database, table, index, orderBy, set, null, skip, top)
}

/** The plans of one reader, priced by its counts, and its reads by index. */
export class Indexing {
  readonly counts: Statistics
  readonly page = pageOfIndex
  readonly orderedPage = orderedPageOfAccess
  readonly orderedPageOfScan = orderedPageOfScan
  readonly walkedPage = walkedPageOfSet
  readonly PastPages = PastPages
  readonly indexOfOrder = indexOfOrder
  readonly windowOf = windowOf
  readonly endOf = endOfIndex
  readonly scoredOrder = scoredOrder

  constructor(database: Database, moment: ScannedMoment) {
    this.counts = new IndexStatistics(database, moment)
  }

  plan(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    return planQuery(dataClass, predicate, this.counts)
  }
  /** All priced plans, the cheapest first. */
  alternatives(dataClass: ClassModel, predicate: Predicate): PhysicalPlan[] {
    return planAlternatives(dataClass, predicate, this.counts).sort((a, b) => a.cost - b.cost)
  }
  /** True if testing `count` records one by one is cheaper than the plan. */
  isTestCheaper(count: number, predicate: Predicate, plan: PhysicalPlan): boolean {
    return isTestCheaper(count, residualCost(predicate, this.counts), plan)
  }
  /**
   * The plan of a filter that a template has bound; null for other filters, or without an index.
   */
  planOfRange(filter: BoundFilter): IndexPlan | null {
    return filter instanceof RangeFilter ? planRange(filter, this.counts) : null
  }
}

/**
 * Ordered indexes, the planner that chooses among them, and the reads that they serve: what the
 * capability `indexes` adds. A store without it answers the same, by look-ups of single values,
 * scans and sorts.
 */
export const INDEX_SUPPORT = {
  factory: INDEX_FACTORY,
  operators: INDEX_OPERATORS,
  /** The template of a filter that is one range; null for any other. */
  template: rangeTemplate,
  /** Combines large sets of records; null where the host cannot. */
  createKernel: () => BitsetKernel.create(),
  forReader: (database: Database, moment: ScannedMoment) => new Indexing(database, moment),
}
export type IndexSupport = typeof INDEX_SUPPORT
