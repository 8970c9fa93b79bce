import type { LoadOptions } from '../model/table-types.ts'
import type { ChangeRecorder } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import { TableLoad } from '../storage/table-load.ts'
import { refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import {
  checkLoadRelations,
  checkLoadUnique,
  checkValue,
  eachRow,
  eachRowToCome,
  fillLoad,
  RowReader,
  rowRefused,
} from './load-rows.ts'
import { readGiven } from './patch.ts'
import { newUuid, type WriteContext } from './port.ts'
import { type References, targetMissing } from './referential.ts'
import { checkRoom, type StageSet } from './stage-set.ts'
import type { Transaction } from './transaction.ts'

/** True where a load goes entity by entity. Throws `argumentInvalid`. */
export function isLoadedOneByOne(table: Table, options: LoadOptions): boolean {
  const { init, beforeSave, validateSave, afterSave } = table.model.hooks
  const hasHooks = [init, beforeSave, validateSave, afterSave].some((hook) => hook !== undefined)
  if (table.isWhole) return hasHooks && options.hooks !== false
  // Only single insertions look up what such a table does not know, and they run the hooks.
  if (hasHooks && options.hooks === false)
    throw refused('The option "hooks"', 'left out: this engine loads with hooks', 'false')
  return true
}

/** Coerced rows: their values by column. */
export class ReadRows {
  readonly count: number
  readonly columns: StoredValue[][]

  constructor(count: number, columns: StoredValue[][]) {
    this.count = count
    this.columns = columns
  }

  /** Generates UUIDs. Runs code of the host. Throws `argumentInvalid`. */
  fillUuids({ model }: Table, port: WriteContext): void {
    for (const { type, key, autoSequence, ordinal } of model.storage) {
      if (type !== 'uuid' || !(key || autoSequence)) continue
      const values = this.columns[ordinal]
      for (let row = 0; row < values.length; row++) values[row] ??= newUuid(port)
    }
  }
}

/**
 * Reads rows into columns, one row at a time. It runs code of the caller (the iterable,
 * `onProgress`), so that the tables may change: it compares nothing with them.
 */
function readRows(table: Table, rows: Iterable<unknown>, options: LoadOptions): ReadRows {
  const reader = new RowReader(table.model, Array.isArray(rows) ? rows.length : 0)
  const count = eachRow(table.model, rows, options.onProgress, reader)
  return new ReadRows(count, reader.end())
}

/** As `readRows`, for an async iterable. */
export async function readRowsToCome(
  table: Table,
  rows: AsyncIterable<unknown>,
  options: LoadOptions,
): Promise<ReadRows> {
  const reader = new RowReader(table.model)
  const count = await eachRowToCome(table.model, rows, options.onProgress, reader)
  return new ReadRows(count, reader.end())
}

/**
 * Checks rows against the tables and writes them. Nothing of the table may be staged. Returns the
 * first birth. Cost O(rows), plus building the indexes. Throws `loadRefused`, with nothing written.
 */
function writeRows(
  table: Table,
  { count, columns }: ReadRows,
  options: LoadOptions,
  tables: readonly Table[],
  recorder: ChangeRecorder,
  timestamp: number,
  port: WriteContext,
): number {
  const next = { sequence: table.sequence }
  fillLoad(table, columns, next)
  const hashes = checkLoadUnique(table, columns)
  checkLoadRelations(table, columns, tables, hashes.keys, options.relations ?? 'check')

  const slots = table.nextSlots(count)
  const load = new TableLoad(table, slots, columns, hashes)
  port.allocation?.()
  checkRoom(table, table.keys, count)
  for (const index of table.indexes)
    if (index?.unique != null) checkRoom(table, index.unique, count)
  load.prepare()
  try {
    port.allocation?.()
    load.write(timestamp, () => port.nextBirth())
    port.allocation?.()
  } catch (error) {
    load.takeBack()
    throw error
  }
  recorder.loaded(table, slots)
  recorder.setSequence(table, next.sequence)
  return table.births[slots[0]]
}

/**
 * Loads entity by entity, for dataclasses with hooks: `insert` stages one. Relations are checked
 * after the last row, so that rows may refer to each other. Throws `loadRefused`.
 */
function insertRows(
  table: Table,
  rows: Iterable<unknown>,
  options: LoadOptions,
  stages: StageSet,
  references: References,
  insert: (row: unknown) => number,
): number {
  const { model } = table
  const rowOfBirth = new Map<number, number>()
  const mark = references.mark()
  const read = (row: unknown): void => {
    const slot = insert(row)
    rowOfBirth.set(stages.of(table).birthOf(slot), rowOfBirth.size + 1)
  }
  const count = eachRow(model, rows, options.onProgress, { read })
  for (const { record, relation, key } of references.danglingSince(mark)) {
    const row = rowOfBirth.get(record.birth)
    // The transaction checks the other writes of hooks.
    if (row === undefined) continue
    try {
      if (options.relations !== 'null') throw targetMissing(relation, key)
      checkValue(relation.foreignKey, null)
    } catch (error) {
      throw rowRefused(model, row, error)
    }
    stages.amend(table, record.slot, relation.foreignKey.ordinal, null)
  }
  return count
}

/**
 * Inserts many entities, which may refer to each other; returns their number. Without hooks it
 * loads column by column and writes at once; such rows may have been read before. Throws
 * `loadRefused`, naming the row, with nothing loaded.
 */
export function loadInto(
  transaction: Transaction,
  table: Table,
  rows: Iterable<unknown> | ReadRows,
  options: LoadOptions,
): number {
  const { stages, recorder, port, writer, references } = transaction
  if (!(rows instanceof ReadRows) && isLoadedOneByOne(table, options)) {
    return transaction.write(table, () =>
      insertRows(table, rows, options, stages, references, (row) =>
        writer.insert(table, readGiven(table.model, row)),
      ),
    )
  }
  const read = rows instanceof ReadRows ? rows : readRows(table, rows, options)
  if (read.count === 0) return 0
  // Ids and clock are code of the host, which may write. The rest runs only code of the store.
  read.fillUuids(table, port)
  const timestamp = stages.now()
  return transaction.write(table, () => {
    transaction.apply()
    const birth = writeRows(table, read, options, stages.tables, recorder, timestamp, port)
    writer.after.noteBirth(birth)
    stages.version++
    return read.count
  })
}
