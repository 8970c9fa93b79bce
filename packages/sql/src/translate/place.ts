import type { ClassModel, StorageAttribute } from '@entia/core'
import { RECORD, type SqlColumn, type SqlModel, type SqlTable } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'

/** A table of a statement under the name that it has there. */
export interface Place {
  readonly table: SqlTable
  readonly alias: SqlName
}

/** By letter and number, which the limits of a request bound. */
const aliases = new Map<string, SqlName[]>()

function aliasOf(letter: string, number: number): SqlName {
  let numbered = aliases.get(letter)
  if (numbered === undefined) aliases.set(letter, (numbered = []))
  return (numbered[number] ??= new SqlName(`${letter}${number}`))
}

/** The table of a dataclass, as the name `letter` and `number`. */
export const placeOf = (
  model: SqlModel,
  dataClass: ClassModel,
  letter: string,
  number: number,
): Place => ({
  table: model.tables[dataClass.ordinal]!,
  alias: aliasOf(letter, number),
})

/** The table that a statement selects from: `t0`. */
export const rootPlace = (model: SqlModel, dataClass: ClassModel): Place =>
  placeOf(model, dataClass, 't', 0)

/** `"hr"."Employee" "t0"`. */
export const fromPlace = ({ table, alias }: Place): Sql => sql`${table.name} ${alias}`

export const columnOf = ({ table }: Place, attribute: StorageAttribute): SqlColumn =>
  table.columns[attribute.ordinal]!

/** The column as it is stored. Texts of other programs have other collations. */
export function storedAt(place: Place, attribute: StorageAttribute): Sql {
  const { name, kind } = columnOf(place, attribute)
  const stored = sql`${place.alias}.${name}`
  return kind === 'folded' && place.table.isExisting ? sql`(${stored} COLLATE "C")` : stored
}

/** What is compared with texts and numbers: only texts have a key of their own. */
export function comparedAt(place: Place, attribute: StorageAttribute): Sql {
  const column = columnOf(place, attribute)
  return column.key === column.name ? storedAt(place, attribute) : keyAt(place, attribute)
}

/** The column that comparisons read. */
export const keyAt = (place: Place, attribute: StorageAttribute): Sql =>
  sql`${place.alias}.${columnOf(place, attribute).key}`

/** The record number. */
export const recordAt = ({ alias }: Place): Sql => sql`${alias}.${RECORD}`
