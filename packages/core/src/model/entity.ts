import { EntiaError } from '../errors.ts'
import { formatDate } from '../value/date.ts'
import type { StoredValue } from '../value/types.ts'
import type { ClassModel, StorageAttribute, ToManyAttribute, ToOneAttribute } from './catalog.ts'
import type { Untyped } from './definition.ts'
import type { AnyEntity } from './entity-types.ts'

/** Follows the relations of entities. The store or view that created an entity implements it. */
export interface EntityPort {
  relatedEntity(relation: ToOneAttribute, key: StoredValue): object | null
  relatedSelection(relation: ToManyAttribute, key: StoredValue): object
}

/**
 * The origin of entities: one object for all of a dataclass, or one for each if the dataclass has
 * hidden foreign keys.
 */
export interface EntityOrigin {
  readonly model: ClassModel
  readonly port: EntityPort
  /** Hidden foreign keys, in the order of `hiddenKeysOf`; null if the dataclass has none. */
  readonly hidden: readonly StoredValue[] | null
}

/**
 * Origin, key, stamp and timestamp of an entity when it was created. The entity keeps them in
 * private fields; this is a copy. V8 would allocate an object for a number as large as a timestamp,
 * so its bits are kept as two small numbers.
 */
export class EntityMarks {
  declare readonly origin: EntityOrigin
  declare readonly key: StoredValue
  declare readonly stamp: number
  /** The two halves of the timestamp, in memory order. */
  declare readonly first: number
  declare readonly second: number

  constructor(
    origin: EntityOrigin,
    key: StoredValue,
    stamp: number,
    first: number,
    second: number,
  ) {
    this.origin = origin
    this.key = key
    this.stamp = stamp
    this.first = first
    this.second = second
  }

  /** Epoch milliseconds. */
  get timestamp(): number {
    return new Float64Array(Int32Array.of(this.first, this.second).buffer)[0]
  }
}

/** The method that returns the marks of an entity, or null for any other object. */
export const MARKS: unique symbol = Symbol('marks')

/**
 * A private copy of one record. The stored values are its own enumerable properties; key, stamp and
 * timestamp are in private fields. Writing to the object therefore does not reach the store, and it
 * does not read columns later.
 */
export abstract class EntityBase implements AnyEntity {
  /** Attributes, and key, stamp and timestamp unless an attribute has their name. */
  readonly [name: string]: Untyped
  declare readonly key: string | number
  declare readonly stamp: number
  declare readonly timestamp: string
  abstract [MARKS](): EntityMarks | null

  static isEntity(value: unknown): value is EntityBase {
    return value instanceof EntityBase && value[MARKS]() !== null
  }
  static marksOf(entity: EntityBase): EntityMarks {
    return entity[MARKS]() as EntityMarks
  }
  static modelOf(entity: EntityBase): ClassModel {
    return EntityBase.marksOf(entity).origin.model
  }
  static portOf(entity: EntityBase): EntityPort {
    return EntityBase.marksOf(entity).origin.port
  }
  static keyOf(entity: EntityBase): StoredValue {
    return EntityBase.marksOf(entity).key
  }
  static stampOf(entity: EntityBase): number {
    return EntityBase.marksOf(entity).stamp
  }
  static timestampOf(entity: EntityBase): string {
    return formatDate(EntityBase.marksOf(entity).timestamp, false)
  }
  static foreignKeyOf(entity: EntityBase, relation: ToOneAttribute): StoredValue {
    if (!relation.foreignKey.hidden) return entity[relation.foreignKey.name]
    return (
      EntityBase.marksOf(entity).origin.hidden?.[
        hiddenKeysOf(relation.owner).indexOf(relation.foreignKey)
      ] ?? null
    )
  }
}

/** The columns of hidden foreign keys. */
export const hiddenKeysOf = (model: ClassModel): StorageAttribute[] =>
  model.storage.filter((attribute) => attribute.hidden)

function entityOnly(entity: object, wanted: string): EntityBase {
  if (EntityBase.isEntity(entity)) return entity
  throw new EntiaError('argumentInvalid', {
    argument: `The argument of ${wanted}`,
    expected: 'an entity of a store',
    found: typeof entity,
  })
}

/**
 * True for an entity of any store.
 *
 * @example
 * ```ts
 * isEntity(store.Employee.get(1)) // → true
 * isEntity({ ID: 1 }) // → false
 * ```
 */
export const isEntity = (value: unknown): value is AnyEntity => EntityBase.isEntity(value)
/**
 * The primary key. Works also if an attribute is called `key`.
 *
 * @example
 * ```ts
 * keyOf(store.Employee.get(1)!) // → 1
 * ```
 */
export const keyOf = (entity: object): string | number =>
  EntityBase.keyOf(entityOnly(entity, 'keyOf')) as string | number
/**
 * The version stamp: 1 at creation, one more after each saved change.
 *
 * @example
 * ```ts
 * stampOf(store.Employee.update(1, { salary: 71_000 })) // → 2
 * ```
 */
export const stampOf = (entity: object): number => EntityBase.stampOf(entityOnly(entity, 'stampOf'))
/**
 * When the entity was last saved, ISO 8601.
 *
 * @example
 * ```ts
 * timestampOf(store.Employee.get(1)!).length // → 24
 * ```
 */
export const timestampOf = (entity: object): string =>
  EntityBase.timestampOf(entityOnly(entity, 'timestampOf'))
/**
 * The model of the entity's dataclass.
 *
 * @example
 * ```ts
 * dataClassOf(store.Employee.get(1)!).name // → Employee
 * ```
 */
export const dataClassOf = (entity: object): ClassModel =>
  EntityBase.modelOf(entityOnly(entity, 'dataClassOf'))

/**
 * The key that a to-one relation of the entity holds, or null. Works also for relations without a
 * foreign key attribute.
 *
 * @example
 * ```ts
 * foreignKeyOf(store.Employee.get(1)!, 'employer') // → 1
 * ```
 */
export function foreignKeyOf(entity: object, relation: string): string | number | null {
  const known = entityOnly(entity, 'foreignKeyOf')
  const attribute = EntityBase.modelOf(known).attributes.get(relation)
  if (attribute?.kind !== 'relatedEntity') {
    throw new EntiaError('attributeNotFound', {
      dataClass: EntityBase.modelOf(known).name,
      attribute: relation,
    })
  }
  return EntityBase.foreignKeyOf(known, attribute) as string | number | null
}

/** The model of the dataclass of an entity; null for any other value. */
export const modelOfEntity = (value: unknown): ClassModel | null =>
  EntityBase.isEntity(value) ? EntityBase.modelOf(value) : null
