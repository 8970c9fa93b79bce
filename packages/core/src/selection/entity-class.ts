import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import { EntityBase } from '../model/entity.ts'
import type { StoredValue } from '../value/types.ts'

/** What entities reach through relations; answered by the store they come from. */
export interface EntityPort {
  relatedEntity(relation: ToOneAttribute, key: StoredValue): object | null
  relatedSelection(relation: ToManyAttribute, key: StoredValue): object
}

/** The entities of one dataclass; `port` is looked at by those of a view only. */
export type EntityClass = new (
  model: ClassModel,
  key: StoredValue,
  stamp: number,
  timestamp: number,
  hidden: readonly StoredValue[] | null,
  port: EntityPort | null,
) => EntityBase

/** An entity that keeps to the view it was got from. */
class ViewedEntity extends EntityBase {
  readonly #port: EntityPort | null

  constructor(
    model: ClassModel,
    key: StoredValue,
    stamp: number,
    timestamp: number,
    hidden: readonly StoredValue[] | null,
    port: EntityPort | null,
  ) {
    super(model, key, stamp, timestamp, hidden)
    this.#port = port
  }

  static portOf(entity: EntityBase): EntityPort {
    return (entity as ViewedEntity).#port as EntityPort
  }
  static isOf(port: EntityPort, entity: object): boolean {
    return #port in entity && entity.#port === port
  }
}

/** True for an entity that was made for the reader of this view. */
export const isEntityOf = (port: EntityPort, entity: object): boolean => ViewedEntity.isOf(port, entity)

/** A class per dataclass, so that its entities share one shape and their relations are getters of one prototype. */
export function createEntityClass(model: ClassModel, port: EntityPort): EntityClass {
  class DataClassEntity extends EntityBase {}
  defineGetters(DataClassEntity.prototype, model, () => port)
  Object.defineProperty(DataClassEntity, 'name', { value: model.name })
  return DataClassEntity
}

/** As `createEntityClass`, of entities each of which knows the view that it keeps to. */
export function createViewedClass(model: ClassModel): EntityClass {
  class DataClassEntity extends ViewedEntity {}
  defineGetters(DataClassEntity.prototype, model, ViewedEntity.portOf)
  Object.defineProperty(DataClassEntity, 'name', { value: model.name })
  return DataClassEntity
}

function defineGetters(prototype: EntityBase, model: ClassModel, portOf: (entity: EntityBase) => EntityPort): void {
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
    const get = getterOf(attribute, portOf)
    if (get !== null) define(attribute.name, get)
  }
}

function getterOf(
  attribute: AttributeModel,
  portOf: (entity: EntityBase) => EntityPort,
): ((this: EntityBase) => unknown) | null {
  switch (attribute.kind) {
    case 'storage':
      return null
    case 'relatedEntity':
      return function () {
        const key = EntityBase.foreignKeyOf(this, attribute)
        return key === null || key === undefined ? null : portOf(this).relatedEntity(attribute, key)
      }
    case 'relatedEntities':
      return function () {
        return portOf(this).relatedSelection(attribute, EntityBase.keyOf(this))
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
