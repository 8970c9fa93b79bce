import { EntiaError, isMisuse } from '../errors.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import { EntityBase } from '../model/entity.ts'
import { COPY_WIDTH, ENTITY_CLASSES, NarrowEntity, WideEntity } from './entity-classes.generated.ts'
import type { EntityMaker, WriteMarks } from './entity-source.ts'

/** Attributes whose values are not own properties of entities, in definition order. */
function gettersOf(model: ClassModel): string[] {
  const names: string[] = []
  for (const { name, kind } of model.attributes.values()) if (kind !== 'storage') names.push(name)
  return names
}

/**
 * Defines what entities inherit, for all stores whose model has a dataclass with these names. The
 * class knows only names, so a getter looks its attribute up in the model of the entity.
 */
function defineGetters(
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
      return EntityBase.marksOf(this).key
    })
  if (isFree('stamp'))
    define('stamp', function () {
      return EntityBase.marksOf(this).stamp
    })
  if (isFree('timestamp'))
    define('timestamp', function () {
      return EntityBase.marksOf(this).timestamp
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
      const { model } = EntityBase.marksOf(this).origin
      return readAttribute(this, model.attributes.get(name) as AttributeModel)
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
        : EntityBase.marksOf(entity).origin.port.relatedEntity(attribute, key)
    }
    case 'relatedEntities': {
      const { origin, key } = EntityBase.marksOf(entity)
      return origin.port.relatedSelection(attribute, key)
    }
    case 'calculated': {
      const value = computedValue(entity, attribute)
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

/** Throws an `Error` for a mistake of the getter, which must not count as one of the reader. */
function computedValue(
  entity: EntityBase,
  attribute: Extract<AttributeModel, { kind: 'calculated' }>,
): unknown {
  try {
    return attribute.get(entity as never)
  } catch (error) {
    if (!isMisuse(error)) throw error
    const { name, owner } = attribute
    const where = `The getter of computed attribute "${name}" of dataclass "${owner.name}"`
    throw new Error(`${where} failed: ${error.message}`, { cause: error })
  }
}

/** The class of a dataclass's entities. */
export interface EntityClass {
  /** Creates an entity with its first properties. */
  readonly make: EntityMaker
  /** Each fills in `COPY_WIDTH` further properties. Empty except for wide dataclasses. */
  readonly further: readonly EntityMaker[]
  readonly writeMarks: WriteMarks
}

/** Dataclasses beyond the number of copies share the last one. */
const SHARED = ENTITY_CLASSES.length - 1
/**
 * Copies that wide dataclasses may take for their further properties. The rest is reserved for
 * dataclasses.
 */
const FURTHER_COPIES = ENTITY_CLASSES.length / 2

/**
 * Classes with a copy of their own, at most one per copy. They know names only, so stores of one
 * model share them: V8 specialises by class, and twenty stores must not mean twenty classes.
 */
const classes = new Map<string, EntityClass>()
let taken = 0

/**
 * One class per dataclass: its entities share one shape, and their relations are getters of one
 * prototype.
 */
export function entityClassOf(model: ClassModel, names: readonly string[]): EntityClass {
  const getters = gettersOf(model)
  const key = JSON.stringify([model.name, names, getters])
  const known = classes.get(key)
  if (known !== undefined) return known
  const isOwn = taken < SHARED
  const created = createEntityClass(model.name, names, getters, isOwn ? taken++ : SHARED)
  if (isOwn) classes.set(key, created)
  return created
}

function createEntityClass(
  className: string,
  names: readonly string[],
  getters: readonly string[],
  copy: number,
): EntityClass {
  let writeMarks: WriteMarks = () => undefined
  const takeWriter = (write: WriteMarks): void => {
    writeMarks = write
  }
  const base = names.length > COPY_WIDTH ? WideEntity : NarrowEntity
  const [entityClass, make] = ENTITY_CLASSES[copy](base, names, names.length, className, takeWriter)
  defineGetters((entityClass as { readonly prototype: EntityBase }).prototype, names, getters)
  const further: EntityMaker[] = []
  for (let from = COPY_WIDTH; from < names.length; from += COPY_WIDTH) {
    further.push(createFiller(names.slice(from, from + COPY_WIDTH)))
  }
  return { make, further, writeMarks }
}

function createFiller(names: readonly string[]): EntityMaker {
  if (taken < FURTHER_COPIES) {
    const [, fill] = ENTITY_CLASSES[taken++](NarrowEntity, names, names.length, '', null)
    return fill
  }
  return (readers, _source, slot, entity) => {
    const properties = entity as Record<string, unknown>
    for (let i = 0; i < names.length; i++) properties[names[i]] = readers[i](slot)
    return entity as EntityBase
  }
}
