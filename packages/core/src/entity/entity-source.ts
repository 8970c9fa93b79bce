import type { EntityBase, EntityOrigin } from '../model/entity.ts'
import type { StoredValue } from '../value/types.ts'

/** Reads the marks that the entity of a record gets. */
export interface EntitySource {
  originAt(slot: number): EntityOrigin
  /** The first property is the key, as it is stored. */
  readonly isKeyFirst: boolean
  keyAt(slot: number): StoredValue
  stampAt(slot: number): number
  /** The halves of the timestamp. */
  firstAt(slot: number): number
  secondAt(slot: number): number
}

/** Reads an own property of the entity of a record. */
export type PropertyReader = (slot: number) => unknown

/** Gives an entity other marks. */
export type WriteMarks = (
  entity: EntityBase,
  origin: EntityOrigin,
  key: StoredValue,
  stamp: number,
  first: number,
  second: number,
) => void

/**
 * Makes an entity of a record with its first properties, or gives one further properties. Readers and source are arguments, so that stores
 * of one model share the function.
 */
export type EntityMaker = (
  readers: readonly PropertyReader[],
  source: EntitySource,
  slot: number,
  entity?: EntityBase,
) => EntityBase

/**
 * A class whose entities have `width` properties of these names, and what makes them. Without `giveWriter` there is no class, and what is
 * made gives entities further properties. Whether there is one is a constant for V8: a maker that did both took half as long again.
 */
export type EntityClassMaker = (
  base: abstract new (room?: unknown) => EntityBase,
  names: readonly string[],
  width: number,
  className: string,
  giveWriter: ((write: WriteMarks) => void) | null,
) => readonly [entityClass: { readonly prototype: EntityBase } | null, make: EntityMaker]
