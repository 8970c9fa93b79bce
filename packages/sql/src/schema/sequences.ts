import { numberedAttributes } from '@entia/core/internal'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import type { StampMode } from './entia-tables.ts'
import { bounded } from './names.ts'
import { STAMP } from './row-sql.ts'
import type { SqlModel, SqlTable } from './sql-model.ts'

/** The sequence of PostgreSQL that numbers the entities of a table in the mode `rising`. */
export const sequenceName = (table: string): string => bounded(table, '$$next')

/**
 * The next automatic number of the row `s` of `entia_sequence`. `exact`: the row has it. `rising`:
 * a sequence of PostgreSQL does, and `s.next` is the number that it begins with.
 */
export const NEXT_NUMBER = sql`coalesce(pg_sequence_last_value(s.numbers) + 1, s.next)`

const sequenceRows = (schema: string): SqlName => new SqlName(schema, 'entia_sequence')

/** The next numbers of all dataclasses that have some: rows of class and number. */
export const nextNumbers = (schema: string): Sql =>
  sql`SELECT s.class, ${NEXT_NUMBER} FROM ${sequenceRows(schema)} AS s`

/** The next number of a dataclass, which others may give meanwhile. */
export const nextNumber = (schema: string, dataClass: string): Sql =>
  sql`SELECT ${NEXT_NUMBER} FROM ${sequenceRows(schema)} AS s WHERE s.class = ${dataClass}`

/**
 * `exact`: the next number of a dataclass, which no other transaction gives until this one ends.
 */
export const holdNumber = (schema: string, dataClass: string): Sql =>
  sql`SELECT s.next FROM ${sequenceRows(schema)} AS s WHERE s.class = ${dataClass} FOR UPDATE`

/** `exact`: stores the next number of a sequence that is held. */
export const moveNumber = (schema: string, dataClass: string, next: number): Sql =>
  sql`UPDATE ${sequenceRows(schema)} SET next = ${next}::bigint WHERE class = ${dataClass} AND next < ${next}::bigint`

/** Sets the next numbers of some dataclasses, in any mode. */
export const setNextNumbers = (
  schema: string,
  classes: readonly string[],
  next: readonly number[],
): readonly Sql[] => [
  sql`UPDATE ${sequenceRows(schema)} AS s SET next = v.next FROM unnest(${classes}::text[], ${next}::bigint[]) AS v(class, next) WHERE s.class = v.class`,
  sql`SELECT setval(s.numbers, s.next, false) FROM ${sequenceRows(schema)} AS s WHERE s.class = ANY (${classes}::text[]) AND s.numbers IS NOT NULL`,
]

/**
 * `rising`: moves a sequence beyond a number that an entity was given. Another transaction may move
 * it back a little at the same moment: then it gives numbers that entities have, which their unique
 * index refuses, so that the next ones are drawn.
 */
export const passNumber = (schema: string, dataClass: string, given: number): Sql =>
  sql`SELECT setval(s.numbers, ${given}::bigint) FROM ${sequenceRows(schema)} AS s WHERE s.class = ${dataClass} AND ${NEXT_NUMBER} <= ${given}::bigint`

/** `rising`: draws numbers. A rollback does not give them back. */
export const drawNumbers = (schema: string, dataClass: string, count: number): Sql =>
  sql`SELECT nextval(s.numbers) FROM ${sequenceRows(schema)} AS s, generate_series(1, ${count}::bigint) WHERE s.class = ${dataClass} ORDER BY 1`

/**
 * Queries of a statement that give the next numbers of a dataclass to new entities: the last one is
 * `numbers`, with `place`, from 0, and `number`. PostgreSQL must not take them for many rows before
 * it knows the count: it would plan the statement again each time.
 */
export function numberQueries(
  schema: string,
  mode: StampMode,
  dataClass: string,
  count: number,
): Sql {
  const rows = sequenceRows(schema)
  const places =
    count === 1
      ? sql`(SELECT 0 AS place) AS g`
      : sql`unnest(${Array.from({ length: count }, (_, at) => at)}::integer[]) AS g (place)`
  return mode === 'exact'
    ? sql`moved AS (UPDATE ${rows} AS s SET next = s.next + ${count}::integer WHERE s.class = ${dataClass} RETURNING s.next - ${count}::integer AS first), numbers AS MATERIALIZED (SELECT g.place, m.first + g.place AS number FROM moved AS m, ${places})`
    : sql`numbers AS MATERIALIZED (SELECT g.place, nextval(s.numbers) AS number FROM ${rows} AS s, ${places} WHERE s.class = ${dataClass})`
}

/** The highest number of the entities of a table; 0 without one. */
function highestNumber({ model, columns }: SqlTable): Sql {
  const highest = numberedAttributes(model).map(({ ordinal }) => sql`max(${columns[ordinal]!.key})`)
  return sql`greatest(${joined(highest, sql`, `)}, 0)`
}

/** Moves the sequences beyond the numbers of all entities, where another program gave some. */
export const passAllNumbers = ({ schema, tables }: SqlModel, mode: StampMode): readonly Sql[] =>
  tables
    .filter(({ model }) => numberedAttributes(model).length > 0)
    .map((table) => {
      const rows = sequenceRows(schema)
      const found = sql`(SELECT ${highestNumber(table)} AS highest FROM ${table.name}) AS h`
      const { name } = table.model
      return mode === 'exact'
        ? sql`UPDATE ${rows} AS s SET next = h.highest + 1 FROM ${found} WHERE s.class = ${name} AND s.next <= h.highest`
        : sql`SELECT setval(s.numbers, h.highest) FROM ${rows} AS s, ${found} WHERE s.class = ${name} AND ${NEXT_NUMBER} <= h.highest`
    })

/** Makes the rows and the sequences of numbered dataclasses as a mode needs them; again, too. */
export function sequenceSteps({ schema, tables }: SqlModel, mode: StampMode): readonly Sql[] {
  const rows = sequenceRows(schema)
  const numbered = tables.filter(({ model }) => numberedAttributes(model).length > 0)
  const inserted = numbered.map(
    (table) => sql`INSERT INTO ${rows} (class, next)
      SELECT ${table.model.name}, ${highestNumber(table)} + 1 FROM ${table.name}
      ON CONFLICT (class) DO NOTHING`,
  )
  const steps = mode === 'rising' ? numbered.flatMap(attached) : detached()
  return [...inserted, ...steps]

  function attached({ model, name: table }: SqlTable): readonly Sql[] {
    const name = new SqlName(schema, sequenceName(table.plain))
    const numbers = sql`${name.quoted}::text::regclass`
    return [
      // Goes with the table.
      sql`CREATE SEQUENCE IF NOT EXISTS ${name} OWNED BY ${table}.${STAMP}`,
      sql`SELECT setval(${numbers}, s.next, false) FROM ${rows} AS s WHERE s.class = ${model.name} AND s.numbers IS DISTINCT FROM ${numbers}`,
      sql`UPDATE ${rows} SET numbers = ${numbers} WHERE class = ${model.name}`,
    ]
  }

  function detached(): readonly Sql[] {
    return [
      sql`UPDATE ${rows} AS s SET next = ${NEXT_NUMBER}, numbers = NULL WHERE s.numbers IS NOT NULL`,
      ...numbered.map(
        ({ name }) => sql`DROP SEQUENCE IF EXISTS ${new SqlName(schema, sequenceName(name.plain))}`,
      ),
    ]
  }
}
