import { isEntiaError } from '@entia/core'
import { isOfType, type StoredValue } from '@entia/core/internal'
import type { SqlConnection } from '../connect/port.ts'
import { decode, encode } from '../schema/row-codec.ts'
import { RECORD, type SqlColumn, type SqlTable, STAMP, TIMESTAMP } from '../schema/sql-model.ts'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { type DatabaseProblem, REMEDY_KEYS, REMEDY_ROWS } from './problem.ts'

/** Rows that are in memory at the same time. */
const PAGE = 1000
/** The times that a Date has. */
const MAX_TIMESTAMP = 8.64e15

/** The columns of one attribute that are read: not the content of media. */
interface ReadColumn {
  readonly column: SqlColumn
  readonly select: readonly Sql[]
  /** Where they begin in a row. */
  readonly at: number
}

/**
 * Reads every entity of a table, and reports stamps, values and comparison keys that Entia would
 * not have written. Returns how many entities there are. Memory: a thousand rows.
 */
export async function verifyRows(
  connection: SqlConnection,
  table: SqlTable,
  report: (problem: DatabaseProblem) => void,
): Promise<number> {
  const read = readColumnsOf(table)
  const columns = listed([RECORD, STAMP, TIMESTAMP, ...read.flatMap(({ select }) => select)])
  for (let last = -1, count = 0; ; ) {
    const [page] = await connection.send([
      statementOf(
        sql`SELECT ${columns} FROM ${table.name} WHERE ${RECORD} > ${last}::bigint ORDER BY ${RECORD} LIMIT ${PAGE}::bigint`,
      ),
    ])
    const { rows } = page!
    count += rows.length
    for (const row of rows) verifyRow(table, row, read, report)
    for (const { column, at } of read)
      if (column.kind === 'object')
        for (const problem of await wrongObjectKeys(connection, table, { column, at }, rows))
          report(problem)
    if (rows.length < PAGE) return count
    last = Number(rows.at(-1)![0])
  }
}

function readColumnsOf({ columns }: SqlTable): readonly ReadColumn[] {
  let at = 3
  return columns.map((column) => {
    const { name, key, mediaType, kind } = column
    const select =
      mediaType !== null
        ? [sql`${name} IS NULL`, sql`${mediaType} IS NULL`]
        : kind === 'object'
          ? [sql`${name}`, sql`${key} IS NULL`]
          : kind === 'folded'
            ? [sql`${name}`, sql`${key}`]
            : [sql`${name}`]
    const read = { column, select, at }
    at += select.length
    return read
  })
}

function verifyRow(
  table: SqlTable,
  row: readonly unknown[],
  columns: readonly ReadColumn[],
  report: (problem: DatabaseProblem) => void,
): void {
  const [, stamp, timestamp] = row.map(Number) as [number, number, number]
  const place = placeOf(table, row, columns)
  if (!(stamp >= 1))
    report({
      kind: 'stamp',
      place,
      problem: `its stamp is ${stamp}`,
      remedy: 'Set "_stamp" to a number from 1.',
    })
  if (!(Math.abs(timestamp) <= MAX_TIMESTAMP))
    report({
      kind: 'stamp',
      place,
      problem: `its timestamp is ${timestamp}`,
      remedy: 'Set "_ts" to milliseconds since 1970.',
    })
  for (const read of columns) {
    const problem = verifyColumn(read, row)
    if (problem !== null) report({ place: `${place}, ${read.column.attribute.name}`, ...problem })
  }
}

type ColumnProblem = Omit<DatabaseProblem, 'place'> | null

function verifyColumn({ column, at }: ReadColumn, row: readonly unknown[]): ColumnProblem {
  const { kind } = column
  if (kind === 'media')
    return row[at] === row[at + 1]
      ? null
      : {
          kind: 'value',
          problem: 'content and media type do not belong together',
          remedy: REMEDY_ROWS,
        }
  const value = storedIn(column, row, at)
  if (value instanceof Error) return { kind: 'value', problem: value.message, remedy: REMEDY_ROWS }
  if (kind === 'object' && (value === null) !== row[at + 1]) return keyProblem
  if (kind === 'folded') {
    const key = value === null ? null : keyText(column, value)
    if (key !== row[at + 1]) return keyProblem
  }
  return null
}

const keyProblem: ColumnProblem = {
  kind: 'key',
  problem: 'its comparison key is not that of its value, so filters and orders are wrong',
  remedy: REMEDY_KEYS,
}

/** The value, or why Entia would not have stored it. */
function storedIn(column: SqlColumn, row: readonly unknown[], at: number): StoredValue | Error {
  try {
    const value = decode(column, row, at)
    encode(column, value)
    if (value !== null && !isOfType(column.attribute, value))
      return new Error(`${String(value)} is not a value of type ${column.attribute.type}`)
    return value
  } catch (error) {
    if (isEntiaError(error)) return error
    throw error
  }
}

const keyText = (column: SqlColumn, value: StoredValue): string | null =>
  encode(column, value)[1] as string | null

/** Two texts of one jsonb may differ, so the database compares. */
async function wrongObjectKeys(
  connection: SqlConnection,
  table: SqlTable,
  { column, at }: Pick<ReadColumn, 'column' | 'at'>,
  rows: readonly (readonly unknown[])[],
): Promise<readonly DatabaseProblem[]> {
  const known = rows.flatMap((row) => {
    const value = row[at] === null ? null : storedIn(column, row, at)
    return value === null || value instanceof Error
      ? []
      : [[Number(row[0]), keyText(column, value)] as const]
  })
  if (known.length === 0) return []
  const keyName = table.columns[table.model.key.ordinal]!.name
  const [found] = await connection.send([
    statementOf(
      sql`SELECT t.${keyName} FROM ${table.name} AS t JOIN unnest(${known.map(([record]) => record)}::bigint[], ${known.map(([, key]) => key)}::text[]) AS f (rec, folded) ON t._rec = f.rec WHERE t.${column.key} <> f.folded::jsonb`,
    ),
  ])
  return found!.rows.map(([key]) => ({
    place: `${table.model.name} ${String(key)}, ${column.attribute.name}`,
    ...keyProblem!,
  }))
}

/** `Employee 17`. */
function placeOf(
  { model }: SqlTable,
  row: readonly unknown[],
  columns: readonly ReadColumn[],
): string {
  return `${model.name} ${String(row[columns[model.key.ordinal]!.at])}`
}
