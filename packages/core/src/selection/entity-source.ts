import type { EntityBase, EntityMarks } from '../model/entity.ts'

/** Reads the marks that the entity of a record gets. */
export interface EntitySource {
  read(slot: number): EntityMarks
}

/** A class whose entities have properties of these names, from place `first` on. */
export type EntityClassMaker = (
  base: abstract new (marks: EntityMarks) => object,
  names: readonly string[],
  first: number,
  className: string,
) => new (
  marks: EntityMarks,
) => EntityBase

/** Makes an entity of a record. */
export type EntityMaker = (slot: number) => EntityBase

export type EntityMakerMaker = (
  entityClass: new (marks: EntityMarks) => EntityBase,
  names: readonly string[],
  readers: readonly ((slot: number) => unknown)[],
  source: EntitySource,
) => EntityMaker
