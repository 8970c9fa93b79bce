import type { StorageAttribute } from '../model/catalog.ts'
import { sharesBeginning } from './key-range.ts'
import { IndexAccess } from './physical-plan.ts'
import type { Sought } from './sought.ts'
import type { Statistics } from './statistics.ts'

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
