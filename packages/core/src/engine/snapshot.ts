import { EntiaError } from '../errors.ts'
import type { Snapshot } from '../model/store-types.ts'
import type { History } from '../storage/history.ts'

/** The snapshots of one store: each pins history from its global stamp on until it is disposed of, or collected. */
export class Snapshots {
  readonly #history: History
  readonly #forgotten: FinalizationRegistry<() => void> | null

  constructor(history: History) {
    this.#history = history
    this.#forgotten = typeof FinalizationRegistry === 'undefined' ? null : new FinalizationRegistry((unpin) => unpin())
  }

  take(globalStamp: number): Snapshot {
    const history = this.#history
    history.pin(globalStamp)
    let isPinned = true
    const unpin = (): void => {
      if (isPinned) history.unpin(globalStamp)
      isPinned = false
    }
    const snapshot = new PinnedSnapshot(history, globalStamp, unpin)
    this.#forgotten?.register(snapshot, unpin)
    return snapshot
  }

  /** The global stamp to go back to. Throws `snapshotForeign` for a snapshot of another store, and for a disposed one. */
  stampOf(snapshot: unknown): number {
    return PinnedSnapshot.stampFor(snapshot, this.#history)
  }
}

class PinnedSnapshot implements Snapshot {
  readonly globalStamp: number
  readonly #history: History
  readonly #unpin: () => void
  #isDisposed = false

  constructor(history: History, globalStamp: number, unpin: () => void) {
    this.#history = history
    this.globalStamp = globalStamp
    this.#unpin = unpin
    Object.freeze(this)
  }

  static stampFor(snapshot: unknown, history: History): number {
    if (typeof snapshot !== 'object' || snapshot === null || !(#history in snapshot)) {
      throw new EntiaError('snapshotForeign', { problem: 'it is no snapshot.' })
    }
    if (snapshot.#history !== history) throw new EntiaError('snapshotForeign', { problem: 'it is of another store.' })
    if (snapshot.#isDisposed) throw new EntiaError('snapshotForeign', { problem: 'it was disposed of.' })
    return snapshot.globalStamp
  }

  dispose(): void {
    this.#isDisposed = true
    this.#unpin()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
