import type { EntityBase, EntityOrigin } from '../model/entity.ts'
import type { StoredValue } from '../value/types.ts'

/** Reads the marks that the entity of a record gets. */
export interface EntitySource {
  readonly origin: EntityOrigin
  /** Columns of hidden foreign keys; null where there are none, and all records are of one origin. */
  readonly hiddenOrdinals: readonly number[] | null
  hidingAt(slot: number, hiddenOrdinals: readonly number[]): EntityOrigin
  keyAt(slot: number): StoredValue
  stampAt(slot: number): number
  /** The halves of the timestamp. */
  firstAt(slot: number): number
  secondAt(slot: number): number
}

/** Gives an entity other marks. */
export type WriteMarks = (
  entity: EntityBase,
  origin: EntityOrigin,
  key: StoredValue,
  stamp: number,
  first: number,
  second: number,
) => void

export type EntityConstructor = new (
  origin: EntityOrigin,
  key: StoredValue,
  stamp: number,
  first: number,
  second: number,
) => EntityBase

/** A class whose entities have properties of these names, from place `first` on; the one that knows marks gives away how to write them. */
export type EntityClassMaker = (
  base: EntityConstructor,
  names: readonly string[],
  first: number,
  className: string,
  giveWriter: (write: WriteMarks) => void,
) => EntityConstructor

/** Makes an entity of a record. */
export type EntityMaker = (slot: number) => EntityBase

export type EntityMakerMaker = (
  entityClass: EntityConstructor,
  names: readonly string[],
  readers: readonly ((slot: number) => unknown)[],
  source: EntitySource,
) => EntityMaker
