import { Persistence } from '../dump/persistence.ts'
import { type Capability, handleOf, perStore } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { StoreDumps } from '../model/store-types.ts'

const ofHandle = perStore(
  ({ catalog, writer, replaced }) =>
    new Persistence(catalog, writer, () => {
      for (const listener of replaced) listener()
    }),
)

/**
 * The dumps and journals of a store. Throws `argumentInvalid` for anything that is not a store of
 * this library.
 */
export const persistenceOf = (store: unknown): Persistence => ofHandle(handleOf(store))

const store = {
  /** Canonical bytes of this moment. */
  dump(this: DataStore): Uint8Array {
    return persistenceOf(this).dump()
  },
} satisfies StoreDumps

/** `dump` of the store. `openDump` reads what it gives. */
export const dumps = { name: 'dumps', store } as const satisfies Capability
