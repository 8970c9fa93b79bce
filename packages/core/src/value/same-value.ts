import { isMedia, sameMedia } from './media.ts'
import type { StoredValue } from './types.ts'

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
