import { describeFound, present } from '@entia/core/internal'
import type { SqlConnection } from '../connect/port.ts'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { decode, readColumns } from './row-codec.ts'
import { RECORD, type SqlColumn, type SqlModel } from './sql-model.ts'

/** What a step of a migration demands of the entities that exist. */
export interface Demand {
  readonly kind: 'unique' | 'relation' | 'notNull'
  readonly column: SqlColumn
}

/** Breaches that a message names: of `unique` each has two entities. */
const MAX_BREACHES = 2
const [FIRST, NEXT, EACH] = ['a', 'b', 't'].map((name) => new SqlName(name)) as [
  SqlName,
  SqlName,
  SqlName,
]

/**
 * The first entities that do not obey, with their keys and values: `Employee 1 with the text "x"
 * and Employee 7 with the text "X"`. Cost: reads the table.
 */
export async function firstBreaches(
  { send }: SqlConnection,
  model: SqlModel,
  { kind, column }: Demand,
): Promise<string> {
  const { owner } = column.attribute
  const table = model.tables[owner.ordinal]!
  const key = table.columns[owner.key.ordinal]!
  // The content of an image is not needed to say that it is missing.
  const values = kind === 'notNull' ? [] : readColumns(column)
  const cells = (alias: SqlName): Sql =>
    listed([...readColumns(key), ...values].map((name) => sql`${alias}.${name}`))
  const [found] = await send([statementOf(queryOf(model, { kind, column }, cells))])
  const width = readColumns(key).length + values.length
  const described = (row: readonly unknown[], at: number): string => {
    const of = (shown: SqlColumn, from: number): unknown =>
      present(shown.attribute.type, shown.attribute.dateOnly, decode(shown, row, from))
    const value = values.length === 0 ? null : of(column, at + readColumns(key).length)
    return `${owner.name} ${String(of(key, at))} with ${describeFound(value)}`
  }
  return found!.rows
    .map((row) =>
      Array.from({ length: row.length / width }, (_, at) => described(row, at * width)).join(
        ' and ',
      ),
    )
    .join('; ')
}

function queryOf(
  model: SqlModel,
  { kind, column: { attribute, name, key } }: Demand,
  cells: (alias: SqlName) => Sql,
): Sql {
  const table = model.tables[attribute.owner.ordinal]!.name
  const limit = sql`${MAX_BREACHES}::integer`
  switch (kind) {
    case 'unique':
      return sql`SELECT ${cells(FIRST)}, ${cells(NEXT)}
        FROM (SELECT ${EACH}.${key} AS shared, min(${EACH}.${RECORD}) AS first FROM ${table} AS ${EACH}
          WHERE ${EACH}.${key} IS NOT NULL GROUP BY ${EACH}.${key}
          HAVING count(*) > 1 ORDER BY first LIMIT ${limit}) AS d
        JOIN ${table} AS ${FIRST} ON ${FIRST}.${RECORD} = d.first
        JOIN LATERAL (SELECT * FROM ${table} AS ${EACH}
          WHERE ${EACH}.${key} = d.shared AND ${EACH}.${RECORD} > d.first
          ORDER BY ${EACH}.${RECORD} LIMIT 1) AS ${NEXT} ON TRUE ORDER BY d.first`
    case 'relation': {
      const target = model.tables[attribute.relation!.target.ordinal]!
      const targetKey = target.columns[target.model.key.ordinal]!
      return sql`SELECT ${cells(FIRST)} FROM ${table} AS ${FIRST}
        WHERE ${FIRST}.${name} IS NOT NULL AND NOT EXISTS (SELECT FROM ${target.name} AS ${EACH}
          WHERE ${EACH}.${targetKey.key} = ${FIRST}.${name}) ORDER BY ${FIRST}.${RECORD} LIMIT ${limit}`
    }
    case 'notNull':
      return sql`SELECT ${cells(FIRST)} FROM ${table} AS ${FIRST}
        WHERE ${FIRST}.${name} IS NULL ORDER BY ${FIRST}.${RECORD} LIMIT ${limit}`
  }
}
