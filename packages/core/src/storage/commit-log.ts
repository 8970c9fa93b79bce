import type { StoredValue } from '../value/types.ts'
import { type Change, ChangeList, Inserted, Updated } from './change-list.ts'
import type { Table } from './table.ts'
import { lengthened } from './vector.ts'

// A commit's numbers, one row of a vector.
const GLOBAL_STAMP = 0
const BYTES = 1
const TIMESTAMP = 2
const SLOT = 3
/** Of the record, before an update. */
const STAMP = 4
const RECORD_TIMESTAMP = 5
/** The table's sequence before the change; NaN if it did not move. */
const SEQUENCE = 6
const WIDTH = 7

const FIRST_ROWS = 64

/**
 * The change lists of consecutive commits. One that inserts or updates a single record, as most do,
 * is kept as a row of numbers and its before-values, and made again when it is read: its objects
 * would survive a collection, each time at the cost of a copy, for as long as history keeps them.
 */
export class CommitLog {
  /** The place of the oldest commit. The arrays are cut when half of them is before it. */
  first = 0
  /** The place behind the newest commit. */
  end = 0
  #numbers = new Float64Array(FIRST_ROWS * WIDTH)
  /** Of the only change; null where a list is kept, or dropped. */
  #tables: (Table | null)[] = []
  /** The written columns; null for an insertion; or the list of any other commit. */
  #shapes: (readonly number[] | ChangeList | null)[] = []
  /** The value before an update of one column, or the values of several. */
  #before: (StoredValue | readonly StoredValue[])[] = []

  globalStampAt(place: number): number {
    return this.#numbers[place * WIDTH + GLOBAL_STAMP]
  }
  bytesAt(place: number): number {
    return this.#numbers[place * WIDTH + BYTES]
  }

  push(list: ChangeList): void {
    const { changes, sequences } = list
    const row = this.end * WIDTH
    if (row === this.#numbers.length) this.#numbers = lengthened(this.#numbers, row * 2)
    const numbers = this.#numbers
    this.end++
    numbers[row + GLOBAL_STAMP] = list.globalStamp
    numbers[row + BYTES] = list.bytes
    const change = changes[0]
    if (
      changes.length !== 1 ||
      (change.kind !== 'update' && change.kind !== 'insert') ||
      (sequences.length > 0 && (sequences.length > 1 || sequences[0].table !== change.table))
    ) {
      this.#tables.push(null)
      this.#shapes.push(list)
      this.#before.push(null)
      return
    }
    this.#tables.push(change.table)
    numbers[row + TIMESTAMP] = list.timestamp
    numbers[row + SLOT] = change.slot
    numbers[row + SEQUENCE] = sequences.length === 0 ? Number.NaN : sequences[0].before
    if (change.kind === 'insert') {
      this.#shapes.push(null)
      this.#before.push(null)
      return
    }
    numbers[row + STAMP] = change.stamp
    numbers[row + RECORD_TIMESTAMP] = change.timestamp
    const { ordinals, before } = change
    this.#shapes.push(ordinals)
    this.#before.push(ordinals.length === 1 ? before[0] : before)
  }

  /** The list of a commit. */
  at(place: number): ChangeList {
    const table = this.#tables[place]
    const shape = this.#shapes[place]
    if (table === null) return shape as ChangeList
    const row = place * WIDTH
    const numbers = this.#numbers
    const slot = numbers[row + SLOT]
    const ordinals = shape as readonly number[] | null
    let change: Change
    if (ordinals === null) change = new Inserted(table, slot)
    else {
      const held = this.#before[place]
      const before = ordinals.length === 1 ? [held as StoredValue] : (held as StoredValue[])
      const [stamp, timestamp] = [numbers[row + STAMP], numbers[row + RECORD_TIMESTAMP]]
      change = new Updated(table, slot, ordinals, before, stamp, timestamp)
    }
    const sequence = numbers[row + SEQUENCE]
    return new ChangeList(
      numbers[row + GLOBAL_STAMP],
      numbers[row + TIMESTAMP],
      [change],
      Number.isNaN(sequence) ? [] : [{ table, before: sequence }],
      numbers[row + BYTES],
    )
  }

  /** Adds the records of a table that a commit changed, some more than once, to `slots`. */
  slotsInto(place: number, table: Table, slots: number[]): void {
    const only = this.#tables[place]
    if (only !== null) {
      if (only === table) slots.push(this.#numbers[place * WIDTH + SLOT])
      return
    }
    for (const change of (this.#shapes[place] as ChangeList).changes) {
      if (change.table !== table) continue
      if (change.kind === 'load') for (const slot of change.slots) slots.push(slot)
      else slots.push(change.slot)
    }
  }

  /** Drops the oldest commit. */
  dropFirst(): void {
    const place = this.first++
    // A list may be large, and the arrays are cut later.
    this.#tables[place] = null
    this.#shapes[place] = null
    this.#before[place] = null
    if (this.first * 2 <= this.end) return
    const from = this.first * WIDTH
    const to = this.end * WIDTH
    // After a pin that held many commits, most of the rows are free.
    const needed = Math.max(to - from, FIRST_ROWS * WIDTH)
    if (needed * 8 <= this.#numbers.length) this.#numbers = this.#numbers.slice(from, from + needed)
    else this.#numbers.copyWithin(0, from, to)
    this.#tables = this.#tables.slice(this.first)
    this.#shapes = this.#shapes.slice(this.first)
    this.#before = this.#before.slice(this.first)
    this.end -= this.first
    this.first = 0
  }
}
