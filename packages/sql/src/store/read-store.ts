import type { AnyDataStore } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import type { WorkingRow } from '@entia/engine'
import type { SqlConnection } from '../connect/port.ts'
import { beginSnapshot } from '../schema/entia-tables.ts'
import { readRow, rowColumns } from '../schema/row-sql.ts'
import { nextNumbers } from '../schema/sequences.ts'
import { RECORD, type SqlModel } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { fromPlace, rootPlace } from '../translate/place.ts'

/** Entities of one statement. */
const ROWS = 1000

/** The record number that an entity gets in memory. */
export type SlotOf = (row: WorkingRow, lowestFree: number) => number

/**
 * Replaces the contents of a store in memory by those of one moment of the database: entities with
 * their stamps, timestamps and order, sequences, and the global stamp. Returns how many entities it
 * read. Their record numbers have no gaps unless `slotOf` says otherwise. Memory: all rows, once.
 */
export async function readStore(
  store: AnyDataStore,
  model: SqlModel,
  connection: SqlConnection,
  slotOf: SlotOf = (_row, lowestFree) => lowestFree,
): Promise<number> {
  const { schema } = model
  const [head, sequences] = await beginSnapshot(connection, schema, [
    statementOf(sql`SELECT stamp FROM ${new SqlName(schema, 'entia_store')}`),
    statementOf(nextNumbers(schema)),
  ])
  const next = new Map(sequences!.rows.map(([name, value]) => [String(name), Number(value)]))
  const read: (readonly WorkingRow[])[] = []
  for (const table of model.tables) read.push(await rowsOf(model, table, connection))
  const stamp = Number(head!.rows[0]![0])
  const { writer } = handleOf(store)
  writer.replace((tables, nextBirth) => {
    for (const table of tables) {
      for (const slot of table.liveSlots()) table.removeAt(slot, table.readAll(slot))
      const rows = read[table.model.ordinal]!
      table.reserve(rows.length)
      for (const row of rows) {
        const { values, stamp, timestamp } = row
        const slot = slotOf(row, table.lowestFree)
        table.reserve(slot + 1)
        for (const [column, value] of values.entries()) table.admit(column, value)
        table.insertAt(slot, values, stamp, timestamp, nextBirth())
      }
      table.sequence = next.get(table.model.name) ?? table.sequence
    }
    return stamp
  })
  // A dump of the copy has the global stamp of the database, also if the store was at a later one.
  writer.startAt(stamp)
  return read.reduce((count, rows) => count + rows.length, 0)
}

/** In record order. */
async function rowsOf(
  model: SqlModel,
  { model: dataClass }: SqlModel['tables'][number],
  connection: SqlConnection,
): Promise<readonly WorkingRow[]> {
  const at = rootPlace(model, dataClass)
  const rows: WorkingRow[] = []
  for (let last = -1; ; ) {
    const [page] = await connection.send([
      statementOf(
        sql`SELECT ${rowColumns(at)} FROM ${fromPlace(at)} WHERE ${at.alias}.${RECORD} > ${last}::bigint ORDER BY ${at.alias}.${RECORD} LIMIT ${ROWS}::bigint`,
      ),
    ])
    for (const row of page!.rows) rows.push(readRow(model, dataClass, row))
    if (page!.rows.length < ROWS) return rows
    last = rows.at(-1)!.record
  }
}
