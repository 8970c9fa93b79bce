import type { EntityBase, EntityOrigin } from '../model/entity.ts'
import type { StoredValue } from '../value/types.ts'

/** Reads the marks that the entity of a record gets. */
export interface EntitySource {
  originAt(slot: number): EntityOrigin
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
 * Makes an entity of a record and fills in its first properties; where an entity is given, it gets further ones. Readers and source are
 * arguments, so that stores of one model share the function.
 */
export type EntityMaker = (
  readers: readonly PropertyReader[],
  source: EntitySource,
  slot: number,
  entity?: EntityBase,
) => EntityBase

/** A class whose entities have the first `width` of these names as properties, and what makes them. */
export type EntityClassMaker = (
  base: abstract new (room?: unknown) => EntityBase,
  names: readonly string[],
  width: number,
  className: string,
  giveWriter: (write: WriteMarks) => void,
) => readonly [entityClass: { readonly prototype: EntityBase }, make: EntityMaker]
