import type { OrderBy, OrderTerm } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'
import type { BuildSteps } from '../storage/text-prefixes.ts'
import type { Database } from './database.ts'
import { findHead, hasColumn, isHeadShort, type OrderEnd } from './order-head.ts'
import {
  comparatorOf,
  momentOf,
  type OrderKeys,
  orderKeys,
  type Past,
  someKeys,
  vectorOf,
} from './order-keys.ts'
import {
  type Buckets,
  bucketAt,
  bucketsOf,
  firstPositions,
  sortItems,
  sortRanges,
} from './sort-ranges.ts'
import { Steps } from './steps.ts'

/** Up to so many records are compared; more are distributed over buckets first. */
const MAX_COMPARED = 256

/** Up to so many records, the first few are found by comparing each record with them. */
const MAX_PICKED = 4096
const MAX_PICKED_PAGE = 128

/**
 * How often records are distributed by one key. After that, keys of very different sizes are
 * compared.
 */
const MAX_DEPTH = 12

/**
 * With more changed records than this, all keys are read at once, so that the next page does not
 * read the changes again.
 */
const MAX_CHANGED = 256

/** True if picking the first `count` records is cheaper than sorting all. */
export const isFewOf = (count: number, all: number): boolean => count * 4 < all && all >= 256

const NONE: Int32Array = new Int32Array(0)

/** The records at one end of an order, as an order of their own. */
interface Head {
  readonly end: OrderEnd
  /** So many of them are certainly those at the end. */
  readonly count: number
  readonly ordering: Ordering
}

/**
 * Records in an order, sorted as far as pages need it. Ties are in record order. Records are
 * distributed over buckets by their first key. A page sorts the buckets that it touches. A large
 * bucket is distributed again, by the next key if its keys are equal. The first page costs
 * O(records), with few comparisons. A further page sorts the buckets that are not sorted yet.
 */
export class Ordering {
  readonly #database: Database
  readonly #table: Table
  readonly #orderBy: OrderBy
  readonly #slots: Int32Array
  readonly #pastOf: () => Past
  #past: Past = null
  /** By term and index; null while keys are read only for the records that are compared. */
  #keys: readonly OrderKeys[] | null
  #whole: Part | null = null
  /** The first records of the order, if there are few in all. */
  #first = NONE
  /** The first or the last records of the order, until a page needs more. */
  #head: Head | null = null

  /**
   * Takes record numbers in ascending order, and either the keys of every term, by index, or a
   * function that returns the changes since the moment of the order. It is called whenever keys are
   * read, also by later pages.
   */
  constructor(
    database: Database,
    table: Table,
    slots: Int32Array,
    orderBy: OrderBy,
    keys: readonly OrderKeys[] | (() => Past),
  ) {
    this.#database = database
    this.#table = table
    this.#orderBy = orderBy
    this.#slots = slots
    this.#keys = typeof keys === 'function' ? null : keys
    this.#pastOf = typeof keys === 'function' ? keys : () => null
  }

  /** An ordering that reads all keys now: for orders over relations or computed attributes. */
  static ofNow(database: Database, table: Table, slots: Int32Array, orderBy: OrderBy): Ordering {
    const keys = orderBy.map((term) => orderKeys(database, table, term, slots, null))
    return new Ordering(database, table, slots, orderBy, keys)
  }

  /** Record numbers `skip` to `skip + top` of the order. Throws what reading the past throws. */
  page(skip: number, top: number): Int32Array {
    const count = this.#slots.length
    const end = Math.min(count, skip + top)
    if (end <= skip) return NONE
    const { slices } = this.#database
    if (slices === null) return this.#find(skip, end)
    const keys = this.#keys?.map(vectorOf) ?? momentOf(this.#pastOf())
    const memoKey = ['ordered', this.#table, this.#orderBy, keys, skip, end]
    return slices.once(memoKey, () => this.#find(skip, end), this.#slots)
  }

  #find(skip: number, end: number): Int32Array {
    const count = this.#slots.length
    const known = this.#pageOfHead(skip, end)
    if (known !== null) return known
    if (count <= MAX_COMPARED || (count <= MAX_PICKED && end <= MAX_PICKED_PAGE))
      return this.#pageOfFew(skip, end)
    this.#past = this.#keys === null ? this.#pastOf() : null
    if (this.#keys === null && (this.#past?.size ?? 0) > MAX_CHANGED) this.#readKeys()
    this.#head = this.#whole === null ? this.#headOf(skip, end) : null
    const page = this.#pageOfHead(skip, end)
    if (page !== null) return page
    // Keys that are read for a few records at a time would be read again by each time slice.
    if (
      this.#database.slices !== null ||
      (end - skip > MAX_COMPARED && !isFewOf(end - skip, count))
    )
      this.#readKeys()
    const whole = (this.#whole ??= this.#steps('parts of order').run(() => this.#start()))
    this.#steps('order', skip, end).run(() => this.#sort(whole, skip, end))
    return this.#slotsAt(whole.places.subarray(skip, end))
  }

  #steps(...name: readonly unknown[]): Steps {
    const memoKey = (): readonly unknown[] => [
      ...name,
      this.#orderBy,
      ...this.#readKeys().map(vectorOf),
    ]
    return Steps.in(this.#database.slices, memoKey, this.#slots)
  }

  /** A page within the records at an end; null if it needs more of them. */
  #pageOfHead(skip: number, end: number): Int32Array | null {
    if (this.#head === null) return null
    const { count, ordering } = this.#head
    if (this.#head.end === 'first') return end > count ? null : ordering.page(skip, end - skip)
    const after = this.#slots.length - skip
    return after > count ? null : ordering.page(ordering.#slots.length - after, end - skip)
  }

  /** A page of few records: each record is compared with the first ones so far. */
  #pageOfFew(skip: number, end: number): Int32Array {
    if (this.#first.length < end) {
      this.#past = this.#keys === null ? this.#pastOf() : null
      const compare = comparatorOf(this.#orderBy, this.#readKeys(), this.#slots)
      // After a second page, more are likely.
      const needed = Math.min(this.#slots.length, Math.max(end, this.#first.length * 2))
      this.#first = this.#slotsAt(firstPositions(this.#slots.length, needed, compare))
    }
    return this.#first.slice(skip, end)
  }

  /**
   * A head that holds the places up to `end`, or from `skip` to the last one; null if it would hold
   * a large part of all records.
   */
  #headOf(skip: number, to: number): Head | null {
    const { length } = this.#slots
    const end = to < length - skip ? 'first' : 'last'
    const wanted = end === 'first' ? to : length - skip
    if (this.#orderBy.length === 0 || !isHeadShort(wanted, length)) return null
    const keys = this.#keys ?? (hasColumn(this.#orderBy[0]) ? null : this.#readKeys())
    const past = keys === null ? this.#past : null
    const [database, table, orderBy] = [this.#database, this.#table, this.#orderBy]
    const head = findHead({ database, table, orderBy, slots: this.#slots, keys, past }, wanted, end)
    if (head === null) return null
    const known = head.keys ?? this.#pastOf
    const ordering = new Ordering(database, table, head.slots, orderBy, known)
    return { end, count: head.count, ordering }
  }

  #keysAt(term: OrderTerm, slots: Int32Array): OrderKeys {
    return orderKeys(this.#database, this.#table, term, slots, this.#past)
  }
  #readKeys(): readonly OrderKeys[] {
    this.#keys ??= this.#orderBy.map((term) => this.#keysAt(term, this.#slots))
    return this.#keys
  }

  /** Distributes all records by the first term. */
  *#start(): BuildSteps<Part> {
    const { length } = this.#slots
    const [first] = this.#orderBy
    const buckets =
      first === undefined
        ? null
        : yield* bucketsOf(this.#keys?.[0] ?? this.#keysAt(first, this.#slots), first.descending)
    if (buckets !== null) return dividedPart(buckets.places, 0, 0, 0, buckets)
    const places = new Int32Array(length)
    for (let i = 0; i < length; i++) places[i] = i
    return undividedPart(places, 0, length, 0)
  }

  /** Distributes the places [`from`, `to`) by a term. */
  *#distributed(
    places: Int32Array,
    from: number,
    to: number,
    term: number,
    depth: number,
  ): BuildSteps<Part> {
    // A copy, because its source is overwritten.
    const before = places.slice(from, to)
    const keys =
      this.#keys === null
        ? this.#keysAt(this.#orderBy[term], this.#slotsAt(before))
        : yield* someKeys(this.#keys[term], before)
    const buckets = yield* bucketsOf(keys, this.#orderBy[term].descending)
    if (buckets === null) return undividedPart(places, from, to, term)
    for (let i = 0; i < before.length; i++) places[from + i] = before[buckets.places[i]]
    return dividedPart(places, from, term, depth, buckets)
  }

  /** Sorts the places [`low`, `high`) of a part. */
  *#sort(part: Part, low: number, high: number): BuildSteps {
    const { places, from, starts, isSorted, inner } = part
    const term = part.isExact ? part.term + 1 : part.term
    // Distribution keeps records with equal keys in record order.
    if (term >= this.#orderBy.length) return
    const ranges: number[] = []
    const sorted: number[] = []
    for (
      let b = bucketAt(starts, low - from);
      b < isSorted.length && from + starts[b] < high;
      b++
    ) {
      const start = from + starts[b]
      const end = from + starts[b + 1]
      if (end - start < 2 || isSorted[b] === 1) continue
      if (end - start <= MAX_COMPARED || part.depth === MAX_DEPTH) {
        ranges.push(start, end)
        sorted.push(b)
        continue
      }
      const known = inner.get(b)
      const depth = part.isExact ? 0 : part.depth + 1
      const again = known ?? (yield* this.#distributed(places, start, end, term, depth))
      inner.set(b, again)
      yield* this.#sort(again, Math.max(low, start), Math.min(high, end))
    }
    yield* this.#compare(places, ranges, term)
    for (let i = 0; i < sorted.length; i++) isSorted[sorted[i]] = 1
  }

  /** Sorts ranges of places, whose records are equal by the terms before `term`. */
  *#compare(places: Int32Array, ranges: readonly number[], term: number): BuildSteps {
    if (ranges.length === 0) return
    const terms = this.#orderBy.slice(term)
    if (this.#keys !== null) {
      const compare = comparatorOf(terms, this.#keys.slice(term), this.#slots)
      yield* sortItems(places, ranges, compare)
      return
    }
    sortRanges(places, ranges, (tied) => {
      const slots = this.#slotsAt(tied)
      const keys = terms.map((each) => this.#keysAt(each, slots))
      return comparatorOf(terms, keys, slots)
    })
  }

  #slotsAt(places: Int32Array | readonly number[]): Int32Array {
    const slots = new Int32Array(places.length)
    for (let i = 0; i < slots.length; i++) slots[i] = this.#slots[places[i]]
    return slots
  }
}

/** Places of an order from `from` on, distributed by one of its terms. */
interface Part {
  /** Indices of the records of the whole order, sorted as far as needed. */
  readonly places: Int32Array
  readonly from: number
  readonly term: number
  readonly depth: number
  /** The beginnings of the buckets, counted from `from`, and the end of the last one. */
  readonly starts: Int32Array
  /** True if the keys of each bucket are equal. */
  readonly isExact: boolean
  /** By bucket: 1 where its records are in order. */
  readonly isSorted: Uint8Array
  /** Buckets that were distributed again. */
  readonly inner: Map<number, Part>
}

const dividedPart = (
  places: Int32Array,
  from: number,
  term: number,
  depth: number,
  { starts, isExact }: Pick<Buckets, 'starts' | 'isExact'>,
): Part => {
  const isSorted = new Uint8Array(starts.length - 1)
  return { places, from, term, depth, starts, isExact, isSorted, inner: new Map() }
}

/** A part of one bucket, which is sorted by comparisons. */
const undividedPart = (places: Int32Array, from: number, to: number, term: number): Part =>
  dividedPart(places, from, term, MAX_DEPTH, {
    starts: Int32Array.of(0, to - from),
    isExact: false,
  })

/**
 * Sorts records, ties by record number. `past` as in `orderKeys`. Cost: O(n), and comparisons of
 * records with close keys: at most O(n log n), of numbers, or of texts with the same beginning.
 */
export function sortSlots(
  database: Database,
  table: Table,
  slots: Int32Array,
  orderBy: OrderBy,
  past: Past = null,
): Int32Array {
  return new Ordering(database, table, ascending(slots), orderBy, () => past).page(0, slots.length)
}

function ascending(slots: Int32Array): Int32Array {
  for (let i = 1; i < slots.length; i++) if (slots[i] < slots[i - 1]) return slots.slice().sort()
  return slots
}
