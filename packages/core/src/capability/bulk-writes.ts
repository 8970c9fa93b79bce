import type { Capability } from '../kernel/capability.ts'
import type { DataClassTable } from '../kernel/data-class-table.ts'
import { handleOf } from '../kernel/handle.ts'
import type { Untyped } from '../model/definition.ts'
import type { DataClassLoads, LoadOptions, LoadResult, UpdateResult } from '../model/table-types.ts'
import { tableParts } from '../read/table-queries.ts'
import { loadMany, updateMany } from '../write/bulk-writes.ts'

function load(this: DataClassTable, rows: Iterable<unknown>, options?: LoadOptions): LoadResult
function load(
  this: DataClassTable,
  rows: AsyncIterable<unknown>,
  options?: LoadOptions,
): Promise<LoadResult>
function load(
  this: DataClassTable,
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  options: LoadOptions = {},
): LoadResult | Promise<LoadResult> {
  const { port, model } = tableParts(this)
  const { writer } = handleOf(port.whole)
  return loadMany(writer, writer.tableOf(model), rows, options)
}

const table = {
  updateAll(this: DataClassTable, changes: readonly unknown[]): UpdateResult {
    const { port, model } = tableParts(this)
    const { writer } = handleOf(port.whole)
    return { count: updateMany(writer, writer.tableOf(model), changes) }
  },
  load,
} satisfies DataClassLoads<Untyped, string>

/** `load` and `updateAll` of dataclasses. */
export const bulkWrites = { name: 'bulkWrites', table } as const satisfies Capability
