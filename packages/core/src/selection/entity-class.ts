import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import { EntityBase } from '../model/entity.ts'
import { ENTITY_MAKERS, MARKED_CLASSES, WIDER_CLASSES } from './entity-classes.generated.ts'
import type { EntityConstructor, EntityMaker, EntitySource, WriteMarks } from './entity-source.ts'

/**
 * A class per dataclass, so that its entities share one shape and their relations are getters of one prototype. `turn` counts the
 * dataclasses of a store with as many properties, each of which gets a class of its own as far as there are enough.
 */
export function createEntityMaker(
  model: ClassModel,
  turn: number,
  names: readonly string[],
  readers: readonly ((slot: number) => unknown)[],
  source: EntitySource,
): { readonly make: EntityMaker; readonly writeMarks: WriteMarks } {
  let entityClass = EntityBase as unknown as EntityConstructor
  let writeMarks: WriteMarks = () => undefined
  const keepWriter = (write: WriteMarks): void => {
    writeMarks = write
  }
  for (let from = 0, kinds = MARKED_CLASSES; from < names.length; from += kinds.length, kinds = WIDER_CLASSES) {
    const copies = kinds[Math.min(names.length - from, kinds.length) - 1]
    entityClass = copies[turn % copies.length](entityClass, names, from, model.name, keepWriter)
  }
  defineGetters(entityClass.prototype, model)
  const makers = ENTITY_MAKERS[Math.min(names.length, ENTITY_MAKERS.length) - 1]
  return { make: makers[turn % makers.length](entityClass, names, readers, source), writeMarks }
}

function defineGetters(prototype: EntityBase, model: ClassModel): void {
  const define = (name: string, get: (this: EntityBase) => unknown): void => {
    Object.defineProperty(prototype, name, { configurable: true, enumerable: false, get })
  }
  const isFree = (name: string): boolean => !model.attributes.has(name)
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
  for (const attribute of model.attributes.values()) {
    const get = getterOf(attribute)
    if (get !== null) define(attribute.name, get)
  }
}

function getterOf(attribute: AttributeModel): ((this: EntityBase) => unknown) | null {
  switch (attribute.kind) {
    case 'storage':
      return null
    case 'relatedEntity':
      return function () {
        const key = EntityBase.foreignKeyOf(this, attribute)
        return key === null || key === undefined ? null : EntityBase.portOf(this).relatedEntity(attribute, key)
      }
    case 'relatedEntities':
      return function () {
        return EntityBase.portOf(this).relatedSelection(attribute, EntityBase.keyOf(this))
      }
    case 'calculated':
      return function () {
        const value = attribute.get(this as never)
        if (value instanceof Promise) {
          value.catch(() => undefined)
          throw new EntiaError('promiseReturned', {
            where: `The getter of computed attribute "${attribute.name}" of dataclass "${attribute.owner.name}"`,
            remedy: 'Compute from values that are at hand.',
          })
        }
        return value ?? null
      }
    case 'alias':
      return function () {
        let entity: unknown = this
        for (const step of attribute.steps) {
          if (entity === null || entity === undefined) return null
          entity = (entity as Record<string, unknown>)[step.name]
        }
        return entity === null || entity === undefined
          ? null
          : ((entity as Record<string, unknown>)[attribute.target.name] ?? null)
      }
  }
}
