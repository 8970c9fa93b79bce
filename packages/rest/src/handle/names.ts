import {
  type AttributeModel,
  type Catalog,
  type ClassModel,
  EntiaError,
  isVisible,
  type RelationAttribute,
  type StorageAttribute,
} from '@entia/core'
import type { ValueAttribute } from './projection.ts'

/**
 * The one place where names from outside meet the model. What is not exposed is unknown: same error, same words.
 */

/** The exposed dataclass of that name. Throws dataClassNotFound. */
export function findDataClass(catalog: Catalog, name: string): ClassModel {
  const dataClass = catalog.byName.get(name)
  if (dataClass === undefined || !dataClass.exposed) throw new EntiaError('dataClassNotFound', { dataClass: name })
  return dataClass
}

/** The exposed attribute of that name, or undefined. A relation is as visible as the dataclass it leads to. */
export function findAttribute(dataClass: ClassModel, name: string): AttributeModel | undefined {
  const attribute = dataClass.attributes.get(name)
  return attribute !== undefined && isVisible(attribute) ? attribute : undefined
}

/** Throws attributeNotFound. */
export function exposedAttribute(dataClass: ClassModel, name: string): AttributeModel {
  const attribute = findAttribute(dataClass, name)
  if (attribute === undefined) throw unknownAttribute(dataClass, name)
  return attribute
}

/** Exposed attributes in definition order. */
export function exposedAttributes(dataClass: ClassModel): readonly AttributeModel[] {
  return [...dataClass.attributes.values()].filter(
    (attribute) => findAttribute(dataClass, attribute.name) !== undefined,
  )
}

export function unknownAttribute(dataClass: ClassModel, attribute: string): EntiaError {
  return new EntiaError('attributeNotFound', {
    dataClass: dataClass.name,
    attribute: attribute.slice(0, 100),
    known: exposedAttributes(dataClass).map((known) => known.name),
  })
}

export function isRelation(attribute: AttributeModel): attribute is RelationAttribute {
  return attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities'
}

/** A path as resolved over exposed names: relations, then an attribute, then properties of an object attribute. */
export interface ExposedPath {
  readonly steps: readonly RelationAttribute[]
  readonly attribute: AttributeModel
  readonly properties: readonly string[]
}

/**
 * Resolves a dotted path. Throws attributeNotFound naming the part that is missing, attributeNotApplicable for a name
 * behind a plain value, budgetExceeded for more than `maxDepth` names.
 */
export function resolveExposedPath(dataClass: ClassModel, path: string, maxDepth: number): ExposedPath {
  const names = path.split('.')
  if (names.length > maxDepth)
    throw new EntiaError('budgetExceeded', { what: 'names in a path', limit: maxDepth, option: 'limits.maxPathDepth' })
  const steps: RelationAttribute[] = []
  let current = dataClass
  for (const [at, name] of names.entries()) {
    const attribute = exposedAttribute(current, name)
    const isLast = at === names.length - 1
    if (isLast) return { steps, attribute, properties: [] }
    if (!isRelation(attribute)) {
      if (typeOf(attribute) !== 'object')
        throw new EntiaError('attributeNotApplicable', {
          dataClass: current.name,
          attribute: name,
          use: 'a path with something behind it',
          remedy: 'Only relations and object attributes have something behind a dot.',
        })
      const properties = names.slice(at + 1)
      if (properties.includes('')) throw unknownAttribute(current, path)
      return { steps, attribute, properties }
    }
    steps.push(attribute)
    current = attribute.target
  }
  throw unknownAttribute(dataClass, path)
}

/** The type of a value attribute; an alias has its target's. */
export function typeOf(attribute: ValueAttribute): StorageAttribute['type'] {
  return attribute.kind === 'alias' ? attribute.target.type : attribute.type
}

/** True for an attribute that holds calendar dates without a time. */
export function isDateOnly(attribute: ValueAttribute): boolean {
  const target = attribute.kind === 'alias' ? attribute.target : attribute
  return target.type === 'date' && target.dateOnly
}
