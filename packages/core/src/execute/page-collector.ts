import type { OrderBy } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { comparatorOf, orderKeys } from './order-keys.ts'
import { Ordering } from './ordering.ts'
import { sortRanges } from './sort-ranges.ts'

/** Longer groups are sorted only as far as the page needs them. */
const MAX_SORTED_GROUP = 1024

/** Collects groups of equal keys until the page is full. */
export class PageCollector {
  readonly #database: Database
  readonly #table: Table
  readonly #further: OrderBy
  /** Records before the page that were passed without being collected. */
  #skip: number
  readonly #top: number
  /** The first `#count` are in use. */
  readonly #slots: number[] = []
  #count = 0
  #groupStart = 0
  /**
   * The beginnings and ends, alternating, of groups of more than one: they are sorted together, at
   * the end.
   */
  readonly #ties: number[] = []

  constructor(database: Database, table: Table, orderBy: OrderBy, skip: number, top: number) {
    this.#database = database
    this.#table = table
    this.#further = orderBy.slice(1)
    this.#skip = skip
    this.#top = top
  }

  /** Passes a whole group that lies before the page. Only before the first `add`. */
  pass(count: number): void {
    this.#skip -= count
  }
  get toSkip(): number {
    return this.#skip - this.#count
  }
  /** Records from here to the end of the page, at most. */
  get needed(): number {
    return this.#skip + this.#top
  }
  add(slot: number): void {
    this.#slots[this.#count++] = slot
  }
  /** Ends a group of equal keys; true when the page is full. */
  endGroup(): boolean {
    const start = this.#groupStart
    const length = this.#count - start
    if (start === 0 && length <= this.#skip) {
      // A group that ends before the page needs no order.
      this.#skip -= length
      this.#count = 0
      return this.#skip + this.#top <= 0
    }
    if (length > 1) this.#ties.push(start, this.#count)
    this.#groupStart = this.#count
    return this.#count >= this.needed
  }
  finish(): Int32Array {
    this.endGroup()
    const slots = new Int32Array(this.#count)
    for (let i = 0; i < slots.length; i++) slots[i] = this.#slots[i]
    const from = Math.max(0, this.#skip)
    const to = Math.max(0, Math.min(this.needed, slots.length))
    this.#sortTies(slots, from, to)
    return slots.slice(from, to)
  }

  /**
   * Sorts groups of equal keys by the further terms; of a long group, the records between `from`
   * and `to`.
   */
  #sortTies(slots: Int32Array, from: number, to: number): void {
    const [database, table, further] = [this.#database, this.#table, this.#further]
    const short: number[] = []
    for (let i = 0; i < this.#ties.length; i += 2) {
      const [start, end] = [this.#ties[i], this.#ties[i + 1]]
      if (end - start <= MAX_SORTED_GROUP) {
        short.push(start, end)
        continue
      }
      const low = Math.max(start, from)
      const group = new Ordering(
        database,
        table,
        slots.slice(start, end).sort(),
        further,
        () => null,
      )
      slots.set(group.page(low - start, Math.min(end, to) - low), low)
    }
    if (short.length === 0) return
    sortRanges(slots, short, (tied) =>
      comparatorOf(
        further,
        further.map((term) => orderKeys(database, table, term, tied, null)),
        tied,
      ),
    )
  }
}
