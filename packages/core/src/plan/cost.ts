import type { Predicate } from '../filter/predicate.ts'
import { soughtOf } from './sought.ts'
import type { Statistics } from './statistics.ts'

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
