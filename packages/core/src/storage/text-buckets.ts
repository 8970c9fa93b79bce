import { hasBit } from './bitset.ts'

/**
 * Records whose texts begin with `shared`, by the next one or two code units; digit 0 stands for
 * the end of a text.
 */
export class TextBuckets {
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
