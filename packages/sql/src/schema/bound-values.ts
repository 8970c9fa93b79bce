import type { SqlValue } from '../connect/port.ts'
import { joined, Sql, type SqlName, sql } from '../sql-builder/sql.ts'

/**
 * Values that a statement binds as rows or lists. A single one is written without an array:
 * PostgreSQL takes an array whose length it does not know for ten rows, finds the plan for its real
 * length cheaper, and so plans the statement again each time, which takes longer than to carry it
 * out.
 */

/** The types of columns, for casts of parameters. */
const TYPES: ReadonlyMap<string, { readonly one: Sql; readonly list: Sql }> = new Map(
  [
    'boolean',
    'integer',
    'bigint',
    'double precision',
    'text',
    'json',
    'jsonb',
    'bytea',
    'uuid',
    'date',
    'timestamp with time zone',
  ].map((name) => [name, { one: new Sql([name], []), list: new Sql([`${name}[]`], []) }]),
)

function boundType(name: string): { readonly one: Sql; readonly list: Sql } {
  const found = TYPES.get(name)
  if (found === undefined) throw new TypeError(`Parameters of the type ${name} are not known.`)
  return found
}

/** The array type of a column, for a cast. */
export const arrayType = (name: string): Sql => boundType(name).list

/**
 * A column of `valueRows`: its type by the name that PostgreSQL has for it, and a value per row.
 */
export interface ValueColumn {
  readonly name: SqlName
  readonly type: string
  readonly values: readonly SqlValue[]
}

/** Rows of values as the table `v` of a FROM clause. Cost: O(values). */
export function valueRows(columns: readonly ValueColumn[]): Sql {
  const names = listed(columns.map(({ name }) => name))
  return columns[0]!.values.length === 1
    ? sql`(VALUES (${listed(columns.map(({ type, values }) => sql`${values[0]!}::${boundType(type).one}`))})) AS v(${names})`
    : sql`unnest(${listed(columns.map(({ type, values }) => sql`${values}::${boundType(type).list}`))}) AS v(${names})`
}

/** True where `compared` equals one of some values that are not null. */
export const isOneOf = (compared: Sql | SqlName, type: string, values: readonly SqlValue[]): Sql =>
  values.length === 1
    ? sql`${compared} = ${values[0]!}::${boundType(type).one}`
    : sql`${compared} = ANY(${values}::${boundType(type).list})`

const listed = (pieces: readonly (Sql | SqlName)[]): Sql => joined(pieces, sql`, `)
