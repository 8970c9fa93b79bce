import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel, ToOneAttribute } from '../model/catalog.ts'

/**
 * Throws `attributeReadOnly` when changes include the key or, unless a hook made them, a readOnly
 * attribute.
 */
export function refuseFixed(
  model: ClassModel,
  ordinals: readonly number[],
  isFromHook: boolean,
): void {
  for (const ordinal of ordinals) {
    const attribute = model.storage[ordinal]
    if (attribute.key)
      throw readOnly(attribute, 'Keys never change: remove the entity and insert another.')
    if (attribute.readOnly && !isFromHook)
      throw readOnly(attribute, 'It is set when the entity is created, or by a hook.')
  }
}

export function unknownName(model: ClassModel, attribute: string): EntiaError {
  return new EntiaError('attributeNotFound', {
    dataClass: model.name,
    attribute,
    known: [...model.attributes.keys()],
  })
}

export function readOnly(attribute: AttributeModel, remedy: string): EntiaError {
  return new EntiaError('attributeReadOnly', {
    dataClass: attribute.owner.name,
    attribute: attribute.name,
    remedy,
  })
}

/** The error for a value that an attribute cannot hold. */
export function invalidValue(
  attribute: AttributeModel,
  expected: string,
  found: string,
): EntiaError {
  return new EntiaError('valueInvalid', {
    dataClass: attribute.owner.name,
    attribute: attribute.name,
    expected,
    found,
  })
}

export function invalidRelation(relation: ToOneAttribute, found: string): EntiaError {
  return invalidValue(relation, `a key or an entity of "${relation.target.name}", or null`, found)
}
