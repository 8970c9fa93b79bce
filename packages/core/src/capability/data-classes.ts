import { produce } from 'immer'
import { EntiaError } from '../errors.ts'
import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataClassTable } from '../kernel/data-store.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type {
  DataClassIndexes,
  DataClassLoads,
  DataClassSearch,
  LoadOptions,
  LoadResult,
  UpdateResult,
} from '../model/table-types.ts'
import { INDEX_SUPPORT } from '../query/index-pages.ts'
import { type TableQueries, tableParts } from '../query/queries.ts'
import { hasScores, searchText } from '../query/search.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import { createIndexSteps } from '../storage/index-build.ts'
import { indexError } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { createIndex, dropIndex } from '../storage/table-load.ts'
import { loadMany, updateMany } from '../write/update-all.ts'

// Capabilities of whole dataclasses: indexes and search, bulk writes, drafts of updates.

const table = {
  createIndex(this: DataClassTable, attribute: string): void {
    createIndex(...ownIndex(this, attribute, 'createIndex'))
  },
  dropIndex(this: DataClassTable, attribute: string): void {
    dropIndex(...ownIndex(this, attribute, 'dropIndex'))
  },
} satisfies DataClassIndexes<Untyped, Untyped>

const queries = {
  search(this: TableQueries, words: string): Selection {
    const { model, port } = tableParts(this)
    const found = this.query(searchText(model, port.scope.sees, words))
    return hasScores(port, model) ? found.orderBy('relevance desc') : found
  },
} satisfies DataClassSearch<unknown>
const selection = {
  search(this: Selection, words: string): Selection {
    const { sees } = selectionParts(this).port.scope
    return this.query(searchText(this.dataClass.model, sees, words))
  },
}

/**
 * As `createIndex` of a dataclass, in steps between which other operations run: `nextSlice` yields
 * to them. The promise resolves when queries use the index. Throws what `createIndex` throws, at
 * the beginning, and what `nextSlice` throws; then there is no index. Over data of a million
 * records the longest step takes some milliseconds.
 */
export async function createIndexSliced(
  of: object,
  attribute: string,
  nextSlice: () => Promise<void>,
): Promise<void> {
  const steps = createIndexSteps(...ownIndex(of as DataClassTable, attribute, 'createIndex'))
  while (!steps.next().done) await nextSlice()
}

/**
 * Ordered indexes of the attributes that declare them, `createIndex` and `dropIndex` of
 * dataclasses, and `search` of dataclasses and selections. Without it, queries look up single keys,
 * unique values and related entities; all other queries scan, and orders sort.
 */
export const indexes = {
  name: 'indexes',
  table,
  queries,
  selection,
  indexes: INDEX_SUPPORT,
} as const satisfies Capability

/** The column that an index is of. Throws what a wrong attribute or an open transaction throws. */
function ownIndex(
  of: DataClassTable,
  attribute: string,
  call: 'createIndex' | 'dropIndex',
): [table: Table, ordinal: number] {
  const { port, model } = tableParts(of)
  const { writer } = handleOf(port.whole)
  const ordinal = indexable(model, attribute)
  writer.outside(call)
  return [writer.tableOf(model), ordinal]
}

function indexable(model: ClassModel, name: string): number {
  const attribute = model.attributes.get(name)
  if (attribute?.kind === 'storage' && !['object', 'image', 'blob'].includes(attribute.type))
    return attribute.ordinal
  if (attribute === undefined) {
    throw new EntiaError('attributeNotFound', {
      dataClass: model.name,
      attribute: name,
      known: [...model.attributes.keys()],
    })
  }
  throw indexError('indexInvalid', {
    dataClass: model.name,
    attribute: name,
    problem: 'only stored numbers, texts, dates and booleans can be indexed.',
  })
}

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

const bulk = {
  updateAll(this: DataClassTable, changes: readonly unknown[]): UpdateResult {
    const { port, model } = tableParts(this)
    const { writer } = handleOf(port.whole)
    return { count: updateMany(writer, writer.tableOf(model), changes) }
  },
  load,
} satisfies DataClassLoads<Untyped, string>

/** `load` and `updateAll` of dataclasses. */
export const bulkWrites = { name: 'bulkWrites', table: bulk } as const satisfies Capability

/**
 * Updates by a function get immer drafts, which copy only what changes. Without it a draft is a
 * deep copy of the entity.
 */
export const drafts = {
  name: 'drafts',
  install({ writer }: StoreHandle) {
    writer.context.produce = produce
  },
} as const satisfies Capability
