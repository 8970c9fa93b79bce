import type { AttributeModel } from '@entia/core'

/**
 * An entity of the store. The type has no members because an attribute may be called `key` or
 * `stamp`; `entity.key` is then the value of that attribute. Use core's `keyOf`, `stampOf` and
 * `timestampOf`, and `attributeValue` for values.
 */
export type StoredEntity = object

/** The value of an attribute. Runs the getter of a computed attribute. */
export function attributeValue(
  entity: StoredEntity,
  { name }: Pick<AttributeModel, 'name'>,
): unknown {
  return (entity as { readonly [name: string]: unknown })[name]
}
