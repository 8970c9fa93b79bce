import { Persistence } from '../dump/persistence.ts'
import { type Capability, handleOf, perStore, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Snapshot, StoreDumps, StoreSnapshots } from '../model/store-types.ts'
import { Snapshots } from '../write/snapshot.ts'

const taken = new WeakMap<StoreHandle, Snapshots>()

const snapshotsOf = (handle: StoreHandle): Snapshots =>
  perStore(taken, handle, ({ writer }) => new Snapshots(writer))

const store = {
  snapshot(this: DataStore): Snapshot {
    const handle = handleOf(this)
    const snapshot = snapshotsOf(handle).take()
    handle.restores?.taken(snapshot)
    return snapshot
  },
  /** Undoes every commit since, as one commit. */
  restore(this: DataStore, snapshot: Snapshot): void {
    const handle = handleOf(this)
    handle.restores?.before()
    // Listeners of the restore must not see what it ends, and what they create is created after it.
    const undone = (): void => handle.restores?.undone(snapshot)
    handle.reader.options.watch.begin()
    if (!snapshotsOf(handle).restore(snapshot, undone)) undone()
  },
} satisfies StoreSnapshots

/** `snapshot` and `restore` of the store. */
export const snapshots = { name: 'snapshots', store } as const satisfies Capability

const persistences = new WeakMap<StoreHandle, Persistence>()

/**
 * The dumps and journals of a store. Throws `argumentInvalid` for anything that is not a store of
 * this library.
 */
export const persistenceOf = (store: unknown): Persistence =>
  perStore(
    persistences,
    handleOf(store),
    ({ catalog, writer, replaced }) =>
      new Persistence(catalog, writer, () => {
        for (const listener of replaced) listener()
      }),
  )

const dumped = {
  /** Canonical bytes of this moment. */
  dump(this: DataStore): Uint8Array {
    return persistenceOf(this).dump()
  },
} satisfies StoreDumps

/** `dump` of the store. `openDump` reads what it gives. */
export const dumps = { name: 'dumps', store: dumped } as const satisfies Capability
