import type { SqlValue } from '../connect/port.ts'
import { listed, Sql, SqlName, sql } from '../sql-builder/sql.ts'

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
  /** True for texts that have no line breaks and are not empty. */
  readonly isLines?: boolean | undefined
}

/** Rows of values as the table `v` of a FROM clause. Cost: O(values). */
export function valueRows(columns: readonly ValueColumn[]): Sql {
  const names = listed(columns.map(({ name }) => name))
  return columns[0]!.values.length === 1
    ? sql`(VALUES (${listed(columns.map(boundValue))})) AS v(${names})`
    : sql`unnest(${listed(boundLists(columns))}) AS v(${names})`
}

/** The same with a last column `place`, from 1. */
export function placedRows(columns: readonly ValueColumn[]): Sql {
  const names = listed([...columns.map(({ name }) => name), PLACE])
  return columns[0]!.values.length === 1
    ? sql`(VALUES (${listed(columns.map(boundValue))}, 1::bigint)) AS v(${names})`
    : sql`unnest(${listed(boundLists(columns))}) WITH ORDINALITY AS v(${names})`
}

/** See `placedRows`. */
export const PLACE = new SqlName('place')

const boundValue = ({ type, values }: ValueColumn): Sql =>
  sql`${values[0]!}::${boundType(type).one}`

/**
 * `unnest` fills up shorter lists with nulls, so that a column without values is sent empty. The
 * first one is sent whole: it says how many rows there are.
 */
const boundLists = (columns: readonly ValueColumn[]): readonly Sql[] =>
  columns.map((column, at) =>
    boundList(at > 0 && column.values.every(isNull) ? { ...column, values: [] } : column),
  )
const isNull = (value: SqlValue): boolean => value === null

/**
 * A list of texts has each one in quotes, and escapes for those of the text, of which JSON is full.
 * `JSON.stringify` writes no line breaks, so that JSON is sent as lines.
 */
function boundList({ type, values, isLines }: ValueColumn): Sql {
  const { list } = boundType(type)
  return isLines === true || type === 'json' || type === 'jsonb'
    ? sql`string_to_array(${values.join('\n')}, E'\\n', '')::${list}`
    : sql`${values}::${list}`
}

/** True where `compared` equals one of some values that are not null. */
export const isOneOf = (compared: Sql | SqlName, type: string, values: readonly SqlValue[]): Sql =>
  values.length === 1
    ? sql`${compared} = ${values[0]!}::${boundType(type).one}`
    : sql`${compared} = ANY(${values}::${boundType(type).list})`
