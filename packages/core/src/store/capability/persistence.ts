import type {
  Snapshot,
  StoreDumps,
  StoreSnapshots,
  StoreVerification,
} from '../../model/store-types.ts'
import type { ChangeList } from '../../storage/change-list.ts'
import { verifyTable } from '../../storage/verify-table.ts'
import { verifyRelations } from '../../storage/verify-values.ts'
import { Snapshots } from '../../write/snapshot.ts'
import type { Writer } from '../../write/writer.ts'
import { Persistence } from '../dump/persistence.ts'
import { type Capability, handleOf, perStore, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'

// The store as a whole: its snapshots, its bytes, and whether it is sound.

const taken = new WeakMap<StoreHandle, Snapshots>()

const snapshotsOf = (handle: StoreHandle): Snapshots =>
  perStore(taken, handle, ({ writer }) => new Snapshots(writer))

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

/**
 * Rebuilds all that is derived in a store and compares: each table, relations where no transaction
 * is open, births and history. Throws an `Error` that names the first broken invariant. Cost O(data
 * log data).
 */
export function verifyStore(writer: Writer): void {
  const { tables, history, globalStamp, allocationClock } = writer
  for (const table of tables) {
    verifyTable(table, writer.mayDangle)
    const late = table.liveSlots().find((slot) => table.births[slot] > allocationClock)
    if (late !== undefined)
      broken(`record ${late} of "${table.model.name}" was born after the last birth`)
  }
  if (writer.current !== null) return
  if (tables.every(({ isWhole }) => isWhole) && !writer.mayDangle) verifyRelations(tables)
  const { oldest } = history
  if (writer.hasSkipped) verifyStamps(history.since(oldest), oldest, globalStamp)
  else verifyHistory(history.since(oldest), oldest, globalStamp)
}

/** The lists that are kept ascend. */
function verifyStamps(lists: readonly ChangeList[], oldest: number, globalStamp: number): void {
  let last = oldest
  for (const list of lists) {
    if (list.globalStamp <= last) broken(`commit ${list.globalStamp} follows ${last}`)
    last = list.globalStamp
  }
  if (last > globalStamp) broken(`commit ${last} is later than ${globalStamp}`)
}

/**
 * The lists that are kept are those of the last commits, without a gap: the global stamp goes up by
 * one with each.
 */
function verifyHistory(lists: readonly ChangeList[], oldest: number, globalStamp: number): void {
  if (oldest + lists.length !== globalStamp)
    broken(`history holds ${lists.length} commits from ${oldest} to ${globalStamp}`)
  for (const [at, list] of lists.entries()) {
    if (list.globalStamp !== oldest + at + 1)
      broken(`commit ${list.globalStamp} stands in the place of ${oldest + at + 1}`)
    if (list.changes.length === 0 && list.sequences.length === 0)
      broken(`commit ${list.globalStamp} changed nothing`)
  }
}

function broken(invariant: string): never {
  throw new Error(`Entia invariant broken: ${invariant}.`)
}

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
  /** Canonical bytes of this moment. */
  dump(this: DataStore): Uint8Array {
    return persistenceOf(this).dump()
  },
  /**
   * Rebuilds everything derived and compares. Throws an `Error` that names the first broken
   * invariant.
   */
  verify(this: DataStore): void {
    const { writer } = handleOf(this)
    writer.enter()
    verifyStore(writer)
  },
} satisfies StoreSnapshots & StoreDumps & StoreVerification

/** `snapshot`, `restore`, `dump` and `verify` of the store. `openDump` reads what `dump` gives. */
export const persistence = { name: 'persistence', store } as const satisfies Capability
