import { indexOfOrder, pageByIndex } from '../execute/index-order.ts'
import { comparatorOf, orderKeys } from '../execute/order-keys.ts'
import { sortSlots } from '../execute/sort.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { isWalkShorter } from '../plan/fast-paths.ts'
import { clearBit, hasBit } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import { contains, countOf, type RecordSet, wordsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { SelectionPort } from './selection-port.ts'

/** With more changed members than the larger of these, or for a page deeper than a share of all, sorting once is the better way. */
const MAX_CHANGED = 1024
const MAX_CHANGED_SHARE = 1 / 32
const DEEPEST_SHARE = 1 / 4
/** Members that are put into order at first, at least. */
const FIRST_KNOWN = 256

/**
 * Pages of a set in an order, as of the moment that it was made. That order never changes, so its beginning is kept as far as somebody
 * has paged: members that did not change are walked in the order's index, and the changed ones are merged in by their values of that
 * moment. What changed is remembered, too: the history is asked only for what is new.
 */
export class PastPages {
  readonly #port: SelectionPort
  readonly #table: Table
  readonly #set: RecordSet
  readonly #orderBy: OrderBy
  /** Members that did not change. */
  readonly #unchanged: Int32Array
  /** Members that did, as they were. */
  readonly #past = new Map<number, PastRecord>()
  /** Those that are in order. */
  #changed: Int32Array = new Int32Array(0)
  /** Those that are not yet. */
  #unsorted: number[] = []
  /** The first members of the order. */
  #known: Int32Array = new Int32Array(0)
  /** What the table was when this was last asked. */
  #globalStamp: number
  #version: number | null = null

  /** `globalStamp`: the moment. Cost: a copy of the set. */
  constructor(port: SelectionPort, table: Table, set: RecordSet, orderBy: OrderBy, globalStamp: number) {
    this.#port = port
    this.#table = table
    this.#set = set
    this.#orderBy = orderBy
    this.#globalStamp = globalStamp
    // The words of a list are made for this alone.
    const words = wordsOf(set, port.database.allocator)
    this.#unchanged = set.kind === 'dense' ? words.slice() : words
  }

  /**
   * Members `skip` to `skip + top`; null where sorting all members once is better. Cost O(page) where that is known; else that of walking
   * the index to twice its end, plus O(k) for k changed members and O(n log n) for n of them that are new. Throws `historyTrimmed`.
   */
  page(skip: number, top: number): Int32Array | null {
    const count = countOf(this.#set)
    const needed = Math.min(count, skip + top)
    if (needed > this.#known.length && !this.#extend(needed, count)) return null
    return this.#known.slice(skip, Math.max(skip, needed))
  }

  /** Makes at least the first `needed` members known; false where that is not worth it. */
  #extend(needed: number, count: number): boolean {
    const end = Math.min(count, Math.max(needed, this.#known.length * 2, FIRST_KNOWN))
    if (needed > count * DEEPEST_SHARE || !isWalkShorter(this.#table.length, count, end)) return false
    const index = indexOfOrder(this.#table, this.#orderBy)
    if (index === null) return false
    this.#follow()
    if (this.#past.size > Math.max(MAX_CHANGED, count * MAX_CHANGED_SHARE)) return false
    this.#sortChanged()
    const isUnchanged = (slot: number): boolean => hasBit(this.#unchanged, slot)
    const { database } = this.#port
    const walked = pageByIndex(database, this.#table, index, this.#orderBy, isUnchanged, null, 0, end)
    this.#known = this.#merged(walked, this.#changed, end)
    return true
  }

  /** Members that changed, as they were. Throws `historyTrimmed`. */
  past(): ReadonlyMap<number, PastRecord> {
    this.#follow()
    return this.#past
  }

  /** Notes what has changed since it was last asked. */
  #follow(): void {
    const table = this.#table
    if (this.#version === table.version) return
    for (const [slot, record] of this.#port.moment.pastOf(table, this.#globalStamp)) {
      // What did not change before was then what it was at the moment.
      if (!contains(this.#set, slot) || this.#past.has(slot)) continue
      this.#past.set(slot, record)
      clearBit(this.#unchanged, slot)
      this.#unsorted.push(slot)
    }
    this.#globalStamp = this.#port.moment.globalStamp
    this.#version = table.version
  }

  #sortChanged(): void {
    if (this.#unsorted.length === 0) return
    const added = sortSlots(
      this.#port.database,
      this.#table,
      Int32Array.from(this.#unsorted),
      this.#orderBy,
      this.#past,
    )
    this.#changed = this.#merged(this.#changed, added, this.#past.size)
    this.#unsorted = []
  }

  /** The first `end` of two lists in order, made one. Cost O(both). */
  #merged(a: Int32Array, b: Int32Array, end: number): Int32Array {
    if (b.length === 0) return a
    const both = new Int32Array(a.length + b.length)
    both.set(a)
    both.set(b, a.length)
    const { database } = this.#port
    const keys = this.#orderBy.map((term) => orderKeys(database, this.#table, term, both, this.#past))
    const compare = comparatorOf(this.#orderBy, keys, both)
    const out = new Int32Array(Math.min(end, both.length))
    for (let place = 0, i = 0, j = a.length; place < out.length; place++) {
      const isFirst = j === both.length || (i < a.length && compare(i, j) < 0)
      out[place] = both[isFirst ? i++ : j++]
    }
    return out
  }
}
