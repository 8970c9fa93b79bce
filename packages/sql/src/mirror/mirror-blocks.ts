import { createMediaElsewhere, type StoredValue } from '@entia/core/internal'
import { decodeObject, readColumns, refuseUnsafe } from '../schema/row-codec.ts'
import { RECORD, type SqlColumn, type SqlTable, STAMP, TIMESTAMP } from '../schema/sql-model.ts'
import { joined, listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'

/** Entities as a mirror takes them, in the order of their record numbers. */
export interface MirrorBlock {
  readonly records: readonly number[]
  readonly stamps: readonly number[]
  readonly timestamps: readonly number[]
  /** Values by attribute and entity. */
  readonly columns: readonly (readonly StoredValue[])[]
}

/** Entities of one block: a piece of work that other requests wait for. */
const ROWS = 2000
/** Bytes of texts and objects in one block, but for its last entity. */
const MAX_BYTES = 1 << 19

/** The bytes of the entities before one. No column has the name. */
const BYTES_BEFORE = new SqlName('~before')

/**
 * The entities behind a record number as one row: a JSON array for each column, which the engine of
 * JavaScript reads many times faster than a driver reads cells. Of images and BLOBs the size stands
 * for the content. An outer query of only aggregates over one sorted input reads it in its order,
 * all of them in the same one.
 */
export function blockSql({ name, columns }: SqlTable, after: number): Sql {
  const some = sql`SELECT ${listed([RECORD, STAMP, TIMESTAMP].map(ofTable))}, ${listed(columns.flatMap(columnsOf))} FROM ${name} AS t WHERE t.${RECORD} > ${after}::bigint ORDER BY t.${RECORD} LIMIT ${ROWS}::bigint`
  const bytes = joined([sql`0`, ...columns.flatMap(bytesOf)], sql` + `)
  const sized = sql`SELECT t.*, sum(${bytes}) OVER (ORDER BY t.${RECORD} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ${BYTES_BEFORE} FROM (${some}) AS t`
  const lists = [RECORD, STAMP, TIMESTAMP, ...columns.flatMap(readColumns)].map(
    (each) => sql`json_agg(t.${each})`,
  )
  return sql`SELECT ${listed(lists)} FROM (${sized}) AS t WHERE coalesce(t.${BYTES_BEFORE}, 0) < ${MAX_BYTES}::bigint`
}

const ofTable = (name: SqlName): Sql => sql`t.${name}`

const columnsOf = ({ name, mediaType }: SqlColumn): readonly Sql[] =>
  mediaType === null
    ? [ofTable(name)]
    : [sql`octet_length(t.${name}) AS ${name}`, ofTable(mediaType)]

/** What it takes to count the bytes of a value that may be long. */
const bytesOf = ({ name, kind }: SqlColumn): readonly Sql[] =>
  kind === 'folded' || kind === 'exact' || kind === 'object'
    ? [sql`coalesce(octet_length(t.${name}::text), 0)`]
    : []

/**
 * Reads the row of `blockSql`; null if no entity is left. `refuse` is called for the content of
 * images and BLOBs. Throws `valueInvalid` for a value that the model cannot hold.
 */
export function readBlock(
  { columns }: SqlTable,
  row: readonly unknown[],
  refuse: () => never,
): MirrorBlock | null {
  if (row[0] === null) return null
  const lists = row.map((cell) => JSON.parse(cell as string))
  const [records, stamps, timestamps] = lists as readonly (readonly number[])[]
  let at = 3
  return {
    records: records!,
    stamps: stamps!,
    timestamps: timestamps!,
    columns: columns.map((column) => {
      const [values, mediaTypes] = lists.slice(at, (at += readColumns(column).length))
      return valuesOf(column, values, mediaTypes, refuse)
    }),
  }
}

function valuesOf(
  column: SqlColumn,
  values: readonly unknown[],
  mediaTypes: readonly string[],
  refuse: () => never,
): readonly StoredValue[] {
  switch (column.kind) {
    case 'media':
      return values.map((size, at) =>
        size === null ? null : createMediaElsewhere(mediaTypes[at]!, size as number, refuse),
      )
    case 'object':
      return values.map((value) => (value === null ? null : decodeObject(column, value)))
    case 'bigint':
    case 'date':
      for (const value of values)
        if (value !== null && !Number.isSafeInteger(value)) refuseUnsafe(column, value)
  }
  return values as readonly StoredValue[]
}
