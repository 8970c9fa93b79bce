import type { Database } from '../execute/database.ts'
import { endOfIndex } from '../execute/index-ends.ts'
import { INDEX_OPERATORS } from '../execute/index-operators.ts'
import { indexOfOrder } from '../execute/index-order.ts'
import { IndexStatistics } from '../execute/index-statistics.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { residualCost } from '../plan/cost.ts'
import { isTestCheaper } from '../plan/fast-paths.ts'
import type { IndexPlan, PhysicalPlan } from '../plan/physical-plan.ts'
import { planAlternatives, planQuery, planRange } from '../plan/plan-query.ts'
import { RangeFilter, rangeTemplate } from '../plan/range-filter.ts'
import type { Statistics } from '../plan/statistics.ts'
import { BitsetKernel } from '../storage/bitset-kernel.ts'
import { INDEX_FACTORY } from '../storage/index-factory.ts'
import {
  orderedPageOfAccess,
  orderedPageOfScan,
  pageOfIndex,
  walkedPageOfSet,
  windowOf,
} from './index-pages.ts'
import type { Indexing, IndexSupport } from './indexing.ts'
import { PastPages } from './past-page.ts'

/** Prices plans by the counts of one reader. */
class ReaderIndexing implements Indexing {
  readonly counts: Statistics
  readonly page = pageOfIndex
  readonly orderedPage = orderedPageOfAccess
  readonly orderedPageOfScan = orderedPageOfScan
  readonly walkedPage = walkedPageOfSet
  readonly PastPages = PastPages
  readonly indexOfOrder = indexOfOrder
  readonly windowOf = windowOf
  readonly endOf = endOfIndex

  constructor(database: Database, moment: { readonly isProvisional: boolean }) {
    this.counts = new IndexStatistics(database, moment)
  }

  plan(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    return planQuery(dataClass, predicate, this.counts)
  }
  alternatives(dataClass: ClassModel, predicate: Predicate): PhysicalPlan[] {
    return planAlternatives(dataClass, predicate, this.counts).sort((a, b) => a.cost - b.cost)
  }
  isTestCheaper(count: number, predicate: Predicate, plan: PhysicalPlan): boolean {
    return isTestCheaper(count, residualCost(predicate, this.counts), plan)
  }
  planOfRange(filter: BoundFilter): IndexPlan | null {
    return filter instanceof RangeFilter ? planRange(filter, this.counts) : null
  }
}

/** Every index, plan and read by index: what the capability `indexes` gives to a store. */
export const INDEX_SUPPORT: IndexSupport = {
  factory: INDEX_FACTORY,
  operators: INDEX_OPERATORS,
  template: rangeTemplate,
  createKernel: () => BitsetKernel.create(),
  forReader: (database, moment) => new ReaderIndexing(database, moment),
}
