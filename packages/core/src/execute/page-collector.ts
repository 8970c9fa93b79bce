import type { OrderBy } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { comparatorOf, orderKeys } from './order-keys.ts'
import { Ordering } from './ordering.ts'
import { itemsIn, sortRanges } from './sort-ranges.ts'

/** Longer groups are sorted only as far as the page needs them. */
const MAX_SORTED_GROUP = 1024

/** Collects groups of equal keys until the page is full. */
export class PageCollector {
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

  constructor(skip: number, top: number) {
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
  /** The records of the page, and those of its first and last group. Ends the last group. */
  collected(): Collected {
    this.endGroup()
    const slots = new Int32Array(this.#count)
    for (let i = 0; i < slots.length; i++) slots[i] = this.#slots[i]
    const long: LongGroup[] = []
    const short: number[] = []
    for (let i = 0; i < this.#ties.length; i += 2) {
      const [start, end] = [this.#ties[i], this.#ties[i + 1]]
      if (end - start <= MAX_SORTED_GROUP) short.push(start, end)
      else long.push({ start, group: slots.slice(start, end).sort() })
    }
    return {
      slots,
      from: Math.max(0, this.#skip),
      to: Math.max(0, Math.min(this.needed, slots.length)),
      long,
      short,
      tied: itemsIn(slots, short),
    }
  }
}

/** A long group of equal keys, ascending. */
interface LongGroup {
  readonly start: number
  readonly group: Int32Array
}

/** The records of a page, from `from` to `to`, whose groups of equal keys are not sorted yet. */
export interface Collected {
  readonly slots: Int32Array
  readonly from: number
  readonly to: number
  readonly long: readonly LongGroup[]
  /** The beginnings and ends of short groups, alternating, and their records. */
  readonly short: readonly number[]
  readonly tied: Int32Array
}

/**
 * The page, with its groups sorted by the further terms; of a long group only the records of the
 * page.
 */
export function sortedPage(
  database: Database,
  table: Table,
  orderBy: OrderBy,
  { slots, from, to, long, short, tied }: Collected,
): Int32Array {
  const further = orderBy.slice(1)
  // A sliced read keeps what was collected.
  const sorted = database.slices === null ? slots : slots.slice()
  for (const { start, group } of long) {
    const low = Math.max(start, from)
    const ordering = new Ordering(database, table, group, further, () => null)
    const end = Math.min(start + group.length, to)
    sorted.set(ordering.page(low - start, end - low), low)
  }
  if (short.length > 0) {
    const keys = further.map((term) => orderKeys(database, table, term, tied, null))
    sortRanges(sorted, short, () => comparatorOf(further, keys, tied), tied)
  }
  return sorted.slice(from, to)
}
