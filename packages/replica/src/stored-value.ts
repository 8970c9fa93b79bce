import type { StorageAttribute } from '@entia/core'
import { coerceInput, formatDate, Refusal, type StoredValue } from '@entia/core/internal'

/** A stored value in the form that entities have. */
export const shownValue = (attribute: StorageAttribute, value: unknown): unknown =>
  attribute.type === 'date' && typeof value === 'number'
    ? formatDate(value, attribute.dateOnly)
    : (value ?? null)

/** A value that a program gives as stored. Throws a TypeError for one of another type. */
export function storedValue(attribute: StorageAttribute, value: unknown): StoredValue {
  const stored = coerceInput(attribute.type, attribute.dateOnly, value)
  if (!(stored instanceof Refusal)) return stored
  throw new TypeError(`"${attribute.name}" must be ${stored.expected}, not ${stored.found}.`)
}
