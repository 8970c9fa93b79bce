import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import { type IndexRanges, sharesBeginning } from './key-range.ts'
import {
  IndexAccess,
  type JoinPlaces,
  type PhysicalPlan,
  type Sought,
  soughtOf,
} from './physical-plan.ts'
import type { RangeTemplate } from './range-filter.ts'

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

// Nanoseconds per record, measured on columns of 100 000 records; only their ratios matter.
export const SCAN_COST = 1
export const COLLECT_COST = 4
export const JOIN_COST = 25
export const RESIDUAL_COST = {
  number: 3,
  word: 3,
  text: 25,
  keyword: 400,
  property: 250,
  computed: 600,
  related: 40,
} as const

/** Estimated share of records that a predicate selects, from 0 to 1. */
export function selectedShare(predicate: Predicate, statistics: Statistics): number {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? 1 : 0
    case 'compare': {
      const ranges = soughtOf(predicate.attribute, predicate.test)
      if (ranges === null) return 0.25
      const counted = statistics.access(predicate.attribute, ranges)
      const all = statistics.rowCount(predicate.attribute.owner)
      if (counted !== null) return all === 0 ? 0 : counted.rows / all
      return ranges.kind === 'words' ? 0.25 : statistics.sampledShare(predicate.attribute, ranges)
    }
    case 'not':
      return 1 - selectedShare(predicate.part, statistics)
    case 'and':
      return predicate.parts.reduce((share, part) => share * selectedShare(part, statistics), 1)
    case 'or':
      return (
        1 -
        predicate.parts.reduce((share, part) => share * (1 - selectedShare(part, statistics)), 1)
      )
    default:
      return 0.25
  }
}

/** Nanoseconds to test one record. */
export function residualCost(predicate: Predicate, statistics: Statistics): number {
  switch (predicate.kind) {
    case 'constant':
      return 0
    case 'compare': {
      const { type } = predicate.attribute
      if (type !== 'string' && type !== 'uuid') return RESIDUAL_COST.number
      if (statistics.wordCount(predicate.attribute) !== null) return RESIDUAL_COST.word
      return predicate.test.op === 'keyword' ? RESIDUAL_COST.keyword : RESIDUAL_COST.text
    }
    case 'not':
      return residualCost(predicate.part, statistics) + 5
    case 'and':
    case 'or':
      return 5 + sum(predicate.parts, (part) => residualCost(part, statistics))
    default:
      return RESIDUAL_COST[predicate.kind]
  }
}

export const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
