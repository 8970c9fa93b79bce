import type { SqlConnection } from '../connect/port.ts'
import { type Sql, type SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { decode, encode } from './row-codec.ts'
import { REMEDY_CHANGE, refuseDatabase } from './schema-errors.ts'
import type { SqlColumn, SqlModel, SqlTable, TheirColumn } from './sql-model.ts'

/** Rows that are in memory at the same time. */
const BATCH = 1000

/**
 * Fills a column with the values of the column of another program. Throws `databaseDiffers` for
 * dates that no process can show. Cost: one statement, which reads the whole table.
 */
export async function copyTheirs(
  { send }: SqlConnection,
  { schema }: SqlModel,
  table: SqlTable,
  { attribute, kind, name, theirs }: SqlColumn & { readonly theirs: TheirColumn },
): Promise<void> {
  if (kind === 'date' || kind === 'dateOnly') {
    const shown = sql`${theirs.name} NOT BETWEEN '4714-11-24 00:00:00+00 BC' AND '275760-09-13 00:00:00+00'`
    const question = sql`SELECT EXISTS (SELECT FROM ${table.name} WHERE ${shown})`
    const [answer] = await send([statementOf(question)])
    if (answer!.rows[0]![0] === true) {
      const place = `${table.model.name}.${attribute.name}`
      refuseDatabase(
        schema,
        [`${place} has dates after the year 275760, or infinite.`],
        REMEDY_CHANGE,
      )
    }
  }
  await send([statementOf(sql`UPDATE ${table.name} SET ${name} = ${ownValue(kind, theirs.name)}`)])
}

function ownValue(kind: SqlColumn['kind'], theirs: SqlName): Sql {
  switch (kind) {
    case 'date':
      return sql`floor(extract(epoch FROM ${theirs}) * 1000)::bigint`
    case 'dateOnly':
      return sql`${theirs} - date '1970-01-01'`
    case 'uuid':
      return sql`upper(replace(${theirs}::text, '-', ''))`
    default:
      return sql`${theirs}`
  }
}

/**
 * Writes the keys of a column again where they differ from those of this process. Cost: reads the
 * whole column, two round trips for 1000 rows.
 */
export async function foldKeys(
  { send }: SqlConnection,
  table: SqlTable,
  column: SqlColumn,
): Promise<void> {
  const { name, key, kind } = column
  const type = kind === 'object' ? sql`jsonb` : sql`text`
  let last = -1
  for (;;) {
    const page = sql`SELECT _rec, ${name} FROM ${table.name}
      WHERE _rec > ${last}::bigint AND ${name} IS NOT NULL ORDER BY _rec LIMIT ${BATCH}::integer`
    const rows = (await send([statementOf(page)]))[0]!.rows
    if (rows.length === 0) return
    const records = rows.map(([record]) => record as number)
    const keys = rows.map((row) => encode(column, decode(column, row, 1))[1] ?? null)
    const update = sql`UPDATE ${table.name} t SET ${key} = f.folded::${type}
      FROM unnest(${records}::bigint[], ${keys}::text[]) AS f (rec, folded)
      WHERE t._rec = f.rec AND t.${key} IS DISTINCT FROM f.folded::${type}`
    await send([statementOf(update)])
    last = records.at(-1)!
  }
}
