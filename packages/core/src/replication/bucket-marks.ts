import type { StoredValue } from '../value/types.ts'

/** Entities of one bucket, about. */
const BUCKET_ENTITIES = 48
/** Parts of a bucket that is divided. */
export const BUCKET_PARTS = 32
/** Characters of a mark: 42 bits in base64. */
const MARK_LENGTH = 7
/** Characters of a hint, for each bucket: 12 bits in base64. */
export const HINT_LENGTH = 2

/** The number of buckets for so many entities. */
export const bucketCount = (entities: number): number =>
  Math.max(1, Math.ceil(entities / BUCKET_ENTITIES))

/** The length of the text of so many buckets, of which some are divided. */
export const marksLength = (count: number, divided: number): number =>
  MARK_LENGTH * (count + divided * (BUCKET_PARTS - 1))

/**
 * Marks of the entities of one dataclass, in buckets that their keys choose; a bucket consists of
 * parts. The mark of a part is the sum of the marks of its entities, so that no order matters, and
 * that of a bucket the sum of its parts. Two sides with the same seed that have different entities
 * in a part or bucket have different marks of it, except for one of 2^42 cases. The seed is random,
 * so that no user can prepare values that have the same mark.
 *
 * A hint is short and says only which buckets are worth being divided: one that misses a difference
 * makes a text longer than it need be, and a comparison never depends on it.
 * Cost: O(parts) memory, O(length of the values) for each entity.
 */
export class BucketMarks {
  readonly count: number
  readonly #seed: number
  readonly #high: Uint32Array
  readonly #low: Uint32Array

  constructor(count: number, seed: number) {
    this.count = count
    this.#seed = seed
    this.#high = new Uint32Array(count * BUCKET_PARTS)
    this.#low = new Uint32Array(count * BUCKET_PARTS)
  }

  /** The part of a key. Those of one bucket are neighbours. */
  partOf(key: string | number): number {
    first = this.#seed
    second = ~this.#seed
    addValue(key)
    return mixed(first ^ second) % this.#low.length
  }

  /** Adds an entity. */
  add(
    key: string | number,
    stamp: number,
    timestamp: number,
    values: readonly StoredValue[],
  ): void {
    const part = this.partOf(key)
    addNumber(stamp)
    addNumber(timestamp)
    for (const value of values) addValue(value)
    const low = mixed(first)
    this.#low[part] = this.#low[part]! + low
    this.#high[part] = this.#high[part]! + mixed(second ^ low)
  }

  /** The hints in the order of the buckets. */
  hints(): string {
    const texts = new Array<string>(this.count)
    for (let bucket = 0; bucket < this.count; bucket++) texts[bucket] = this.#hint(bucket)
    return texts.join('')
  }

  /** The buckets whose hints are not those of another side. */
  unlike(hints: string): number[] {
    const unlike: number[] = []
    for (let bucket = 0; bucket < this.count; bucket++)
      if (!hints.startsWith(this.#hint(bucket), bucket * HINT_LENGTH)) unlike.push(bucket)
    return unlike
  }

  /**
   * The marks in the order of the buckets: those of all parts of a divided bucket. `divided` is in
   * ascending order.
   */
  text(divided: readonly number[]): string {
    const texts: string[] = []
    this.#each(divided, (start, end) => texts.push(this.#mark(start, end)))
    return texts.join('')
  }

  /** The parts that differ from the text of another side; all of a bucket that is not divided. */
  differing(divided: readonly number[], text: string): number[] {
    const differing: number[] = []
    let at = 0
    this.#each(divided, (start, end) => {
      if (!text.startsWith(this.#mark(start, end), at))
        for (let part = start; part < end; part++) differing.push(part)
      at += MARK_LENGTH
    })
    return differing
  }

  /** Calls back with the parts of each mark of a text. */
  #each(divided: readonly number[], mark: (start: number, end: number) => void): void {
    let next = 0
    for (let bucket = 0; bucket < this.count; bucket++) {
      const start = bucket * BUCKET_PARTS
      const end = start + BUCKET_PARTS
      if (divided[next] !== bucket) mark(start, end)
      else {
        next++
        for (let part = start; part < end; part++) mark(part, part + 1)
      }
    }
  }

  #mark(start: number, end: number): string {
    let high = 0
    let low = 0
    for (let part = start; part < end; part++) {
      high += this.#high[part]!
      low += this.#low[part]!
    }
    return digitsOf(high >>> 0, low >>> 0)
  }

  #hint(bucket: number): string {
    return this.#mark(bucket * BUCKET_PARTS, (bucket + 1) * BUCKET_PARTS).slice(-HINT_LENGTH)
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The lower 18 and 24 bits in base64. */
function digitsOf(high: number, low: number): string {
  let text = ''
  for (let shift = 12; shift >= 0; shift -= 6) text += DIGITS[(high >> shift) & 63]
  for (let shift = 18; shift >= 0; shift -= 6) text += DIGITS[(low >> shift) & 63]
  return text
}

// The hash of the entity that is being added: two sums with different multipliers. They are
// variables of the module, because a result of two numbers would be an object for each value.
let first = 0
let second = 0

function addWord(word: number): void {
  first = Math.imul(first ^ word, 0x2c1b3c6d)
  first ^= first >>> 15
  second = Math.imul(second, 0x297a2d39) + word
  second ^= second >>> 13
}

const float = new Float64Array(1)
const halves = new Uint32Array(float.buffer)

function addNumber(value: number): void {
  // JSON has no negative zero.
  float[0] = value + 0
  addWord(halves[0]!)
  addWord(halves[1]!)
}

function addText(kind: number, text: string): void {
  addWord(kind)
  addWord(text.length)
  for (let at = 0; at < text.length; at++) addWord(text.charCodeAt(at))
}

function addValue(value: StoredValue): void {
  switch (typeof value) {
    case 'number':
      addWord(1)
      addNumber(value)
      return
    case 'string':
      addText(2, value)
      return
    case 'boolean':
      addWord(value ? 4 : 3)
      return
    default:
      if (value === null) addWord(5)
      else addText(6, JSON.stringify(value))
  }
}

/** Multiplication propagates bits to the left only; this also propagates them to the right. */
function mixed(sum: number): number {
  let half = Math.imul(sum ^ (sum >>> 16), 0x21f0aaad)
  half = Math.imul(half ^ (half >>> 15), 0x735a2d97)
  return (half ^ (half >>> 15)) >>> 0
}
