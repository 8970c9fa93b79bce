import { aggregates, grouping } from '../capability/aggregates.ts'
import { bulkWrites, drafts } from '../capability/bulk-writes.ts'
import { functions } from '../capability/functions.ts'
import { indexes } from '../capability/indexes.ts'
import { liveQueries, observing } from '../capability/live-queries.ts'
import { projections, texts } from '../capability/projections.ts'
import { explaining, slicedReads, typedQueries } from '../capability/queries.ts'
import { serverState } from '../capability/server-state.ts'
import { dumps, persistenceOf, snapshots } from '../capability/snapshots.ts'
import { verifying } from '../capability/verifying.ts'
import { past, views } from '../capability/views.ts'
import { checkDump } from '../dump/read-dump.ts'
import type { GivenOptions } from '../kernel/capability.ts'
import { DataStore } from '../kernel/data-store.ts'
import type { DataStore as PublicDataStore } from '../model/store-types.ts'
import type { CreateDataStore, DataStoreOptions, OpenDump, OpenDumpOptions } from './options.ts'

/** Everything that a store can do: those of `createDataStore`. */
export const ALL_CAPABILITIES = [
  indexes,
  serverState,
  observing,
  drafts,
  bulkWrites,
  projections,
  typedQueries,
  texts,
  aggregates,
  grouping,
  explaining,
  liveQueries,
  views,
  past,
  snapshots,
  dumps,
  verifying,
  functions,
  slicedReads,
] as const

/** The capabilities have added their members to the class of the kernel's store. */
const createStore = (options: GivenOptions, name?: string): DataStore & PublicDataStore =>
  DataStore.create(options, ALL_CAPABILITIES, name) as DataStore & PublicDataStore

/**
 * Creates a store with every capability. The model is checked as a whole; a wrong one is refused
 * with `modelInvalid`, naming class, attribute and remedy. `clock` and `ids` are for tests that
 * want time and ids of their own.
 *
 * @example
 * ```ts
 * const shop = createDataStore({ name: 'shop', dataClasses: [Company, Employee] })
 * shop.Company.insert({ name: 'Acme' }).key // → 1
 * ```
 */
export const createDataStore: CreateDataStore = (options: DataStoreOptions) => createStore(options)

/** As `openDump`, with the bytes in one piece or several. */
export function openPieces(
  bytes: Uint8Array | Iterable<Uint8Array>,
  options: OpenDumpOptions,
): PublicDataStore {
  const dump = checkDump(bytes)
  const store = createStore(options, dump.name)
  persistenceOf(store).replace(dump)
  return store
}

/**
 * Creates a store from the bytes of `dump()`: every record, stamp, timestamp and sequence, in the
 * same record order. Dataclasses are given as to `createDataStore`; they must be those of the dump.
 * Throws `dumpInvalid`, and then there is no store.
 *
 * @example
 * ```ts
 * const copy = openDump(store.dump(), { name: 'hr', dataClasses })
 * copy.Employee.count // → 2
 * ```
 */
export const openDump: OpenDump = openPieces
