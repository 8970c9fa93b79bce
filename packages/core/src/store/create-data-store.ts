import { persistenceOf } from '../capability/dumps.ts'
import { checkDump } from '../dump/read-dump.ts'
import type { GivenOptions } from '../kernel/capability.ts'
import { DataStore } from '../kernel/data-store.ts'
import { ALL_CAPABILITIES } from './capabilities.ts'
import type { CreateDataStore, OpenDump } from './options.ts'

/**
 * Creates a store with every capability. The model is checked as a whole; a wrong one is refused with `modelInvalid`, naming class,
 * attribute and remedy. `clock` and `ids` are for tests that want time and ids of their own.
 */
export const createDataStore = ((options: GivenOptions) =>
  DataStore.create(options, ALL_CAPABILITIES)) as unknown as CreateDataStore

/**
 * Creates a store from the bytes of `dump()`: every record, stamp, timestamp and sequence, in the same record order. Dataclasses are
 * given as to `createDataStore`; they must be those of the dump. Throws `dumpInvalid`, and then there is no store.
 */
export const openDump = ((bytes: Uint8Array | readonly Uint8Array[], options: GivenOptions) => {
  const dump = checkDump(bytes)
  const store = DataStore.create(options, ALL_CAPABILITIES, dump.name)
  persistenceOf(store).replace(dump, [])
  return store
}) as unknown as OpenDump
