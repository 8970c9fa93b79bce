import type { Database, Operators } from '../execute/database.ts'
import type { IndexWindow } from '../execute/index-order.ts'
import type { PreparedFilter } from '../filter/bind-filter.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { IndexPlan, PhysicalPlan, ScanPlan } from '../plan/physical-plan.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import type { Counts } from '../plan/statistics.ts'
import type { AttributeIndex, IndexFactory } from '../storage/attribute-index.ts'
import type { BitsetKernel } from '../storage/bitset-kernel.ts'
import type { PastRecord } from '../storage/history.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Access } from './members.ts'

/** What pages of the past read: a store now, and what changed since. */
export interface PastSource {
  readonly database: Database
  readonly moment: {
    readonly globalStamp: number
    pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  }
}

/** Ordered pages of a set, as of a moment. */
export interface PagesOfPast {
  /** Members `skip` to `skip + top`; null if sorting all members once is better. */
  page(skip: number, top: number): Int32Array | null
  /** Members that changed, as they were. Throws `historyTrimmed`. */
  past(): ReadonlyMap<number, PastRecord>
}

/**
 * Ordered indexes, the planner that chooses among them, and the reads that they serve: what the
 * capability `indexes` adds. A store without it answers the same, by look-ups of single values,
 * scans and sorts.
 */
export interface IndexSupport {
  readonly factory: IndexFactory
  readonly operators: Operators
  /** The template of a filter that is one range; null for any other. */
  template(prepared: PreparedFilter): RangeTemplate | null
  /** Combines large sets of records; null where the host cannot. */
  createKernel(): BitsetKernel | null
  forReader(database: Database, moment: { readonly isProvisional: boolean }): Indexing
}

/** The plans of one reader, and its reads by index. */
export interface Indexing {
  readonly counts: Counts
  plan(dataClass: ClassModel, predicate: Predicate): PhysicalPlan
  /** All priced plans, the cheapest first. */
  alternatives(dataClass: ClassModel, predicate: Predicate): PhysicalPlan[]
  /** True if testing `count` records one by one is cheaper than the plan. */
  isTestCheaper(count: number, predicate: Predicate, plan: PhysicalPlan): boolean
  /** The plan of a filter that a template has bound; null for other filters, or without an index. */
  planOfRange(filter: BoundFilter): IndexPlan | null
  /** See `pageOfAccess`. */
  page(
    database: Database,
    table: Table,
    plan: IndexPlan,
    skip: number,
    top: number,
  ): number[] | null
  /** See `orderedPageOfAccess`. */
  orderedPage(
    database: Database,
    table: Table,
    plan: Access,
    orderBy: OrderBy,
    skip: number,
    top: number,
  ): Int32Array | null
  /** See `orderedPageOfScan`. */
  orderedPageOfScan(
    database: Database,
    table: Table,
    plan: ScanPlan,
    orderBy: OrderBy,
    skip: number,
    top: number,
  ): Int32Array | null
  /** See `walkedPageOfSet`. */
  walkedPage(
    database: Database,
    table: Table,
    set: RecordSet,
    orderBy: OrderBy,
    skip: number,
    top: number,
  ): Int32Array | null
  /** See `PastPages`. */
  pagesOfPast(
    source: PastSource,
    table: Table,
    set: RecordSet,
    orderBy: OrderBy,
    globalStamp: number,
  ): PagesOfPast
  indexOfOrder(table: Table, orderBy: OrderBy): AttributeIndex | null
  windowOf(table: Table, index: AttributeIndex, plan: IndexPlan): IndexWindow | null
  /** The lowest or highest number of an attribute; null if no index has it. Cost: O(log n). */
  endOf(table: Table, attribute: StorageAttribute, end: 'min' | 'max'): number | null
}
