import { EntiaError } from '../errors.ts'
import type { Snapshot } from '../model/store-types.ts'
import type { History } from '../storage/history.ts'
import { type Pin, Pins } from '../storage/pins.ts'

/** The snapshots of one store: each pins history from its global stamp on until it is disposed of, or collected. */
export class Snapshots {
  readonly #history: History
  readonly #pins: Pins

  constructor(history: History) {
    this.#history = history
    this.#pins = new Pins(history)
  }

  take(globalStamp: number): Snapshot {
    return new PinnedSnapshot(this.#history, globalStamp, this.#pins)
  }

  /** The global stamp to go back to. Throws `snapshotForeign` for a snapshot of another store, and for a disposed one. */
  stampOf(snapshot: unknown): number {
    return PinnedSnapshot.checked(snapshot, this.#history).globalStamp
  }
  /**
   * The store is at `globalStamp` what it was at the snapshot's: what lies between is not needed to come back. Call what this returns when
   * the history has the commit of that stamp. Throws as `stampOf`.
   */
  move(snapshot: unknown, globalStamp: number): () => void {
    return PinnedSnapshot.checked(snapshot, this.#history).move(globalStamp)
  }
}

class PinnedSnapshot implements Snapshot {
  readonly #history: History
  readonly #pin: Pin
  #globalStamp: number
  #isDisposed = false

  constructor(history: History, globalStamp: number, pins: Pins) {
    this.#history = history
    this.#globalStamp = globalStamp
    this.#pin = pins.set(globalStamp, this)
    Object.freeze(this)
  }

  get globalStamp(): number {
    return this.#globalStamp
  }
  move(globalStamp: number): () => void {
    this.#globalStamp = globalStamp
    return this.#pin.move(globalStamp)
  }

  static checked(snapshot: unknown, history: History): PinnedSnapshot {
    if (typeof snapshot !== 'object' || snapshot === null || !(#history in snapshot)) {
      throw new EntiaError('snapshotForeign', { problem: 'it is no snapshot.' })
    }
    if (snapshot.#history !== history) throw new EntiaError('snapshotForeign', { problem: 'it is of another store.' })
    if (snapshot.#isDisposed) throw new EntiaError('snapshotForeign', { problem: 'it was disposed of.' })
    return snapshot
  }

  dispose(): void {
    this.#isDisposed = true
    this.#pin.release()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
