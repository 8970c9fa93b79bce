import { type Sql, sql } from '../text/sql.ts'

/** The array types of columns, for casts of parameters. */
const TYPES: ReadonlyMap<string, Sql> = new Map([
  ['boolean', sql`boolean[]`],
  ['integer', sql`integer[]`],
  ['bigint', sql`bigint[]`],
  ['double precision', sql`double precision[]`],
  ['text', sql`text[]`],
  ['json', sql`json[]`],
  ['jsonb', sql`jsonb[]`],
  ['bytea', sql`bytea[]`],
  ['uuid', sql`uuid[]`],
  ['date', sql`date[]`],
  ['timestamp with time zone', sql`timestamptz[]`],
])

export function arrayType(type: string): Sql {
  const found = TYPES.get(type)
  if (found === undefined) throw new TypeError(`There is no array of ${type}.`)
  return found
}
