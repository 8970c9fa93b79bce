import { BYTES_PER_MAP_ENTRY } from '../value/value-size.ts'
import { lengthened } from './vector.ts'

/**
 * Value -> record number, for keys and unique attributes: integers of a dense range in one vector,
 * texts in a hash over the column that holds them, all else in a map.
 */
export class HashIndex {
  /** Record number + 1 by integer value; 0 is none. */
  #dense: Int32Array = new Int32Array(0)
  #denseCount = 0
  #map = new Map<number | boolean, number>()
  readonly #texts: TextHash

  /**
   * `textOf` returns the text of an entered record number, and must do so until the text is
   * deleted.
   */
  constructor(textOf: TextOf) {
    this.#texts = new TextHash(textOf)
  }

  get size(): number {
    return this.#denseCount + this.#map.size + this.#texts.size
  }

  /** Memory, about. Cost: O(1). */
  get bytes(): number {
    return this.#dense.byteLength + this.#map.size * BYTES_PER_MAP_ENTRY + this.#texts.bytes
  }

  /** The record that holds the value, or -1. */
  find(value: string | number | boolean): number {
    if (typeof value === 'string') return this.#texts.find(value)
    if (typeof value === 'number') {
      const dense = this.#dense
      if (value >= 0 && value < dense.length && Number.isInteger(value)) return dense[value] - 1
    }
    return this.#map.get(value) ?? -1
  }

  set(value: string | number | boolean, slot: number): void {
    if (typeof value === 'string') {
      this.#texts.set(value, slot)
      return
    }
    if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) {
      if (value >= this.#dense.length && value < 1024 + 4 * this.size) this.#extend(value + 1)
      if (value < this.#dense.length) {
        if (this.#dense[value] === 0) this.#denseCount++
        this.#dense[value] = slot + 1
        return
      }
    }
    this.#map.set(value, slot)
  }

  delete(value: string | number | boolean): void {
    if (typeof value === 'string') this.#texts.delete(value)
    else if (this.#isDense(value)) {
      if (this.#dense[value] !== 0) this.#denseCount--
      this.#dense[value] = 0
    } else this.#map.delete(value)
  }

  clear(): void {
    this.#dense = new Int32Array(0)
    this.#denseCount = 0
    this.#map.clear()
    this.#texts.clear()
  }

  /** Takes over the entries of another index, which must not be used afterwards. Cost O(1). */
  adopt(other: HashIndex): void {
    this.#dense = other.#dense
    this.#denseCount = other.#denseCount
    this.#map = other.#map
    this.#texts.adopt(other.#texts)
  }

  /** True where there is room for so many more values: a `Map` holds 2^24 entries at most. */
  canHold(extra: number): boolean {
    return this.#map.size + extra <= 16777216 || this.#denseCount > 0 || this.#texts.size > 0
  }

  /** Prepares the vector for integer values up to `max`, where they are dense enough. */
  reserve(max: number, expected: number): void {
    if (max >= this.#dense.length && max < 1024 + 4 * (this.size + expected)) this.#extend(max + 1)
  }
  /** Room for so many more texts. */
  reserveTexts(extra: number): void {
    this.#texts.reserve(extra)
  }

  /** Every pair, in no particular order. */
  *entries(): IterableIterator<[string | number | boolean, number]> {
    for (let value = 0; value < this.#dense.length; value++)
      if (this.#dense[value] !== 0) yield [value, this.#dense[value] - 1]
    yield* this.#map
    yield* this.#texts.entries()
  }

  #extend(length: number): void {
    const spare = Math.min(this.#dense.length * 2, 1024 + 4 * this.size)
    const grown = lengthened(this.#dense, Math.max(length, spare, 64))
    this.#dense = grown
    for (const [value, slot] of this.#map) {
      if (!this.#isDense(value)) continue
      grown[value] = slot + 1
      this.#denseCount++
      this.#map.delete(value)
    }
  }

  /** True for an integer in the range of the vector. */
  #isDense(value: number | boolean): value is number {
    return (
      typeof value === 'number' &&
      value >= 0 &&
      value < this.#dense.length &&
      Number.isInteger(value)
    )
  }
}

/** Share of buckets that may be in use. */
const MAX_LOAD = 0.75
const MIN_BUCKETS = 32
/**
 * Buckets searched for one text. Ordinary texts need far fewer; texts chosen to collide go to a
 * `Map` beyond it.
 */
const MAX_PROBES = 512
/**
 * Old buckets that each new text moves, at least. The old ones are empty before the new ones are
 * full: these have room for half as many texts as there are old buckets.
 */
const MOVED_BUCKETS = 4

/** Returns the text of a record number in the hash; null where it has none. */
type TextOf = (slot: number) => string | null

/**
 * Text -> record number, where the record holds the text: open addressing over hashes and record
 * numbers. It has eight bytes a bucket and stores no texts. A `Map` takes four times the memory.
 * Every operation costs O(length of the text): a larger vector takes over the entries of the former
 * one gradually, a few with each new text, so that no write waits for all of them.
 */
export class TextHash {
  readonly #textOf: TextOf
  readonly #hashOf: (text: string) => number
  #buckets = new Buckets(0)
  /** Buckets whose entries move to the others; null if there are none. */
  #former: Buckets | null = null
  /** The next bucket to move, as a place in the vector, and the number of those left. */
  #next = 0
  #left = 0
  /** Entries in buckets. */
  #count = 0
  /** Texts that found no bucket. */
  #others: Map<string, number> | null = null
  // The last text: a write searches before it enters.
  #lastText = ''
  #lastHash: number

  /** Tests pass another `hashOf`. */
  constructor(textOf: TextOf, hashOf: (text: string) => number = hashOfText) {
    this.#textOf = textOf
    this.#hashOf = hashOf
    this.#lastHash = hashOf('')
  }

  get size(): number {
    return this.#count + (this.#others?.size ?? 0)
  }
  /** Memory, about. Cost: O(1). */
  get bytes(): number {
    const vectors = this.#buckets.pairs.byteLength + (this.#former?.pairs.byteLength ?? 0)
    return vectors + (this.#others?.size ?? 0) * BYTES_PER_MAP_ENTRY
  }

  /** The record of a text, or -1. */
  find(text: string): number {
    const hash = this.#hash(text)
    const bucket = this.#buckets.find(text, hash, this.#textOf)
    if (bucket >= 0) return this.#buckets.pairs[bucket + 1] - 1
    const former = this.#inFormer(text, hash)
    if (former >= 0) return (this.#former as Buckets).pairs[former + 1] - 1
    return this.#others?.get(text) ?? -1
  }

  /** Enters a text, or points it to another record. */
  set(text: string, slot: number): void {
    const hash = this.#hash(text)
    const bucket = this.#buckets.find(text, hash, this.#textOf)
    const former = bucket < 0 ? this.#inFormer(text, hash) : -1
    if (bucket >= 0) this.#buckets.pairs[bucket + 1] = slot + 1
    else if (former >= 0) (this.#former as Buckets).pairs[former + 1] = slot + 1
    else if (this.#others?.has(text)) this.#others.set(text, slot)
    else {
      this.reserve(1)
      this.#enter(hash, slot, text)
      if (this.#former !== null) this.#move(this.#former, MOVED_BUCKETS)
    }
  }

  delete(text: string): void {
    const hash = this.#hash(text)
    const bucket = this.#buckets.find(text, hash, this.#textOf)
    const former = bucket < 0 ? this.#inFormer(text, hash) : -1
    if (bucket < 0 && former < 0) this.#others?.delete(text)
    else {
      this.#count--
      if (bucket >= 0) this.#buckets.close(bucket)
      else (this.#former as Buckets).close(former)
    }
  }

  clear(): void {
    this.#buckets = new Buckets(0)
    this.#former = null
    this.#count = 0
    this.#others = null
  }

  /**
   * Room for so many more, and an eighth of all for later. A single one never moves many entries.
   */
  reserve(extra: number): void {
    const needed = Math.ceil((this.#count + extra) / MAX_LOAD)
    const buckets = this.#buckets.pairs.length / 2
    if (needed <= buckets) return
    if (this.#former !== null) this.#move(this.#former, this.#left)
    const former = this.#buckets
    const half = buckets >> 1
    this.#buckets = new Buckets(Math.max(MIN_BUCKETS, needed + (needed >> 3), buckets + half))
    if (this.#count === 0) return
    this.#former = former
    this.#left = buckets
    // An entry lies in a row of used buckets that begins at or after its first bucket. Rows move as
    // a whole, so a search in the rest still ends at a free bucket.
    this.#next = former.firstFree()
    if (needed > buckets + half) this.#move(former, buckets)
  }

  /** Takes over the entries of another hash, which must not be used afterwards. Cost O(1). */
  adopt(other: TextHash): void {
    this.#buckets = other.#buckets
    this.#former = other.#former
    this.#next = other.#next
    this.#left = other.#left
    this.#count = other.#count
    this.#others = other.#others
  }

  /** Every pair, in no particular order. */
  *entries(): IterableIterator<[string, number]> {
    for (const { pairs } of [this.#buckets, this.#former ?? new Buckets(0)])
      for (let bucket = 0; bucket < pairs.length; bucket += 2)
        if (pairs[bucket + 1] !== 0)
          yield [this.#textOf(pairs[bucket + 1] - 1) as string, pairs[bucket + 1] - 1]
    if (this.#others !== null) yield* this.#others
  }

  #hash(text: string): number {
    if (text !== this.#lastText) {
      this.#lastText = text
      this.#lastHash = this.#hashOf(text)
    }
    return this.#lastHash
  }

  /** The place of a text in the former buckets, or -1. */
  #inFormer(text: string, hash: number): number {
    return this.#former === null ? -1 : this.#former.find(text, hash, this.#textOf)
  }

  /** Enters a new text, where there is room. `text` is null for one that moves. */
  #enter(hash: number, slot: number, text: string | null): void {
    if (this.#buckets.enter(hash, slot + 1)) this.#count++
    else {
      this.#others ??= new Map()
      this.#others.set(text ?? (this.#textOf(slot) as string), slot)
    }
  }

  /** Moves the entries of so many former buckets, and on to the next free one. */
  #move({ pairs }: Buckets, count: number): void {
    let bucket = this.#next
    let moved = 0
    for (; moved < this.#left; moved++) {
      const held = pairs[bucket + 1]
      if (held === 0) {
        if (moved >= count) break
      } else {
        pairs[bucket + 1] = 0
        this.#count--
        this.#enter(pairs[bucket], held - 1, null)
      }
      bucket += 2
      if (bucket === pairs.length) bucket = 0
    }
    this.#next = bucket
    this.#left -= moved
    if (this.#left === 0) this.#former = null
  }
}

/** A vector of buckets in the order of hashes; a search ends at the first free bucket. */
class Buckets {
  /** Two numbers per bucket: the hash of a text, and its record number + 1 (0: free). */
  readonly pairs: Int32Array
  /** Buckets per hash. */
  readonly #scale: number

  constructor(count: number) {
    this.pairs = new Int32Array(count * 2)
    this.#scale = count / 2 ** 32
  }

  /** The place of a text in `pairs`, or -1. */
  find(text: string, hash: number, textOf: TextOf): number {
    const { pairs } = this
    if (pairs.length === 0) return -1
    let bucket = this.#firstOf(hash)
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const held = pairs[bucket + 1]
      if (held === 0) return -1
      if (pairs[bucket] === hash && textOf(held - 1) === text) return bucket
      bucket += 2
      if (bucket === pairs.length) bucket = 0
    }
    return -1
  }

  /** Fills a free bucket; false if none was found. */
  enter(hash: number, held: number): boolean {
    const { pairs } = this
    let bucket = this.#firstOf(hash)
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      if (pairs[bucket + 1] === 0) {
        pairs[bucket] = hash
        pairs[bucket + 1] = held
        return true
      }
      bucket += 2
      if (bucket === pairs.length) bucket = 0
    }
    return false
  }

  /**
   * Frees a bucket and moves a displaced entry into it, so that searches may still end at the first
   * free bucket.
   */
  close(freed: number): void {
    const { pairs } = this
    let free = freed
    for (let bucket = freed; ; ) {
      bucket += 2
      if (bucket === pairs.length) bucket = 0
      if (pairs[bucket + 1] === 0) break
      const first = this.#firstOf(pairs[bucket])
      // An entry stays where its first bucket lies after the free one.
      if (free < bucket ? first > free && first <= bucket : first > free || first <= bucket)
        continue
      pairs[free] = pairs[bucket]
      pairs[free + 1] = pairs[bucket + 1]
      free = bucket
    }
    pairs[free + 1] = 0
  }

  /** The first free bucket: there is one, as at most three in four are used. */
  firstFree(): number {
    let bucket = 0
    while (this.pairs[bucket + 1] !== 0) bucket += 2
    return bucket
  }

  #firstOf(hash: number): number {
    return Math.floor((hash >>> 0) * this.#scale) * 2
  }
}

/**
 * 32 bits of a text. The hash is not secret: `MAX_PROBES` bounds the cost of texts chosen to
 * collide.
 */
function hashOfText(text: string): number {
  let hash = text.length
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // Every bit of the text must reach the high bits, which select the bucket.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
