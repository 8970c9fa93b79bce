import type { ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { coerceInput, Refusal } from '../value/coerce.ts'
import { present } from '../value/present.ts'
import { invalidValue } from './patch.ts'

/**
 * A value as an entity would show it after a save: coerced to the attribute's type, dates as text.
 * Checks no rules. Throws `valueInvalid`.
 */
export function checkedValue(
  attribute: StorageAttribute | ComputedAttribute,
  input: unknown,
): unknown {
  const { type, dateOnly } = attribute
  const stored = coerceInput(type, dateOnly, input)
  if (stored instanceof Refusal) throw invalidValue(attribute, stored.expected, stored.found)
  return present(type, dateOnly, stored)
}
