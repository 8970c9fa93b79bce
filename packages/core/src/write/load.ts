import type { LoadOptions, LoadResult } from '../model/table-types.ts'
import type { Table } from '../storage/table.ts'
import { TableLoad } from '../storage/table-load.ts'
import { checkCallOptions, describeFound, refused } from '../value/check-options.ts'
import {
  CountedRows,
  checkLoadRelations,
  checkLoadUnique,
  checkValue,
  fillLoad,
  RowReader,
  rowRefused,
} from './load-rows.ts'
import { readGiven } from './patch.ts'
import { newUuid } from './port.ts'
import { targetMissing } from './referential.ts'
import { checkRoom } from './stage-set.ts'
import type { Transaction } from './transaction.ts'
import type { Writer } from './writer.ts'

const LOAD_OPTIONS = ['onProgress', 'relations', 'hooks']

/**
 * Inserts many entities as one commit, at once or, for an async iterable, after its last row (which
 * an open transaction cannot wait for). Returns their number. Throws `loadRefused`.
 */
export function loadMany(
  writer: Writer,
  table: Table,
  rows: unknown,
  given: LoadOptions = {},
): LoadResult | Promise<LoadResult> {
  checkCallOptions(given, LOAD_OPTIONS)
  // Options may be getters: read them once, first.
  const options = { ...given }
  const load = (read: Iterable<unknown> | RowReader, options: LoadOptions): LoadResult => ({
    count: writer.transact((transaction) => loadInto(transaction, table, read, options)),
  })
  if (isIterable(rows)) return load(rows, options)
  if (typeof rows !== 'object' || rows === null || !(Symbol.asyncIterator in rows))
    throw refused('The rows of a load', 'an iterable', describeFound(rows))
  writer.outside('load of an async iterable')
  const { onProgress, ...quiet } = options
  return gather(table, rows as AsyncIterable<unknown>, options).then((all) => load(all, quiet))
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/**
 * All rows of an async iterable, as columns or, for dataclasses with hooks, as inputs: a row needs
 * to exist only while it is read. Calls `onProgress` as they arrive. Throws `loadRefused`.
 */
async function gather(
  table: Table,
  rows: AsyncIterable<unknown>,
  options: LoadOptions,
): Promise<RowReader | readonly unknown[]> {
  const { model } = table
  const inputs: unknown[] = []
  const reader = isLoadedOneByOne(table, options) ? null : new RowReader(model)
  const read = (row: unknown): void => void inputs.push(readGiven(model, row))
  const counted = new CountedRows(model, options, reader ?? { read })
  for await (const row of rows) counted.next(row)
  counted.end()
  return reader?.end() ?? inputs
}

/** True where a load goes entity by entity. Throws `argumentInvalid`. */
function isLoadedOneByOne(table: Table, options: LoadOptions): boolean {
  const { init, beforeSave, validateSave, afterSave } = table.model.hooks
  const hasHooks = [init, beforeSave, validateSave, afterSave].some((hook) => hook !== undefined)
  if (table.isWhole) return hasHooks && options.hooks !== false
  // Only single insertions look up what such a table does not know, and they run the hooks.
  if (hasHooks && options.hooks === false)
    throw refused('The option "hooks"', 'left out: this engine loads with hooks', 'false')
  return true
}

/**
 * Inserts many entities, which may refer to each other; returns their number. Without hooks it
 * loads column by column and writes at once; such rows may have been read before. Throws
 * `loadRefused`, naming the row, with nothing loaded.
 */
function loadInto(
  transaction: Transaction,
  table: Table,
  rows: Iterable<unknown> | RowReader,
  options: LoadOptions,
): number {
  if (rows instanceof RowReader) return loadColumns(transaction, table, rows, options)
  if (isLoadedOneByOne(table, options))
    return transaction.write(table, () => insertRows(transaction, table, rows, options))
  // It runs code of the caller (the iterable, `onProgress`), so that the tables may change: it
  // compares nothing with them.
  const reader = new RowReader(table.model, Array.isArray(rows) ? rows.length : 0)
  const counted = new CountedRows(table.model, options, reader)
  for (const row of rows) counted.next(row)
  counted.end()
  return loadColumns(transaction, table, reader.end(), options)
}

/**
 * Loads entity by entity, for dataclasses with hooks. Relations are checked after the last row, so
 * that rows may refer to each other. Throws `loadRefused`.
 */
function insertRows(
  { stages, references, writer }: Transaction,
  table: Table,
  rows: Iterable<unknown>,
  options: LoadOptions,
): number {
  const { model } = table
  const rowOfBirth = new Map<number, number>()
  const mark = references.mark()
  const read = (row: unknown): void => {
    const slot = writer.insert(table, readGiven(model, row))
    rowOfBirth.set(stages.of(table).birthOf(slot), rowOfBirth.size + 1)
  }
  const counted = new CountedRows(model, options, { read })
  for (const row of rows) counted.next(row)
  const count = counted.end()
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
 * Loads rows that were read, column by column. Cost O(rows), plus building the indexes. Throws
 * `loadRefused`, with nothing written.
 */
function loadColumns(
  transaction: Transaction,
  table: Table,
  { count, columns }: RowReader,
  options: LoadOptions,
): number {
  if (count === 0) return 0
  const { stages, port } = transaction
  // Ids and clock are code of the host, which may write. The rest runs only code of the store.
  for (const { type, ordinal } of stages.of(table).plan.generated) {
    const values = columns[ordinal]
    if (type === 'uuid') for (let row = 0; row < count; row++) values[row] ??= newUuid(port)
  }
  const timestamp = stages.now()
  return transaction.write(table, () => {
    transaction.apply()
    writeColumns(transaction, table, columns, options, timestamp)
    stages.version++
    return count
  })
}

/** Checks columns against the tables and writes them. Nothing of the table may be staged. */
function writeColumns(
  { stages, recorder, port, writer }: Transaction,
  table: Table,
  columns: RowReader['columns'],
  options: LoadOptions,
  timestamp: number,
): void {
  const next = { sequence: table.sequence }
  fillLoad(table, columns, next)
  const hashes = checkLoadUnique(table, columns)
  checkLoadRelations(table, columns, stages.tables, hashes.keys, options.relations ?? 'check')

  const slots = table.nextSlots(columns[0].length)
  const load = new TableLoad(table, slots, columns, hashes)
  port.allocation?.()
  checkRoom(table, slots.length)
  load.prepare()
  try {
    port.allocation?.()
    load.write(timestamp, port.nextBirth)
    port.allocation?.()
  } catch (error) {
    load.takeBack()
    throw error
  }
  recorder.loaded(table, slots)
  recorder.setSequence(table, next.sequence)
  writer.after.noteBirth(table.births[slots[0]])
}
