import { isEntiaError } from '../errors.ts'
import type { AliasAttribute, ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { isMedia } from '../value/media.ts'
import { checkedValue } from './patch.ts'

/** A value of an entity as JSON has it. Computed values may have any form. */
export function inJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'object' && value !== null
    ? JSON.parse(JSON.stringify(value) ?? 'null')
    : (value ?? null)
}

/**
 * True if a given value equals what reads show, in any form of the attribute's type: a `Date`
 * equals its text, a number that is not finite equals null. `value` is no image or BLOB.
 *
 * @internal For other packages of Entia.
 */
export function isSameAsShown(
  attribute: StorageAttribute | ComputedAttribute | AliasAttribute,
  given: unknown,
  value: unknown,
): boolean {
  const shown = inJson(value)
  if (isSameJson(given, shown)) return true
  const typed = attribute.kind === 'alias' ? attribute.target : attribute
  try {
    return isSameJson(checkedValue(typed, given), checkedValue(typed, shown))
  } catch (error) {
    if (isEntiaError(error, 'valueInvalid')) return false
    throw error
  }
}

/** Instances, such as a `Date`, equal nothing but themselves. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (!isJson(a) || !isJson(b)) return a === b
  const left = Object.entries(a)
  const right = new Map(Object.entries(b))
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isSameJson(value, right.get(name)))
  )
}

const isJson = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isMedia(value) && !(value instanceof Date)
