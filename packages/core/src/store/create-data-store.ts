import { persistenceOf } from '../capability/dumps.ts'
import { checkDump } from '../dump/read-dump.ts'
import type { GivenOptions } from '../kernel/capability.ts'
import { DataStore } from '../kernel/data-store.ts'
import type { DataStore as PublicDataStore } from '../model/store-types.ts'
import { ALL_CAPABILITIES } from './capabilities.ts'
import type { CreateDataStore, DataStoreOptions, OpenDump, OpenDumpOptions } from './options.ts'

/** The capabilities have added their members to the class of the kernel's store. */
const createStore = (options: GivenOptions, name?: string): DataStore & PublicDataStore =>
  DataStore.create(options, ALL_CAPABILITIES, name) as DataStore & PublicDataStore

/**
 * Creates a store with every capability. The model is checked as a whole; a wrong one is refused
 * with `modelInvalid`, naming class, attribute and remedy. `clock` and `ids` are for tests that
 * want time and ids of their own.
 */
export const createDataStore: CreateDataStore = (options: DataStoreOptions) => createStore(options)

/** As `openDump`, with the bytes in one piece or several. */
export function openPieces(
  bytes: Uint8Array | readonly Uint8Array[],
  options: OpenDumpOptions,
): PublicDataStore {
  const dump = checkDump(bytes)
  const store = createStore(options, dump.name)
  persistenceOf(store).replace(dump, [])
  return store
}

/**
 * Creates a store from the bytes of `dump()`: every record, stamp, timestamp and sequence, in the
 * same record order. Dataclasses are given as to `createDataStore`; they must be those of the dump.
 * Throws `dumpInvalid`, and then there is no store.
 */
export const openDump: OpenDump = openPieces
