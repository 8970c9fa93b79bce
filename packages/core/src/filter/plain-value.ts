import { dateFromEpoch, parseDate } from '../value/date.ts'
import { textKey } from '../value/text-key.ts'
import type { AttributeType, Collation } from '../value/types.ts'
import { isWildcard } from '../value/wildcard.ts'

// Most given values have the attribute's own type and need no conversion. These functions recognise
// them without an allocation. All other values go to `bindTest`, which handles every spelling and
// every error.

/**
 * The comparable form of a given number, boolean (0 or 1) or date; NaN for all other values. Cost:
 * O(1), or reading a date.
 */
export function plainNumber(type: AttributeType, dateOnly: boolean, given: unknown): number {
  switch (type) {
    case 'long':
    case 'long64':
    case 'number':
    case 'duration':
      return typeof given === 'number' && Number.isFinite(given) ? given + 0 : Number.NaN
    case 'bool':
      return given === true ? 1 : given === false ? 0 : Number.NaN
    case 'date':
      if (typeof given === 'string') return parseDate(given, dateOnly) ?? Number.NaN
      return typeof given === 'number' ? (dateFromEpoch(given, dateOnly) ?? Number.NaN) : Number.NaN
    default:
      return Number.NaN
  }
}

/** True for a text of ASCII characters without wildcards: folding changes its capitals only. */
export function isPlainText(given: unknown): given is string {
  if (typeof given !== 'string' || given.length === 0) return false
  for (let i = 0; i < given.length; i++) {
    const unit = given.charCodeAt(i)
    if (unit > 127 || isWildcard(unit)) return false
  }
  return true
}

/** The comparison key of a plain text. */
export const plainKey = (text: string, collation: Collation): string =>
  collation === 'folded' ? textKey(text, collation) : text
