import { type Capability, handleOf, perStore } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Snapshot, StoreSnapshots } from '../model/store-types.ts'
import { Snapshots } from '../write/snapshot.ts'

const snapshotsOf = perStore(({ writer }) => new Snapshots(writer))

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
