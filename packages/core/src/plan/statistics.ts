import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges } from './key-range.ts'
import type { IndexAccess, JoinPlaces, PhysicalPlan } from './physical-plan.ts'
import type { RangeTemplate } from './range-filter.ts'
import type { Sought } from './sought.ts'

/** Counts that every store has. They come from hashes and posting lists, without a scan. */
export interface Counts {
  /**
   * True if foreign keys may refer to nothing, as inside a transaction. No index knows these
   * records.
   */
  readonly mayDangle: boolean
  rowCount(dataClass: ClassModel): number
  /**
   * How an index of the attribute answers, with the exact number of records; null if none does.
   */
  access(attribute: StorageAttribute, sought: Sought): IndexAccess | null
  /** Share of records (0 to 1) that a comparison selects, from a small sample of the column. */
  sampledShare(attribute: StorageAttribute, ranges: IndexRanges): number
}

/** The planner's view of the data, with ranks of ordered indexes. */
export interface Statistics extends Counts {
  /** The same for the values that a template read last. */
  rangeAccess(range: RangeTemplate): IndexAccess | null
  /**
   * The posting lists of the foreign key for related records that satisfy the predicate, and the
   * sum of their lengths. This runs the inner query, so it is for short ones only. Null if the
   * foreign key has no lists.
   */
  joinPlaces(predicate: RelatedPredicate, inner: PhysicalPlan): JoinPlaces | null
  /** Mean number of source records per related record. */
  fanOut(relation: RelationAttribute): number
  /** Distinct words of a text column that has a dictionary; null otherwise. */
  wordCount(attribute: StorageAttribute): number | null
}
