import { produce } from 'immer'
import type { Untyped } from '../../model/definition.ts'
import type {
  DataClassLoads,
  LoadOptions,
  LoadResult,
  UpdateResult,
} from '../../model/table-types.ts'
import { tableParts } from '../../query/queries.ts'
import { loadMany } from '../../write/load.ts'
import { updateMany } from '../../write/update-all.ts'
import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataClassTable } from '../kernel/data-store.ts'

// Writes of many entities, and of large values.

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

/**
 * `load` and `updateAll` of dataclasses. Updates by a function get immer drafts, which copy only
 * what changes; without it a draft is a deep copy of the entity.
 */
export const bulkWrites = {
  name: 'bulkWrites',
  table,
  install({ writer }: StoreHandle) {
    writer.context.produce = produce
  },
} as const satisfies Capability
