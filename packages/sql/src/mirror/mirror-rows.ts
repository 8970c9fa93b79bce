import { createMediaElsewhere, type StoredValue } from '@entia/core/internal'
import { decode, readColumns } from '../schema/row-codec.ts'
import { RECORD, STAMP, TIMESTAMP } from '../schema/row-sql.ts'
import type { SqlColumn, SqlTable } from '../schema/sql-model.ts'
import { joined, type Sql, sql } from '../sql-builder/sql.ts'

/** An entity as a mirror holds it. */
export interface MirrorRow {
  readonly record: number
  readonly stamp: number
  readonly timestamp: number
  readonly values: readonly StoredValue[]
}

/** The columns of a whole entity. Of images and BLOBs the size stands for the content. */
export const mirrorColumns = ({ columns }: SqlTable): Sql =>
  joined(
    [sql`t.${RECORD}`, sql`t.${STAMP}`, sql`t.${TIMESTAMP}`, ...columns.flatMap(columnsOf)],
    sql`, `,
  )

const columnsOf = (column: SqlColumn): readonly Sql[] =>
  column.mediaType === null
    ? readColumns(column).map((name) => sql`t.${name}`)
    : [sql`octet_length(t.${column.name})`, sql`t.${column.mediaType}`]

/** Reads a row of `mirrorColumns`. `refuse` is called for the content of images and BLOBs. */
export function readMirrorRow(
  { columns }: SqlTable,
  row: readonly unknown[],
  refuse: () => never,
): MirrorRow {
  let at = 3
  const values = columns.map((column): StoredValue => {
    const first = at
    at += readColumns(column).length
    if (column.mediaType === null) return decode(column, row, first)
    return row[first] === null
      ? null
      : createMediaElsewhere(String(row[first + 1]), Number(row[first]), refuse)
  })
  return { record: Number(row[0]), stamp: Number(row[1]), timestamp: Number(row[2]), values }
}
