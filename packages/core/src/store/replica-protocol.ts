import type { StoredValue } from '../value/types.ts'

/** Stored values as JSON, by the names of attributes and to-one relations. */
export type BatchValues = { readonly [name: string]: unknown }

/** One change of a batch. */
export type BatchItem = {
  readonly dataClass: string
  readonly key: string | number
} & (
  | { readonly kind: 'insert'; readonly values: BatchValues }
  | {
      readonly kind: 'update'
      readonly values: BatchValues
      /** The values that these replace. */
      readonly before: BatchValues
      /** The stamp of the entity that the change was made for. */
      readonly stamp: number
    }
  | { readonly kind: 'remove'; readonly before: BatchValues; readonly stamp: number }
)

/** A call of a function by a replica. */
export interface BatchCall {
  readonly dataClass: string
  /** The entity that it works on; null for a function of the dataclass. */
  readonly key: string | number | null
  readonly name: string
  /** JSON values. An entity is an `ArgumentEntity`. */
  readonly args: readonly unknown[]
}

/** An entity as an argument of a call: the function gets it as it is stored when it is called. */
export interface ArgumentEntity {
  readonly __ENTITY: true
  readonly __DATACLASS: string
  readonly __KEY: string | number
}

/** Whether an argument has the members of an `ArgumentEntity` and no others. */
export function isArgumentEntity(value: unknown): value is ArgumentEntity {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) return false
  const { __ENTITY, __DATACLASS, __KEY } = value as { readonly [name: string]: unknown }
  return (
    __ENTITY === true &&
    typeof __DATACLASS === 'string' &&
    (typeof __KEY === 'string' || typeof __KEY === 'number')
  )
}

/** The changes of one transaction of a replica, or one call. */
export interface Batch {
  readonly number: number
  /** Empty for a call. */
  readonly items: readonly BatchItem[]
  readonly call?: BatchCall
  /** Refuses every entity with another stamp, even if the changed values are the same. */
  readonly strict: boolean
}

/** Two writers changed the same values. */
export interface BatchConflict {
  readonly dataClass: string
  readonly key: string | number
  /** The values that the change was made for; null if there are none to compare. */
  readonly base: BatchValues | null
  /** The values of the change; null for a removal. */
  readonly mine: BatchValues | null
  /** The values as stored; null if the entity does not exist. */
  readonly theirs: BatchValues | null
  /** The stamp as stored; 0 if the entity does not exist. */
  readonly stamp: number
}

/** Why a batch was refused. */
export interface BatchRefusal {
  /** Empty if the batch was refused for another reason. */
  readonly conflicts: readonly BatchConflict[]
  /** The error and its causes, the outermost first. */
  readonly errors: readonly {
    readonly code: string
    readonly errCode: number
    readonly message: string
  }[]
}

/**
 * For each item of a batch, in their order, the stamp that the batch has led to: null for a removed
 * entity, and for one that others have saved since the state that the item was made for.
 */
export type BatchStamps = readonly (number | null)[]

/**
 * What has been decided. `globalStamp` is that of a commit that includes the batch; `result` is the
 * result of a call as a JSON value. `stamps` is missing for a batch that was decided before.
 */
export type BatchOutcome =
  | {
      readonly number: number
      readonly kind: 'applied'
      readonly globalStamp: number
      readonly result?: unknown
      readonly stamps?: BatchStamps
    }
  | { readonly number: number; readonly kind: 'refused'; readonly refusal: BatchRefusal }

/** The most keys of one block. */
export const MAX_LEASE = 10_000

/** The first and the last of the whole-number keys that only one replica gives. */
export type KeyBlock = readonly [first: number, last: number]

/** Asks for the next block of keys of a dataclass. */
export interface LeaseRequest {
  /** Keys of the block, from 1 to `MAX_LEASE`. */
  readonly size: number
  /** The lowest key that may still arrive: blocks below are forgotten. */
  readonly lowest: number
  /** The last key of the blocks that have arrived; 0 for none. Later blocks are sent again. */
  readonly last: number
}

/** All blocks of keys that a replica has of a dataclass, or why it gets no other one. */
export type Lease =
  | { readonly blocks: readonly KeyBlock[] }
  | { readonly errors: BatchRefusal['errors'] }

/**
 * The stamps to which batches of one replica have led, in their order: others have not saved in
 * between. A later batch that was made for a state before them is for the state that they left.
 */
export class OwnStamps {
  /** By entity, the stamps that the replica knew, each with that of its last save. */
  readonly #last = new Map<string, Map<number, number>>()

  get isEmpty(): boolean {
    return this.#last.size === 0
  }

  /** Adds an applied batch. Cost: O(items). */
  add(items: readonly BatchItem[], stamps: BatchStamps): void {
    for (const [at, item] of items.entries()) {
      const to = stamps[at] ?? null
      if (to === null) continue
      const from = item.kind === 'insert' ? 0 : item.stamp
      const id = idOf(item)
      const last = this.#last.get(id) ?? new Map<number, number>()
      const before = last.get(from) ?? from
      for (const [known, stamp] of last) if (stamp === before) last.set(known, to)
      this.#last.set(id, last.set(from, to).set(before, to))
    }
  }

  /** Items as they are for the state after the batches; the same list if nothing changes. */
  after(items: readonly BatchItem[]): readonly BatchItem[] {
    let isChanged = false
    const after = items.map((item) => {
      const stamp = item.kind === 'insert' ? undefined : this.#last.get(idOf(item))?.get(item.stamp)
      if (stamp === undefined) return item
      isChanged = true
      return { ...item, stamp }
    })
    return isChanged ? after : items
  }
}

const idOf = ({ dataClass, key }: BatchItem): string => `${dataClass} ${key}`

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
