import type { SqlConnection } from '../connect/port.ts'
import { sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { decode, encode } from './row-codec.ts'
import type { SqlColumn, SqlTable } from './sql-model.ts'

/** Rows that are in memory at the same time. */
const BATCH = 1000

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
