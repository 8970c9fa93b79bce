import { EntiaError } from '../errors.ts'
import type { LoadOptions } from '../model/table-types.ts'
import type { Table } from '../storage/table.ts'
import { isLoadedOneByOne, ReadRows, readRowsToCome } from '../transaction/load.ts'
import { PROGRESS_ROWS } from '../transaction/load-rows.ts'
import { describeFound } from '../value/refusal.ts'

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** An object that is both counts as an iterable. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncIterator in value &&
    !isIterable(value)
  )
}

/**
 * All rows of an async iterable, as columns or, for dataclasses with hooks, as given. Calls
 * `onProgress` as they arrive. Throws `loadRefused`.
 */
export function gather(
  table: Table,
  rows: AsyncIterable<unknown>,
  options: LoadOptions,
): Promise<ReadRows | readonly unknown[]> {
  return isLoadedOneByOne(table, options)
    ? collect(rows, options)
    : readRowsToCome(table, rows, options)
}

async function collect(
  rows: AsyncIterable<unknown>,
  { onProgress }: LoadOptions,
): Promise<unknown[]> {
  const collected: unknown[] = []
  for await (const row of rows) {
    collected.push(row)
    if (collected.length % PROGRESS_ROWS === 0) onProgress?.(collected.length)
  }
  if (collected.length % PROGRESS_ROWS !== 0) onProgress?.(collected.length)
  return collected
}

/** The rows of a load. Throws `argumentInvalid` if they are not iterable. */
export function rowsOf(rows: unknown): Iterable<unknown> | ReadRows {
  if (isIterable(rows) || rows instanceof ReadRows) return rows
  const found = describeFound(rows)
  throw new EntiaError('argumentInvalid', {
    argument: 'The rows of a load',
    expected: 'an iterable',
    found,
  })
}
