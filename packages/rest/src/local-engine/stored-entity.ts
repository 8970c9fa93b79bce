import type { AttributeModel } from '@entia/core'

/**
 * An entity of the store. The type has no members on purpose: an attribute may be called `key` or `stamp`, and then
 * `entity.key` is that attribute's value. Use `keyOf`, `stampOf` and `timestampOf` of core, and `attributeValue` for its values.
 */
export type StoredEntity = object

/** The value of an attribute, as the entity itself has it. Runs the getter of a computed attribute. */
export function attributeValue(entity: StoredEntity, { name }: Pick<AttributeModel, 'name'>): unknown {
  return (entity as { readonly [name: string]: unknown })[name]
}
