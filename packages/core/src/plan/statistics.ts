import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import { type IndexRanges, sharesBeginning } from './key-range.ts'
import { IndexAccess, type JoinPlaces, type PhysicalPlan } from './physical-plan.ts'
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

const INDEXED = new IndexAccess('range', 'slots', 0, 0, 0, 0, Object.freeze([]))

/**
 * What a model says about indexes, without data: `access` tells whether a declared index answers.
 * Its counts mean nothing.
 */
export const MODEL_STATISTICS: Pick<Statistics, 'access'> = Object.freeze({
  access: (attribute: StorageAttribute, ranges: Sought) =>
    isAnswered(attribute, ranges) ? INDEXED : null,
})

function isAnswered(attribute: StorageAttribute, ranges: Sought): boolean {
  if (ranges.kind === 'words') return attribute.words
  const { key, indexed, unique, relation } = attribute
  if (key || indexed) return true
  if (ranges.isPoints && (relation !== null || (unique && !ranges.nulls))) return true
  // A unique text has no order; the beginnings of its texts are found without one.
  return unique && ranges.kind === 'text' && !ranges.nulls && ranges.ranges.every(sharesBeginning)
}
