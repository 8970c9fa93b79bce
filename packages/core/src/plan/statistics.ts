import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges } from './key-range.ts'
import type { IndexAccess, JoinPlaces, PhysicalPlan } from './physical-plan.ts'
import type { RangeTemplate } from './range-filter.ts'

/** What the planner may ask about the data. Counts come from ranks and hashes; nothing is scanned to be counted. */
export interface Statistics {
  /** True where foreign keys may lead to nothing, as inside a transaction: no index knows which records those are. */
  readonly mayDangle: boolean
  rowCount(dataClass: ClassModel): number
  /** How the ranges can be answered by an index of the attribute, with the exact number of records; null when they cannot. */
  access(attribute: StorageAttribute, ranges: IndexRanges): IndexAccess | null
  /** The same of the values that a range filter's template read last. */
  rangeAccess(range: RangeTemplate): IndexAccess | null
  /** Share of records (0 to 1) that a comparison selects, from a small sample of the column. */
  sampledShare(attribute: StorageAttribute, ranges: IndexRanges): number
  /**
   * Records whose to-one relation leads to one that satisfies the predicate: the foreign key's posting lists, their lengths added up.
   * Costs a run of the inner query, so it is asked for short ones only. Null where the foreign key has no lists.
   */
  joinPlaces(predicate: RelatedPredicate, inner: PhysicalPlan): JoinPlaces | null
  /** Mean number of source records per related record. */
  fanOut(relation: RelationAttribute): number
  /** Distinct words of a text column that has a dictionary; null otherwise. */
  wordCount(attribute: StorageAttribute): number | null
}
