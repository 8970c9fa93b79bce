import type { Snapshot } from '../model/store-types.ts'
import type { History } from '../storage/history.ts'
import { type Pin, Pins } from '../storage/pins.ts'
import { snapshotError } from './snapshot-errors.ts'
import { undoSince } from './undo-commits.ts'
import type { Writer } from './writer.ts'

/**
 * The snapshots of one store: each pins history from its global stamp on until it is disposed or
 * garbage-collected.
 */
export class Snapshots {
  readonly #writer: Writer
  readonly #pins: Pins

  constructor(writer: Writer) {
    this.#writer = writer
    this.#pins = new Pins(writer.history)
  }

  /** Marks the current state, for `restore`. Throws `notInTransaction`. */
  take(): Snapshot {
    this.#writer.outside('snapshot')
    return new PinnedSnapshot(this.#writer.history, this.#writer.globalStamp, this.#pins)
  }

  /**
   * Undoes, as one commit, every commit since a snapshot; returns false when there was none.
   * Values, stamps, timestamps, record numbers and sequences come back; the global stamp grows.
   * `undone` is called after a change, before listeners are notified. The snapshot then stands for
   * the current global stamp. Cost O(changes since). Throws `snapshotForeign`, which also refuses a
   * snapshot of another store and a disposed one.
   */
  restore(snapshot: unknown, undone = (): void => {}): boolean {
    const writer = this.#writer
    const { history, context } = writer
    writer.outside('restore')
    // The clock is code of the host, which may write.
    const timestamp = context.now()
    const next = writer.nextStamp()
    const pinned = PinnedSnapshot.checked(snapshot, history)
    const recorder = undoSince(history, pinned.globalStamp, context, undone, (changes) =>
      writer.rollback(() => changes.rollback(context.nextBirth)),
    )
    const list = recorder?.finish(next, timestamp) ?? null
    if (list !== null) for (const table of writer.tables) table.restores++
    // Before listeners are notified: they may restore again.
    const letGo = pinned.move(list?.globalStamp ?? writer.globalStamp)
    if (list !== null) writer.conclude(list)
    letGo()
    return list !== null
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
      throw snapshotError('snapshotForeign', { problem: 'it is not a snapshot.' })
    }
    if (snapshot.#history !== history)
      throw snapshotError('snapshotForeign', { problem: 'it is of another store.' })
    if (snapshot.#isDisposed)
      throw snapshotError('snapshotForeign', { problem: 'it was disposed of.' })
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
