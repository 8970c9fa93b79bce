import { numberedAttributes } from '@entia/core/internal'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import type { SqlModel, SqlTable } from './sql-model.ts'

const sequenceRows = (schema: string): SqlName => new SqlName(schema, 'entia_sequence')

/** The next numbers of all dataclasses that have some: rows of class and number. */
export const nextNumbers = (schema: string): Sql =>
  sql`SELECT s.class, s.next FROM ${sequenceRows(schema)} AS s`

/** The next number of a dataclass, which others may give meanwhile. */
export const nextNumber = (schema: string, dataClass: string): Sql =>
  sql`SELECT s.next FROM ${sequenceRows(schema)} AS s WHERE s.class = ${dataClass}`

/** The next number of a dataclass, which no other transaction gives until this one ends. */
export const holdNumber = (schema: string, dataClass: string): Sql =>
  sql`SELECT s.next FROM ${sequenceRows(schema)} AS s WHERE s.class = ${dataClass} FOR UPDATE`

/** Stores the next number of a sequence that is held. */
export const moveNumber = (schema: string, dataClass: string, next: number): Sql =>
  sql`UPDATE ${sequenceRows(schema)} SET next = ${next}::bigint WHERE class = ${dataClass} AND next < ${next}::bigint`

/** Raises the next numbers of some dataclasses to at least these. */
export const setNextNumbers = (
  schema: string,
  classes: readonly string[],
  next: readonly number[],
): Sql =>
  sql`UPDATE ${sequenceRows(schema)} AS s SET next = greatest(s.next, v.next) FROM unnest(${classes}::text[], ${next}::bigint[]) AS v(class, next) WHERE s.class = v.class`

/** Takes numbers of a dataclass: a row with the `first` of them. */
export const takeNumbers = (schema: string, dataClass: string, count: number): Sql =>
  sql`UPDATE ${sequenceRows(schema)} AS s SET next = s.next + ${count}::integer WHERE s.class = ${dataClass} RETURNING s.next - ${count}::integer AS first`

/** The highest number of the entities of a table; 0 without one. */
export function highestNumber({ model, columns }: SqlTable): Sql {
  const highest = numberedAttributes(model).map(({ ordinal }) => sql`max(${columns[ordinal]!.key})`)
  return sql`greatest(${listed(highest)}, 0)`
}

const numberedTables = ({ tables }: SqlModel): readonly SqlTable[] =>
  tables.filter(({ model }) => numberedAttributes(model).length > 0)

/**
 * Makes the sequences of numbered dataclasses, and moves those that exist beyond the numbers of all
 * entities, where another program gave some.
 */
export const passAllNumbers = (model: SqlModel): readonly Sql[] =>
  numberedTables(model).map(
    (table) => sql`INSERT INTO ${sequenceRows(model.schema)} AS s (class, next)
      SELECT ${table.model.name}, ${highestNumber(table)} + 1 FROM ${table.name}
      ON CONFLICT (class) DO UPDATE SET next = excluded.next WHERE s.next < excluded.next`,
  )

/** For each numbered dataclass: true if an entity has the next number of its sequence, or more. */
export const numbersBehind = (model: SqlModel): readonly Sql[] =>
  numberedTables(model).map(
    (table) =>
      sql`SELECT coalesce((SELECT s.next FROM ${sequenceRows(model.schema)} AS s WHERE s.class = ${table.model.name}), 0) <= (SELECT ${highestNumber(table)} FROM ${table.name})`,
  )
