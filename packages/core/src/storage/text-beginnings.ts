import { hasBit, setBit, wordsFor } from './bitset.ts'
import type { TextColumn } from './column.ts'
import { lengthened } from './vector.ts'

/** Texts from `low` on, below `high`. */
export interface TextInterval {
  readonly low: string
  readonly high: string
}

/**
 * Runs a loop over [0, `count`), possibly in several time slices, and returns its state. `name`
 * identifies the loop within one tree.
 */
export type Pass = <S>(
  name: string,
  count: number,
  start: () => S,
  body: (state: S, from: number, to: number) => void,
) => S

/** Buckets of at most so many texts are compared text by text. */
const MAX_COMPARED_TEXTS = 32

/**
 * Finds the records of a plain text column by how their texts begin: a tree of buckets, one or two
 * code units a level, built as far as filters need it. It is a radix sort that splits a bucket only
 * when a filter reads a part of it.
 *
 * The tree is kept for the next filter. Commits only note the records that they change, whose texts
 * a filter then compares. Once these are many, a filter first moves them to their buckets, which
 * reads no other texts. After very many changes without a filter the tree is dropped, and the next
 * one builds it again. Cost of building: O(records) a level.
 */
export class TextBeginnings {
  readonly #column: TextColumn
  readonly #mostCompared: (records: number) => number
  #root: TextBuckets | null = null
  /** The records that the tree does not have as they are, and a bit for each of them. */
  #changed: number[] = []
  #isChanged: Int32Array = new Int32Array(0)
  /** The number of changed records whose texts fit in no bucket. They are the first ones. */
  #unfit = 0

  /**
   * `mostCompared`: of so many records, how many changed ones a filter may compare one by one.
   */
  constructor(
    column: TextColumn,
    mostCompared = (records: number): number => Math.max(64, records >> 8),
  ) {
    this.#column = column
    this.#mostCompared = mostCompared
  }

  /** A record's text is about to change, or has changed. */
  note(slot: number): void {
    if (this.#root === null || hasBit(this.#isChanged, slot)) return
    if (this.#changed.length >= Math.max(64, this.#root.slots.length >> 2)) {
      this.forget()
      return
    }
    if (slot >= this.#isChanged.length * 32)
      this.#isChanged = lengthened(this.#isChanged, wordsFor(slot + 1 + (slot >> 2)))
    setBit(this.#isChanged, slot)
    this.#changed.push(slot)
  }

  forget(): void {
    this.#root = null
    this.#leave([])
  }
  /** Keeps only these as changed. */
  #leave(slots: number[]): void {
    this.#changed = slots
    this.#unfit = slots.length
    this.#isChanged.fill(0)
    for (const slot of slots) setBit(this.#isChanged, slot)
  }

  /**
   * Adds the living records with texts in the intervals (ascending and disjoint) to `out`,
   * unordered. `length` is the table's.
   */
  collect(intervals: readonly TextInterval[], length: number, pass: Pass, out: number[]): void {
    if (this.#changed.length - this.#unfit > this.#mostCompared(length)) this.#settle()
    this.#root ??= this.#makeNode('', this.#allSlots(length, pass), 0, pass)
    for (const interval of intervals) {
      const bounds = boundsWithin(this.#root.shared, interval)
      if (bounds !== null) this.#collect(this.#root, '', bounds, pass, out)
    }
    const { keys } = this.#column
    for (const slot of this.#changed) {
      const key = keys[slot] ?? null
      if (key !== null && isWithin(intervals, key)) out.push(slot)
    }
  }

  /**
   * Moves the changed records to the buckets of their texts. Drops the tree if many texts fit in no
   * bucket. Cost: O(records), but the only texts read are theirs.
   */
  #settle(): void {
    const keys = this.#column.keys as readonly string[]
    const root = this.#root as TextBuckets
    const present = this.#changed.filter((slot) => (keys[slot] ?? null) !== null)
    const moved = present.filter((slot) => root.holds(keys[slot]))
    const left = present.filter((slot) => !root.holds(keys[slot]))
    if (left.length > Math.max(64, root.slots.length >> 5)) this.forget()
    else {
      const buckets = Int32Array.from(moved, (slot) => root.bucketOf(keys[slot]))
      root.replace(this.#isChanged, moved, buckets)
      this.#leave(left)
    }
  }

  #collect(
    node: TextBuckets,
    name: string,
    { low, high }: Bounds,
    pass: Pass,
    out: number[],
  ): void {
    const first = low === null ? -1 : node.bucketOf(low)
    const last = high === null ? node.starts.length - 1 : node.bucketOf(high)
    if (first === last) {
      this.#collectFrom(node, name, first, { low, high }, pass, out)
      return
    }
    if (first >= 0) this.#collectFrom(node, name, first, { low, high: null }, pass, out)
    this.#add(node.slots, node.starts[first + 1], node.starts[last], UNBOUNDED, out)
    if (high !== null) this.#collectFrom(node, name, last, { low: null, high }, pass, out)
  }

  #collectFrom(
    node: TextBuckets,
    name: string,
    bucket: number,
    asked: Bounds,
    pass: Pass,
    out: number[],
  ): void {
    const from = node.starts[bucket]
    const to = node.starts[bucket + 1]
    if (from === to) return
    const text = node.textOf(bucket)
    const depth = node.shared.length + node.units
    const bounds = boundsWithin(text, asked)
    if (bounds === null) return
    // Texts that end here are equal.
    if (to - from <= MAX_COMPARED_TEXTS || bounds === UNBOUNDED || text.length < depth) {
      this.#add(node.slots, from, to, bounds, out)
      return
    }
    const below = `${name}/${bucket}`
    let child = node.children.get(bucket)
    if (child === undefined) {
      const slots = node.slots.subarray(from, to).filter((slot) => !hasBit(this.#isChanged, slot))
      child = this.#makeNode(below, slots, depth, pass)
      node.children.set(bucket, child)
    }
    const rest = boundsWithin(child.shared, bounds)
    if (rest !== null) this.#collect(child, below, rest, pass, out)
  }

  /** Records that did not change, with texts within the bounds. */
  #add(slots: Int32Array, from: number, to: number, { low, high }: Bounds, out: number[]): void {
    const { keys } = this.#column
    for (let i = from; i < to; i++) {
      const slot = slots[i]
      if (hasBit(this.#isChanged, slot)) continue
      const key = keys[slot] as string
      if ((low === null || key >= low) && (high === null || key < high)) out.push(slot)
    }
  }

  #allSlots(length: number, pass: Pass): Int32Array {
    const { keys } = this.#column
    const start = () => ({ slots: new Int32Array(length), count: 0 })
    const { slots, count } = pass('texts', length, start, (found, from, to) => {
      for (let slot = from; slot < to; slot++) {
        if ((keys[slot] ?? null) !== null) found.slots[found.count++] = slot
      }
    })
    return slots.subarray(0, count)
  }

  /** A node of records whose texts begin with the same `depth` code units. */
  #makeNode(name: string, slots: Int32Array, depth: number, pass: Pass): TextBuckets {
    const keys = this.#column.keys as readonly string[]
    const first = slots.length === 0 ? '' : keys[slots[0]]
    const { length } = pass(
      `${name} shared`,
      slots.length,
      () => ({ length: first.length }),
      (shared, from, to) => {
        for (let i = from; i < to; i++)
          shared.length = sharedLength(first, keys[slots[i]], depth, shared.length)
      },
    )
    const { low, high } = pass(
      `${name} units`,
      slots.length,
      () => ({ low: 0xffff, high: 0 }),
      (units, from, to) => {
        for (let i = from; i < to; i++) {
          const key = keys[slots[i]]
          const end = Math.min(key.length, length + 2)
          for (let at = length; at < end; at++) {
            const unit = key.charCodeAt(at)
            if (unit < units.low) units.low = unit
            if (unit > units.high) units.high = unit
          }
        }
      },
    )
    const node = new TextBuckets(first.slice(0, length), low, high, slots.length)
    const buckets = pass(
      `${name} buckets`,
      slots.length,
      () => new Int32Array(slots.length),
      (bucketOf, from, to) => {
        for (let i = from; i < to; i++) bucketOf[i] = node.bucketOf(keys[slots[i]])
      },
    )
    node.fill(slots, buckets)
    return node
  }
}

/**
 * Records whose texts begin with `shared`, by the next one or two code units; digit 0 stands for
 * the end of a text.
 */
class TextBuckets {
  readonly shared: string
  /** Code units per level. */
  readonly units: 1 | 2
  readonly #low: number
  readonly #span: number
  /** Where the records of each bucket begin, and where the last one ends. */
  starts: Int32Array
  slots: Int32Array
  readonly children = new Map<number, TextBuckets>()

  constructor(shared: string, low: number, high: number, count: number) {
    this.shared = shared
    this.#low = low
    this.#span = Math.max(0, high - low + 1) + 1
    // Two where buckets then still have a few records.
    this.units = this.#span * this.#span <= Math.max(256, count) ? 2 : 1
    this.starts = new Int32Array((this.units === 2 ? this.#span * this.#span : this.#span) + 1)
    this.slots = new Int32Array(count)
  }

  /**
   * The bucket of a text that begins with `shared`. A text that no bucket holds gets the nearest
   * one.
   */
  bucketOf(text: string): number {
    const { length } = this.shared
    const digit = this.#digitAt(text, length)
    if (this.units === 1) return Math.min(Math.max(digit, 0), this.#span - 1)
    if (digit < 1) return digit === 0 ? 0 : Math.min(this.#span, this.#span * this.#span - 1)
    if (digit >= this.#span) return this.#span * this.#span - 1
    const next = this.#digitAt(text, length + 1)
    return digit * this.#span + (next < 0 ? 1 : Math.min(next, this.#span - 1))
  }

  /** True if the text begins with `shared`, and goes on with code units that the buckets have. */
  holds(text: string): boolean {
    const { length } = this.shared
    if (!text.startsWith(this.shared)) return false
    for (let at = length; at < length + this.units; at++) {
      const digit = this.#digitAt(text, at)
      if (digit < 0 || digit >= this.#span) return false
    }
    return true
  }

  /** -1 for a code unit below all others. */
  #digitAt(text: string, at: number): number {
    if (at >= text.length) return 0
    const above = text.charCodeAt(at) - this.#low
    return above < 0 ? -1 : above + 1
  }

  /** The common beginning of a bucket's texts. */
  textOf(bucket: number): string {
    const textOf = (digit: number): string =>
      digit === 0 ? '' : String.fromCharCode(this.#low + digit - 1)
    if (this.units === 1) return this.shared + textOf(bucket)
    return this.shared + textOf(Math.floor(bucket / this.#span)) + textOf(bucket % this.#span)
  }

  fill(slots: Int32Array, buckets: Int32Array): void {
    const { starts } = this
    for (let i = 0; i < buckets.length; i++) starts[buckets[i] + 1]++
    for (let bucket = 1; bucket < starts.length; bucket++) starts[bucket] += starts[bucket - 1]
    const next = starts.slice()
    for (let i = 0; i < buckets.length; i++) this.slots[next[buckets[i]]++] = slots[i]
  }

  /**
   * Takes the records with a bit in `isGone` out of their buckets, and puts others into theirs.
   * Children of buckets that change are dropped.
   */
  replace(isGone: Int32Array, added: readonly number[], buckets: Int32Array): void {
    const order = added.map((_, i) => i).sort((a, b) => buckets[a] - buckets[b])
    const former = this.starts
    const starts = former.slice()
    const slots = new Int32Array(this.slots.length + added.length)
    let count = 0
    let next = 0
    for (let bucket = 0; bucket + 1 < former.length; bucket++) {
      starts[bucket] = count
      const firstAdded = next
      for (let i = former[bucket]; i < former[bucket + 1]; i++)
        if (!hasBit(isGone, this.slots[i])) slots[count++] = this.slots[i]
      const isWhole = count - starts[bucket] === former[bucket + 1] - former[bucket]
      while (next < order.length && buckets[order[next]] === bucket)
        slots[count++] = added[order[next++]]
      if (!isWhole || next > firstAdded) this.children.delete(bucket)
    }
    starts[starts.length - 1] = count
    this.starts = starts
    this.slots = slots.subarray(0, count)
  }
}

/** Bounds of texts; null where all texts satisfy the bound. */
interface Bounds {
  readonly low: string | null
  readonly high: string | null
}
const UNBOUNDED: Bounds = { low: null, high: null }

/** The bounds that remain for texts that begin with `shared`; null where none of them is within. */
function boundsWithin(shared: string, { low, high }: Bounds): Bounds | null {
  const { length } = shared
  if (low !== null) {
    const least = low.slice(0, length)
    if (shared < least) return null
    if (shared > least || low.length <= length) low = null
  }
  if (high !== null) {
    const most = high.slice(0, length)
    if (shared > most || (shared === most && high.length <= length)) return null
    if (shared < most) high = null
  }
  return low === null && high === null ? UNBOUNDED : { low, high }
}

/** The length up to which two texts agree, at most `most`. They are known to agree up to `from`. */
function sharedLength(a: string, b: string, from: number, most: number): number {
  const end = Math.min(most, b.length)
  let at = from
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

function isWithin(intervals: readonly TextInterval[], key: string): boolean {
  let at = 0
  let end = intervals.length
  while (at < end) {
    const middle = (at + end) >>> 1
    if (intervals[middle].low <= key) at = middle + 1
    else end = middle
  }
  return at > 0 && key < intervals[at - 1].high
}
