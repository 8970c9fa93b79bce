import type { Database, Operators } from '../execute/database.ts'
import type { endOfIndex } from '../execute/index-ends.ts'
import type { indexOfOrder } from '../execute/index-order.ts'
import type { PreparedFilter } from '../filter/bind-filter.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { IndexPlan, PhysicalPlan } from '../plan/physical-plan.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import type { Counts } from '../plan/statistics.ts'
import type { IndexFactory } from '../storage/attribute-index.ts'
import type { BitsetKernel } from '../storage/bitset-kernel.ts'
import type {
  orderedPageOfAccess,
  orderedPageOfScan,
  pageOfIndex,
  walkedPageOfSet,
  windowOf,
} from './index-pages.ts'
import type { PastPages } from './past-page.ts'

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
  /**
   * The plan of a filter that a template has bound; null for other filters, or without an index.
   */
  planOfRange(filter: BoundFilter): IndexPlan | null
  readonly page: typeof pageOfIndex
  readonly orderedPage: typeof orderedPageOfAccess
  readonly orderedPageOfScan: typeof orderedPageOfScan
  readonly walkedPage: typeof walkedPageOfSet
  readonly PastPages: typeof PastPages
  readonly indexOfOrder: typeof indexOfOrder
  readonly windowOf: typeof windowOf
  readonly endOf: typeof endOfIndex
}
