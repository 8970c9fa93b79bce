import type { ComputedAttribute, StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import { modelOfEntity } from '../model/entity.ts'
import { coerceInput, Refusal } from '../value/coerce.ts'
import { present } from '../value/present.ts'
import { describeFound } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'
import { invalidRelation, invalidValue } from './attribute-refusals.ts'

/** Reads one value for a storage attribute. Throws `valueInvalid`. */
export function readValue(attribute: StorageAttribute, input: unknown): StoredValue {
  const value = coerceInput(attribute.type, attribute.dateOnly, input)
  if (value instanceof Refusal) throw invalidValue(attribute, value.expected, value.found)
  return value
}

/**
 * Reads one value for a to-one relation as the target's key. The value is a key, null, or an entity
 * (an object that has the key attribute as an own property). Throws `valueInvalid`.
 */
export function readForeignKey(relation: ToOneAttribute, input: unknown): StoredValue {
  const { key } = relation.target
  let given = input
  if (typeof input === 'object' && input !== null) {
    const model = modelOfEntity(input)
    if (model !== null && model !== relation.target) {
      throw invalidRelation(
        relation,
        model.name === relation.target.name
          ? 'an entity of another store'
          : `an entity of "${model.name}"`,
      )
    }
    if (!Object.hasOwn(input, key.name)) throw invalidRelation(relation, describeFound(input))
    given = (input as { readonly [name: string]: unknown })[key.name]
    if (given === null || given === undefined)
      throw invalidRelation(relation, 'an entity without a key')
  }
  const value = coerceInput(key.type, key.dateOnly, given)
  if (value instanceof Refusal) throw invalidRelation(relation, describeFound(given))
  return value
}

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
