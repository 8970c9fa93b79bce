import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import { EntityBase } from '../model/entity.ts'

/** Attributes whose values are not own properties of entities, in definition order. */
export function gettersOf(model: ClassModel): string[] {
  const names: string[] = []
  for (const { name, kind } of model.attributes.values()) if (kind !== 'storage') names.push(name)
  return names
}

/**
 * Defines what entities inherit, for all stores whose model has a dataclass with these names. The
 * class knows only names, so a getter looks its attribute up in the model of the entity.
 */
export function defineGetters(
  prototype: EntityBase,
  properties: readonly string[],
  attributes: readonly string[],
): void {
  const define = (name: string, get: (this: EntityBase) => unknown): void => {
    Object.defineProperty(prototype, name, { configurable: true, enumerable: false, get })
  }
  const attributeNames = new Set([...properties, ...attributes])
  const isFree = (name: string): boolean => !attributeNames.has(name)
  // An assignment must create an own property, even under a name that `Object.prototype` defines.
  for (const name of properties) {
    if (Object.hasOwn(prototype, name)) continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: false,
      writable: true,
      value: undefined,
    })
  }
  if (isFree('key'))
    define('key', function () {
      return EntityBase.keyOf(this)
    })
  if (isFree('stamp'))
    define('stamp', function () {
      return EntityBase.stampOf(this)
    })
  if (isFree('timestamp'))
    define('timestamp', function () {
      return EntityBase.timestampOf(this)
    })
  if (isFree('toJSON')) {
    Object.defineProperty(prototype, 'toJSON', {
      configurable: true,
      enumerable: false,
      value(this: object) {
        return { ...this }
      },
    })
  }
  for (const name of attributes) {
    define(name, function () {
      return readAttribute(this, EntityBase.modelOf(this).attributes.get(name) as AttributeModel)
    })
  }
}

function readAttribute(entity: EntityBase, attribute: AttributeModel): unknown {
  switch (attribute.kind) {
    case 'storage':
      return undefined
    case 'relatedEntity': {
      const key = EntityBase.foreignKeyOf(entity, attribute)
      return key === null || key === undefined
        ? null
        : EntityBase.portOf(entity).relatedEntity(attribute, key)
    }
    case 'relatedEntities':
      return EntityBase.portOf(entity).relatedSelection(attribute, EntityBase.keyOf(entity))
    case 'calculated': {
      const value = attribute.get(entity as never)
      if (value instanceof Promise) {
        value.catch(() => undefined)
        throw new EntiaError('promiseReturned', {
          where: `The getter of computed attribute "${attribute.name}" of dataclass "${attribute.owner.name}"`,
          remedy: 'Compute the value without waiting.',
        })
      }
      return value ?? null
    }
    case 'alias': {
      let related: unknown = entity
      for (const step of attribute.steps) {
        if (related === null || related === undefined) return null
        related = (related as Record<string, unknown>)[step.name]
      }
      return related === null || related === undefined
        ? null
        : ((related as Record<string, unknown>)[attribute.target.name] ?? null)
    }
  }
}
