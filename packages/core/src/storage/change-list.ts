import type { StoredValue } from '../value/types.ts'
import { BYTES_PER_SLOT, sizeOfValue } from '../value/value-size.ts'
import type { Table } from './table.ts'

interface MovedSequence {
  readonly table: Table
  readonly before: number
}

// Classes and copies create what history keeps of commits. V8 allocates an object literal among its
// old objects once most of that literal's objects have survived a collection, which happens while
// history fills up. Each list, with all it refers to, would then wait for a full collection: a
// single update took a quarter longer.
//
// Fields with `declare` are defined by their first assignment. Without it, each new object costs a
// call that defines them.

/**
 * The changes of one commit, record by record, with the values before them. It keeps no
 * after-values: these are the before-values of the record's next change, or the values in its
 * columns. One list serves rollback, restore, stale selections, reads of the past, the journal and
 * listeners.
 */
export class ChangeList {
  declare readonly globalStamp: number
  /** Epoch milliseconds. */
  declare readonly timestamp: number
  declare readonly changes: readonly Change[]
  /** Sequences that moved, with their previous values. */
  declare readonly sequences: readonly MovedSequence[]
  /** Memory that the list takes: its before-values at their size. */
  declare readonly bytes: number

  constructor(
    globalStamp: number,
    timestamp: number,
    changes: readonly Change[],
    sequences: readonly MovedSequence[],
    bytes: number,
  ) {
    this.globalStamp = globalStamp
    this.timestamp = timestamp
    this.changes = changes
    this.sequences = sequences
    this.bytes = bytes
  }
}

export type Change = Inserted | Updated | Removed | LoadChange

/** A bulk load: many insertions at once. */
interface LoadChange {
  readonly kind: 'load'
  readonly table: Table
  readonly slots: Int32Array
}

export class Inserted {
  declare readonly kind: 'insert'
  declare readonly table: Table
  declare readonly slot: number

  constructor(table: Table, slot: number) {
    this.kind = 'insert'
    this.table = table
    this.slot = slot
  }
}

export class Updated {
  declare readonly kind: 'update'
  declare readonly table: Table
  declare readonly slot: number
  /** Columns that changed, and their previous values. */
  declare readonly ordinals: readonly number[]
  declare readonly before: readonly StoredValue[]
  declare readonly stamp: number
  declare readonly timestamp: number

  constructor(
    table: Table,
    slot: number,
    ordinals: readonly number[],
    before: readonly StoredValue[],
    stamp: number,
    timestamp: number,
  ) {
    this.kind = 'update'
    this.table = table
    this.slot = slot
    this.ordinals = ordinals
    this.before = before
    this.stamp = stamp
    this.timestamp = timestamp
  }
}

class Removed {
  declare readonly kind: 'remove'
  declare readonly table: Table
  declare readonly slot: number
  /** All columns. */
  declare readonly before: readonly StoredValue[]
  declare readonly stamp: number
  declare readonly timestamp: number
  declare readonly birth: number

  /** Call before the record changes. */
  constructor(table: Table, slot: number, before: readonly StoredValue[]) {
    this.kind = 'remove'
    this.table = table
    this.slot = slot
    this.before = before
    this.stamp = table.stamps[slot]
    this.timestamp = table.timestamps[slot]
    this.birth = table.births[slot]
  }
}

/** Memory that some before-values take. Cost: `sizeOfValue` of each. */
export function bytesOf(values: readonly StoredValue[]): number {
  let bytes = 96
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    bytes += typeof value === 'number' ? BYTES_PER_SLOT : sizeOfValue(value)
  }
  return bytes
}

/**
 * Writes changes and records each one, so that they can be undone at any point. Commits, rollbacks
 * and restores change columns only through a recorder.
 */
export class ChangeRecorder {
  // Created with the first entry and its size: history keeps them, and most commits change one
  // record and no sequence.
  changes: Change[] = NO_CHANGES
  sequences: MovedSequence[] = NO_SEQUENCES
  bytes = 64

  insert(
    table: Table,
    slot: number,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
    birth: number,
  ): void {
    table.insertAt(slot, values, stamp, timestamp, birth)
    this.#add(new Inserted(table, slot))
    this.bytes += 64
  }

  /**
   * Takes over the arrays: history keeps them, with the previous values in place of those written.
   */
  update(
    table: Table,
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    stamp: number,
    timestamp: number,
  ): void {
    const { stamps, timestamps } = table
    const change = new Updated(table, slot, ordinals, values, stamps[slot], timestamps[slot])
    table.updateAt(slot, ordinals, values, stamp, timestamp)
    this.#add(change)
    this.bytes += bytesOf(values)
  }

  remove(table: Table, slot: number): void {
    const before = table.readAll(slot)
    const change = new Removed(table, slot, before)
    table.removeAt(slot, before)
    this.#add(change)
    this.bytes += bytesOf(before)
  }

  /** Records a bulk load that the caller has written. */
  loaded(table: Table, slots: Int32Array): void {
    this.#add({ kind: 'load', table, slots })
    this.bytes += 64 + slots.byteLength
  }

  setSequence(table: Table, next: number): void {
    if (table.sequence === next) return
    const moved = { table, before: table.sequence }
    if (this.sequences.length === 0) this.sequences = [moved]
    else this.sequences.push(moved)
    table.sequence = next
  }

  /**
   * Undoes one change, and records that. Words that the dictionary dropped since are admitted
   * again. `clock` is the allocation clock, advanced for this undoing: older selections may have
   * seen another record in a slot whose record comes back.
   */
  undo(change: Change, clock: number): void {
    const { table } = change
    switch (change.kind) {
      case 'insert':
        this.remove(table, change.slot)
        return
      case 'load':
        for (let i = change.slots.length - 1; i >= 0; i--) this.remove(table, change.slots[i])
        return
      case 'update': {
        const { slot, ordinals, before, stamp, timestamp } = change
        for (let i = 0; i < ordinals.length; i++) table.admit(ordinals[i], before[i])
        this.update(table, slot, ordinals, before.slice(), stamp, timestamp)
        return
      }
      case 'remove': {
        const { slot, before, stamp, timestamp, birth } = change
        table.reserve(slot + 1)
        for (let i = 0; i < before.length; i++) table.admit(i, before[i])
        table.removals++
        table.occupancy.noteReturn(slot, birth, table.births[slot], clock)
        this.insert(table, slot, before, stamp, timestamp, birth)
      }
    }
  }

  /**
   * Undoes all recorded changes, newest first; the recorder is empty afterwards. `nextBirth`
   * advances the allocation clock.
   */
  rollback(nextBirth: () => number): void {
    if (this.changes.length === 0 && this.sequences.length === 0) return
    const undoing = new ChangeRecorder()
    const clock = nextBirth()
    for (let i = this.changes.length - 1; i >= 0; i--) {
      undoing.undo(this.changes[i], clock)
      this.changes.length = i
    }
    for (let i = this.sequences.length - 1; i >= 0; i--)
      this.sequences[i].table.sequence = this.sequences[i].before
    this.sequences = NO_SEQUENCES
    this.bytes = 64
  }

  /** The list of one commit; the recorder is empty afterwards. */
  finish(globalStamp: number, timestamp: number): ChangeList {
    const list = new ChangeList(globalStamp, timestamp, this.changes, this.sequences, this.bytes)
    this.changes = NO_CHANGES
    this.sequences = NO_SEQUENCES
    this.bytes = 64
    return list
  }

  #add(change: Change): void {
    if (this.changes.length === 0) {
      this.changes = ONE_CHANGE.slice()
      this.changes[0] = change
    } else this.changes.push(change)
  }
}

// Never written to.
const NO_CHANGES: Change[] = []
const NO_SEQUENCES: MovedSequence[] = []
// Only copied.
const ONE_CHANGE: Change[] = [new Inserted(null as never, -1)]

export const WHOLE = 'whole'
/** The written columns per record number. */
export type Touched = Map<number, Set<number> | typeof WHOLE>

/** The records that some changes have written, each once. Cost O(changes). */
export function touchedBy(changes: readonly Change[]): Map<Table, Touched> {
  const tables = new Map<Table, Touched>()
  for (const change of changes) {
    let touched = tables.get(change.table)
    if (touched === undefined) tables.set(change.table, (touched = new Map()))
    if (change.kind === 'load') for (const slot of change.slots) touched.set(slot, WHOLE)
    else if (change.kind !== 'update') touched.set(change.slot, WHOLE)
    else {
      const columns = touched.get(change.slot)
      if (columns === undefined) touched.set(change.slot, new Set(change.ordinals))
      else if (columns !== WHOLE) for (const ordinal of change.ordinals) columns.add(ordinal)
    }
  }
  return tables
}
