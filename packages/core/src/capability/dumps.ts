import { Persistence } from '../dump/persistence.ts'
import type { Capability } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import { handleOf, type StoreHandle } from '../kernel/handle.ts'
import type { StoreDumps } from '../model/store-types.ts'

const keeps = new WeakMap<StoreHandle, Persistence>()

/**
 * What keeps the data of a store outside of it. Throws `argumentInvalid` for what is not a store of
 * this library.
 */
export function persistenceOf(store: unknown): Persistence {
  const handle = handleOf(store)
  let keep = keeps.get(handle)
  if (keep === undefined) {
    keep = new Persistence(handle.catalog, handle.writer, () => {
      for (const replaced of handle.replaced) replaced()
    })
    keeps.set(handle, keep)
  }
  return keep
}

const store = {
  /** Canonical bytes of this moment. */
  dump(this: DataStore): Uint8Array {
    return persistenceOf(this).dump()
  },
} satisfies StoreDumps

/** `dump` of the store. `openDump` reads what it gives. */
export const dumps = { name: 'dumps', store } as const satisfies Capability
