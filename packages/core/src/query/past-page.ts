import type { Database } from '../execute/database.ts'
import { indexOfOrder, pageByIndex } from '../execute/index-order.ts'
import { comparatorOf, orderKeys } from '../execute/order-keys.ts'
import { sortSlots } from '../execute/ordering.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { isWalkShorter } from '../plan/fast-paths.ts'
import { clearBit } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import { contains, countOf, denseSet, type RecordSet, wordsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'

/**
 * Sorting all members once is better with more changed members than the larger of these two, or for
 * a page deeper than `DEEPEST_SHARE`.
 */
const MAX_CHANGED = 1024
const MAX_CHANGED_SHARE = 1 / 32
const DEEPEST_SHARE = 1 / 4
/** The least number of members that are put in order. */
const MIN_ORDERED = 256

/** What pages of the past read: a store now, and what changed since. */
interface PastSource {
  readonly database: Database
  readonly moment: {
    readonly globalStamp: number
    pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  }
}

/**
 * Ordered pages of a set, as of its creation. The order never changes, so its beginning is cached
 * as far as it was read. Unchanged members come from the order's index; changed ones are merged in
 * by the values that they had at creation. Changes are cached too, so each is read from the history
 * once.
 */
export class PastPages {
  readonly #port: PastSource
  readonly #table: Table
  readonly #set: RecordSet
  readonly #orderBy: OrderBy
  /** Members that did not change. */
  readonly #unchanged: Int32Array
  /** Members that changed, as they were. */
  readonly #past = new Map<number, PastRecord>()
  /** The changed members that are sorted already. */
  #changed: Int32Array = new Int32Array(0)
  /** The changed members that are not sorted yet. */
  #unsorted: number[] = []
  /** The first members of the order. */
  #known: Int32Array = new Int32Array(0)
  /** The state of the table up to which changes are known. */
  #globalStamp: number
  #version: number | null = null

  /** `globalStamp` is that of the creation. Cost: a copy of the set. */
  constructor(
    port: PastSource,
    table: Table,
    set: RecordSet,
    orderBy: OrderBy,
    globalStamp: number,
  ) {
    this.#port = port
    this.#table = table
    this.#set = set
    this.#orderBy = orderBy
    this.#globalStamp = globalStamp
    // The words of a dense set are shared; those of a sparse one are created by this call.
    const words = wordsOf(set, port.database.allocator)
    this.#unchanged = set.kind === 'dense' ? words.slice() : words
  }

  /**
   * Members `skip` to `skip + top`; null if sorting all members once is better. Cost: O(page) if it
   * is known. Otherwise it walks the index to at least twice the known end, merges k changed
   * members in O(k), and sorts n newly changed ones in O(n log n). Throws `historyTrimmed`.
   */
  page(skip: number, top: number): Int32Array | null {
    const count = countOf(this.#set)
    const needed = Math.min(count, skip + top)
    if (needed > this.#known.length && !this.#extend(needed, count)) return null
    return this.#known.slice(skip, Math.max(skip, needed))
  }

  /** Finds at least the first `needed` members; false if sorting all members once is better. */
  #extend(needed: number, count: number): boolean {
    const end = Math.min(count, Math.max(needed, this.#known.length * 2, MIN_ORDERED))
    if (needed > count * DEEPEST_SHARE || !isWalkShorter(this.#table.length, count, end))
      return false
    const index = indexOfOrder(this.#table, this.#orderBy)
    if (index === null) return false
    this.#follow()
    if (this.#past.size > Math.max(MAX_CHANGED, count * MAX_CHANGED_SHARE)) return false
    this.#sortChanged()
    const { database } = this.#port
    const unchanged = denseSet(this.#unchanged)
    const walked = pageByIndex(database, this.#table, index, this.#orderBy, unchanged, null, 0, end)
    this.#known = this.#merged(walked, this.#changed).slice(0, end)
    return true
  }

  /** Members that changed, as they were. Throws `historyTrimmed`. */
  past(): ReadonlyMap<number, PastRecord> {
    this.#follow()
    return this.#past
  }

  /** Reads the changes since the last call. */
  #follow(): void {
    const table = this.#table
    if (this.#version === table.version) return
    for (const [slot, record] of this.#port.moment.pastOf(table, this.#globalStamp)) {
      if (!contains(this.#set, slot)) continue
      const known = this.#past.get(slot)
      // The newer record has what changed since: these columns were until then as at creation.
      const values = new Map([...record.values, ...(known?.values ?? [])])
      this.#past.set(slot, { ...(known ?? record), values })
      if (known !== undefined) continue
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
    this.#changed = this.#merged(this.#changed, added)
    this.#unsorted = []
  }

  #merged(a: Int32Array, b: Int32Array): Int32Array {
    return mergeOrdered(this.#port.database, this.#table, this.#orderBy, a, b, this.#past)
  }
}

/** Merges two ordered lists of records. Cost: O(both). */
export function mergeOrdered(
  database: Database,
  table: Table,
  orderBy: OrderBy,
  a: Int32Array,
  b: Int32Array,
  past: ReadonlyMap<number, PastRecord> | null,
): Int32Array {
  if (b.length === 0) return a
  const both = new Int32Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  const keys = orderBy.map((term) => orderKeys(database, table, term, both, past))
  const compare = comparatorOf(orderBy, keys, both)
  const out = new Int32Array(both.length)
  for (let place = 0, i = 0, j = a.length; place < out.length; place++) {
    const isFirst = j === both.length || (i < a.length && compare(i, j) < 0)
    out[place] = both[isFirst ? i++ : j++]
  }
  return out
}
