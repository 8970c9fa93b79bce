import type { ClassModel } from '../model/catalog.ts'
import { coerceInput } from '../value/coerce.ts'
import { Refusal } from '../value/refusal.ts'

/** A key in the form that columns hold. */
export type Key = string | number

/**
 * A key as a caller gives it, in the form that columns hold; null when it cannot be a key of the
 * dataclass.
 */
export function storedKey({ key }: ClassModel, given: unknown): Key | null {
  // The usual case: whole numbers are stored as they are given.
  if (typeof given === 'number' && key.type === 'long' && (given | 0) === given) return given + 0
  const value = coerceInput(key.type, key.dateOnly, given)
  return value instanceof Refusal ? null : (value as Key | null)
}
