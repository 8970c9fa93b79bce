import type { LoadOptions, LoadResult } from '../model/table-types.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions } from '../value/check-options.ts'
import { loadInto } from './load.ts'
import { gather, isAsyncIterable, rowsOf } from './record-changes.ts'
import { refuseStale, UpdateBatch, updateAll } from './update-all.ts'
import type { Writer } from './writer.ts'

/** Updates many entities as one commit; returns how many were given. */
export function updateMany(writer: Writer, table: Table, changes: readonly unknown[]): number {
  writer.guard()
  if (writer.current !== null) return writer.transact((outer) => updateAll(outer, table, changes))
  const batch = new UpdateBatch(table.model, changes)
  if (writer.direct.writer.canCheckFirst(table)) refuseStale(writer.stages.of(table), batch)
  batch.readPatches()
  return writer.transact((transaction) => updateAll(transaction, table, batch))
}

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
  if (isAsyncIterable(rows)) {
    writer.outside('load of an async iterable')
    const { onProgress, ...quiet } = options
    return gather(table, rows, options).then((all) => loadMany(writer, table, all, quiet))
  }
  const iterable = rowsOf(rows)
  return {
    count: writer.transact((transaction) => loadInto(transaction, table, iterable, options)),
  }
}
