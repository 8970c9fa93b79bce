import type { AliasAttribute, ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import { isMedia } from '../value/media.ts'
import { sameValue } from '../value/order.ts'

/** A value of an entity as JSON has it. Computed values may have any form. */
export function inJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'object' && value !== null
    ? JSON.parse(JSON.stringify(value) ?? 'null')
    : (value ?? null)
}

/**
 * True if a given value equals what reads show, in any form of the attribute's type: a `Date`
 * equals its text, and a UUID its other spellings. `value` is no image or BLOB.
 *
 * @internal For other packages of Entia.
 */
export function isSameAsShown(
  attribute: StorageAttribute | ComputedAttribute | AliasAttribute,
  given: unknown,
  value: unknown,
): boolean {
  const shown = inJson(value)
  // Computed values may be of another type than their attribute.
  if (isSameJson(given, shown)) return true
  const { type, dateOnly } = attribute.kind === 'alias' ? attribute.target : attribute
  const left = coerceInput(type, dateOnly, given)
  const right = coerceInput(type, dateOnly, shown)
  return !(left instanceof Refusal) && !(right instanceof Refusal) && sameValue(left, right)
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
