import type { ClassModel, ToOneAttribute } from '../model/catalog.ts'
import { isEntity } from '../model/entity.ts'
import { checkedValue, readForeignKey } from './patch.ts'
import { targetMissing } from './referential.ts'
import { readOnly, unknownName } from './rules.ts'

/**
 * Puts values into a copy of an entity, or into a new object, as an entity shows them after a save.
 * Saves nothing, checks no rule and runs no code. `related` finds the target of a relation. Throws
 * `attributeNotFound`, `attributeReadOnly`, `valueInvalid`, `relationTargetMissing`.
 */
export function overlay<E extends object>(
  entity: E,
  model: ClassModel,
  values: { readonly [name: string]: unknown },
  related: (relation: ToOneAttribute, key: string | number) => object | undefined,
): E {
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(entity, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  for (const [name, value] of Object.entries(values)) {
    const attribute = model.attributes.get(name)
    if (attribute === undefined) throw unknownName(model, name)
    if (value === undefined) continue
    if (attribute.kind === 'relatedEntity') {
      const { foreignKey } = attribute
      const key = readForeignKey(attribute, value) as string | number | null
      const target = key === null ? null : related(attribute, key)
      if (target === undefined) throw targetMissing(attribute, String(key))
      // A stored entity reads its relation through the foreign key.
      if (!isEntity(entity) || foreignKey.hidden) put(name, target)
      if (!foreignKey.hidden) put(foreignKey.name, key)
    } else if (
      attribute.kind === 'storage' ||
      (attribute.kind === 'calculated' && attribute.set !== null)
    )
      put(name, checkedValue(attribute, value))
    else throw readOnly(attribute, 'Leave it out, or send it as it was read.')
  }
  return entity
}
