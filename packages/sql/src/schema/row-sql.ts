import type { ClassModel } from '@entia/core'
import type { WorkingRow } from '@entia/engine'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import type { Place } from '../translate/place.ts'
import { decodeRecord, readColumns } from './row-codec.ts'
import { RECORD, type SqlModel, STAMP, TIMESTAMP } from './sql-model.ts'

/** The columns of a whole entity of `t0`: record number, stamp, timestamp, values. */
export function rowColumns(place: Place): Sql {
  const names = [RECORD, STAMP, TIMESTAMP, ...place.table.columns.flatMap(readColumns)]
  return listed(names.map((name) => sql`${place.alias}.${name}`))
}

/** The entity in a row of `rowColumns`, without its lock, which the row does not have. */
export function readRow(
  model: SqlModel,
  dataClass: ClassModel,
  row: readonly unknown[],
): WorkingRow {
  return {
    dataClass,
    record: Number(row[0]),
    stamp: Number(row[1]),
    timestamp: Number(row[2]),
    values: decodeRecord(model.tables[dataClass.ordinal]!, row, 3),
    lockedBy: null,
  }
}
