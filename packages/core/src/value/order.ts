import { formatDate } from './date.ts'
import { isMedia, sameMedia } from './media.ts'
import type { AttributeType, StoredValue } from './types.ts'

/** Rank of a type in the order of mixed values: null, booleans, text, numbers. */
function rankOf(value: null | boolean | number | string): number {
  switch (typeof value) {
    case 'object':
      return 0
    case 'boolean':
      return 1
    case 'string':
      return 2
    default:
      return 3
  }
}

/**
 * The one total order of scalars: null first, then false, true, then text, then numbers. Text is
 * compared as it is, so give comparison keys (`textKey`). Returns a negative number, zero or a
 * positive number, as for `sort`.
 */
export function compareScalars(
  a: null | boolean | number | string,
  b: null | boolean | number | string,
): number {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  const byType = rankOf(a) - rankOf(b)
  if (byType !== 0) return byType
  // Both are booleans or both are text: two nulls are equal above.
  return (a as string | boolean) < (b as string | boolean) ? -1 : 1
}

/**
 * True when two stored values of one attribute are the same value: objects by content in any order
 * of properties, images and BLOBs by type and bytes. Cost: O(size), O(1) for scalars and shared
 * objects.
 */
export function sameValue(a: StoredValue, b: StoredValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isMedia(a) || isMedia(b)) return isMedia(a) && isMedia(b) && sameMedia(a, b)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((element: StoredValue, i) => sameValue(element, b[i]))
  }
  const left = Object.entries(a as { readonly [name: string]: StoredValue })
  const right = new Map(Object.entries(b as { readonly [name: string]: StoredValue }))
  if (left.length !== right.size) return false
  return left.every(([name, value]) => {
    const other = right.get(name)
    return other !== undefined && sameValue(value, other)
  })
}

/** A stored value as the API returns it: dates as ISO 8601 text, everything else unchanged. */
export function present(type: AttributeType, dateOnly: boolean, stored: StoredValue): unknown {
  return type === 'date' && typeof stored === 'number' ? formatDate(stored, dateOnly) : stored
}
