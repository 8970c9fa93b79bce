import type { EntityBase, EntityOrigin } from '../model/entity.ts'
import type { StoredValue } from '../value/types.ts'

/** Reads the marks of a record for its entity. */
export interface EntitySource {
  readonly origin: EntityOrigin
  /** Some foreign keys are not attributes of their own: `hidingAt` returns the origin then. */
  readonly hides: boolean
  hidingAt(slot: number): EntityOrigin
  /** The first property is the key, unchanged from its column. */
  readonly isKeyFirst: boolean
  keyAt(slot: number): StoredValue
  /** Stamps and timestamps. */
  readonly table: { readonly stamps: Int32Array; readonly timestampHalves: Int32Array }
}

/** Reads one own property of a record's entity. */
export type PropertyReader = (slot: number) => unknown

/** Replaces the marks of an entity. */
export type WriteMarks = (
  entity: EntityBase,
  origin: EntityOrigin,
  key: StoredValue,
  stamp: number,
  first: number,
  second: number,
) => void

/**
 * Creates the entity of a record with its first properties, or adds further properties to `entity`.
 * Readers and source are arguments, so that stores of one model share the function.
 */
export type EntityMaker = (
  readers: readonly PropertyReader[],
  source: EntitySource,
  slot: number,
  entity?: EntityBase,
) => EntityBase

/**
 * Creates a class whose entities have `width` properties of these names, and its maker. Without
 * `giveWriter` there is no class, and the maker adds further properties to entities. For V8 the
 * choice is a constant: a maker that did both took half as long again.
 */
export type EntityClassMaker = (
  base: abstract new (room?: unknown) => EntityBase,
  names: readonly string[],
  width: number,
  className: string,
  giveWriter: ((write: WriteMarks) => void) | null,
) => readonly [entityClass: { readonly prototype: EntityBase } | null, make: EntityMaker]
