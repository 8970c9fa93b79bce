import { EntiaError } from '../errors.ts'
import { refused } from '../value/check-options.ts'
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

/** One timestamp, and in the same memory the two numbers that entities keep of it. */
export const timestampBuffer = new Float64Array(1)
export const timestampHalves = new Int32Array(timestampBuffer.buffer)

/** Entities that are saved together have one timestamp. */
let lastTimestamp = Number.NaN
let lastText = ''

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

  /** ISO 8601. */
  get timestamp(): string {
    timestampHalves[0] = this.first
    timestampHalves[1] = this.second
    if (timestampBuffer[0] !== lastTimestamp) {
      lastTimestamp = timestampBuffer[0]
      lastText = formatDate(lastTimestamp, false)
    }
    return lastText
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

  static marksOf(entity: EntityBase): EntityMarks {
    return entity[MARKS]() as EntityMarks
  }
  static foreignKeyOf(entity: EntityBase, relation: ToOneAttribute): StoredValue {
    const { foreignKey, owner } = relation
    if (!foreignKey.hidden) return entity[foreignKey.name]
    // Counted, because a list would be allocated for each entity that is answered.
    let place = 0
    for (let at = 0; at < foreignKey.ordinal; at++) if (owner.storage[at].hidden) place++
    return EntityBase.marksOf(entity).origin.hidden?.[place] ?? null
  }
}

/** The columns of hidden foreign keys. */
export const hiddenKeysOf = (model: ClassModel): StorageAttribute[] =>
  model.storage.filter((attribute) => attribute.hidden)

/** The marks of an entity; null for any other value. */
const marksIfEntity = (value: unknown): EntityMarks | null =>
  value instanceof EntityBase ? value[MARKS]() : null

/**
 * All marks of an entity, for `wanted`, the function that the caller has called.
 *
 * @internal For other packages of Entia.
 */
export function marksOf(entity: object, wanted: string): EntityMarks {
  const marks = marksIfEntity(entity)
  if (marks !== null) return marks
  throw refused(`The argument of ${wanted}`, 'an entity of a store', typeof entity)
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
export const isEntity = (value: unknown): value is AnyEntity => marksIfEntity(value) !== null
/**
 * The primary key. Works also if an attribute is called `key`.
 *
 * @example
 * ```ts
 * keyOf(store.Employee.get(1)!) // → 1
 * ```
 */
export const keyOf = (entity: object): string | number =>
  marksOf(entity, 'keyOf').key as string | number
/**
 * The version stamp: 1 at creation, one more after each saved change.
 *
 * @example
 * ```ts
 * stampOf(store.Employee.update(1, { salary: 71_000 })) // → 2
 * ```
 */
export const stampOf = (entity: object): number => marksOf(entity, 'stampOf').stamp
/**
 * When the entity was last saved, ISO 8601.
 *
 * @example
 * ```ts
 * timestampOf(store.Employee.get(1)!).length // → 24
 * ```
 */
export const timestampOf = (entity: object): string => marksOf(entity, 'timestampOf').timestamp
/**
 * The model of the entity's dataclass.
 *
 * @example
 * ```ts
 * dataClassOf(store.Employee.get(1)!).name // → Employee
 * ```
 */
export const dataClassOf = (entity: object): ClassModel =>
  marksOf(entity, 'dataClassOf').origin.model

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
  const { model } = marksOf(entity, 'foreignKeyOf').origin
  const attribute = model.attributes.get(relation)
  if (attribute?.kind !== 'relatedEntity') {
    throw new EntiaError('attributeNotFound', {
      dataClass: model.name,
      attribute: relation,
    })
  }
  return EntityBase.foreignKeyOf(entity as EntityBase, attribute) as string | number | null
}

/** The model of the dataclass of an entity; null for any other value. */
export const modelOfEntity = (value: unknown): ClassModel | null =>
  marksIfEntity(value)?.origin.model ?? null
