import type { Snapshot } from '../model/store-types.ts'
import { type Change, type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import type { History, PastRecord } from '../storage/history.ts'
import { type Pin, Pins } from '../storage/past-table.ts'
import type { Table } from '../storage/table.ts'
import { checkSizes } from '../storage/table-sizes.ts'
import { sameValue } from '../value/compare.ts'
import { snapshotError } from './write-errors.ts'
import type { Writer } from './writer.ts'

/**
 * True when undoing some commits changes nothing, because they undo each other. Cost O(changes),
 * without writes; usually O(1), where the record that changed first is different now.
 */
function isUndoneAlready(
  history: History,
  lists: readonly ChangeList[],
  globalStamp: number,
): boolean {
  if (lists.length > 0 && lists[0].changes.length > 0 && isOtherNow(lists[0].changes[0]))
    return false
  const sequences = new Map<Table, number>()
  const tables = new Set<Table>()
  for (const list of lists) {
    for (const { table, before } of list.sequences)
      if (!sequences.has(table)) sequences.set(table, before)
    for (const { table } of list.changes) tables.add(table)
  }
  for (const [table, before] of sequences) if (table.sequence !== before) return false
  for (const table of tables) {
    for (const [slot, past] of history.pastOf(table, globalStamp))
      if (!isAsBefore(table, slot, past)) return false
  }
  return true
}

/** True when a record certainly differs from its state before a change. */
function isOtherNow(change: Change): boolean {
  const { kind, table } = change
  if (kind === 'load') return change.slots.length > 0 && table.isLive(change.slots[0])
  const isLive = table.isLive(change.slot)
  return kind === 'insert' ? isLive : !isLive || table.stamps[change.slot] !== change.stamp
}

/** True when a record equals its past state. */
export function isAsBefore(table: Table, slot: number, past: PastRecord): boolean {
  if (past.existed !== table.isLive(slot)) return false
  if (!past.existed) return true
  if (
    past.birth !== table.births[slot] ||
    past.stamp !== table.stamps[slot] ||
    past.timestamp !== table.timestamps[slot]
  )
    return false
  for (const [ordinal, value] of past.values)
    if (!sameValue(value, table.read(slot, ordinal))) return false
  return true
}

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
    const lists = history.since(pinned.globalStamp)
    if (isUndoneAlready(history, lists, pinned.globalStamp)) {
      pinned.move(writer.globalStamp)()
      return false
    }
    const recorder = new ChangeRecorder()
    try {
      this.#undo(recorder, lists)
      undone()
    } catch (error) {
      throw writer.takeBack(error, () => recorder.rollback(context.nextBirth))
    }
    for (const table of writer.tables) table.restores++
    const list = recorder.finish(next, timestamp)
    // Before listeners are notified: they may restore again.
    const letGo = pinned.move(next)
    writer.conclude(list)
    letGo()
    return true
  }

  /**
   * Undoes commits, newest first, and records the changes. Cost O(changes). Throws
   * `commitTooLarge`; the caller then rolls back the recorder.
   */
  #undo(recorder: ChangeRecorder, lists: readonly ChangeList[]): void {
    const { nextBirth, allocation } = this.#writer.context
    const clock = nextBirth()
    for (const { changes, sequences } of [...lists].reverse()) {
      for (let at = changes.length - 1; at >= 0; at--) {
        allocation?.()
        recorder.undo(changes[at], clock)
      }
      for (const { table, before } of [...sequences].reverse()) recorder.setSequence(table, before)
    }
    checkSizes(recorder.changes)
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
