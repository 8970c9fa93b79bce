import type { ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { coerceInput, Refusal } from '../value/coerce.ts'
import { present } from '../value/present.ts'
import { invalidValue } from './patch.ts'

/**
 * A value as entities would show it if it were saved in the attribute: of its type, dates as text. No rule is asked, which is
 * what a save does. Throws `valueInvalid`.
 */
export function checkedValue(attribute: StorageAttribute | ComputedAttribute, input: unknown): unknown {
  const { type, dateOnly } = attribute
  const stored = coerceInput(type, dateOnly, input)
  if (stored instanceof Refusal) throw invalidValue(attribute, stored.expected, stored.found)
  return present(type, dateOnly, stored)
}
