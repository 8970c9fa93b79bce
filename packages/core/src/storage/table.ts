import { invariant } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { textKey } from '../value/compare.ts'
import type { AttributeType, StoredValue } from '../value/types.ts'
import { MAX_SIZES, type SizeLimits } from '../value/value-size.ts'
import { AttributeIndex, type IndexFactory } from './attribute-index.ts'
import { clearBit, hasBit, nextClearBit, setBit, wordsFor } from './bitset.ts'
import { type Column, createColumn } from './column.ts'
import { HashIndex } from './hash-index.ts'
import { Occupancy } from './occupancy.ts'
import type { RowCache } from './row-cache.ts'
import { lengthened } from './vector.ts'

const SIZED_TYPES: ReadonlySet<AttributeType> = new Set(['string', 'object', 'image', 'blob'])

/**
 * The records of one dataclass: a column per storage attribute, addressed by record number (slot),
 * and all that is derived from them. Freed slots are used again, lowest first; `births` tells their
 * occupants apart. The write methods keep columns and indexes exact and check nothing: the
 * transaction checks rules.
 */
export class Table {
  readonly model: ClassModel
  columns: Column[]
  /** Null in a store without the capability `indexes`: no column has an order then. */
  readonly indexFactory: IndexFactory | null
  /** By column; null where the attribute has no index. */
  indexes: (AttributeIndex | null)[]
  /** Key value, as `hashKey` has it -> record number. */
  keys: HashIndex
  /** All slots, used or free, are below this. */
  length = 0
  capacity = 0
  liveCount = 0
  /** One bit per slot: set for living records. */
  live: Int32Array = new Int32Array(0)
  stamps: Int32Array = new Int32Array(0)
  /** Epoch milliseconds. */
  timestamps: Float64Array = new Float64Array(0)
  /**
   * The same memory as pairs of 32-bit numbers, which entities store without a number on the heap.
   */
  timestampHalves: Int32Array = new Int32Array(this.timestamps.buffer)
  /** Value of the allocation clock when a slot was last used. */
  births: Float64Array = new Float64Array(0)
  /** Counts restores: the stamps that a restore takes back are given again by later changes. */
  restores = 0
  /** Which record was in a slot at a time, where births do not tell. */
  occupancy = new Occupancy()
  /** Bounds of entities and commits. */
  sizes: SizeLimits = MAX_SIZES
  /** Columns with values of variable length. */
  readonly sized: readonly number[]
  /** Texts of records; null without the capability `typedQueries`. */
  rowCache: RowCache | null = null
  /** Next value of the automatic sequence. */
  sequence = 1
  /** Counts writes, so that kept ranges and orders can tell whether they are current. */
  version = 0
  /**
   * Counts removals, and records that a rollback or restore brought back. While it is unchanged, no
   * selection lost a member.
   */
  removals = 0
  /** Counts replaced columns and reused word codes: readers compiled before are no longer valid. */
  layout = 0
  /** No slot below is free. `lowestFree` searches from here. */
  occupiedBelow = 0
  /** One null per column. Only copied. */
  readonly #nulls: readonly StoredValue[]

  constructor(model: ClassModel, indexFactory: IndexFactory | null) {
    this.model = model
    this.indexFactory = indexFactory
    // The index of keys uses the array also in a table that takes it over.
    const columns = model.storage.map(createColumn)
    this.columns = columns
    this.#nulls = model.storage.map(() => null)
    this.sized = model.storage
      .filter(({ type }) => SIZED_TYPES.has(type))
      .map(({ ordinal }) => ordinal)
    this.keys = new HashIndex((slot) => {
      // A column of texts holds their comparison keys.
      const column = columns[model.key.ordinal]
      return column.layout === 'text' ? column.keys[slot] : null
    })
    this.indexes = model.storage.map((attribute, ordinal) => {
      const needs = {
        ordered: attribute.indexed && indexFactory !== null,
        postings: attribute.relation !== null,
        unique: attribute.unique && !attribute.key,
      }
      const words = attribute.words && indexFactory ? indexFactory.wordsOf(columns[ordinal]) : null
      return needs.ordered || needs.postings || needs.unique || words !== null
        ? new AttributeIndex(columns[ordinal], needs, indexFactory, words)
        : null
    })
  }

  isLive(slot: number): boolean {
    return hasBit(this.live, slot)
  }

  /** The record that has a key (a stored value), or -1. */
  findKey(key: StoredValue): number {
    return key === null ? -1 : this.keys.find(hashKey(key as string | number))
  }

  // A table that holds only some records overrides the members from here to `recordNumber`, because
  // it does not know the other records.

  /** False where the table holds only some records of its dataclass. */
  get isWhole(): boolean {
    return true
  }
  /**
   * True where its records exist nowhere else, in a store that leaves out dataclasses of other
   * columns than it finds in a dump: these are converted or refused.
   */
  get isOnlyCopy(): boolean {
    return false
  }
  /** As `findKey`, for a check that may go on while the answer is unknown. */
  probeKey(key: StoredValue): number {
    return this.findKey(key)
  }
  /** Called before the holder of a unique value is looked up, as `probeKey`. */
  needHolder(_ordinal: number, _value: StoredValue): void {}
  /** Called before the records with a foreign key are looked up, as `probeKey`. */
  needReferrers(_ordinal: number, _key: string | number): void {}
  /** Called before the sequence is used. */
  needSequence(): void {}
  /** The first number that the sequence may give, from a position on. */
  numberFrom(position: number): number {
    return position
  }
  /** The position of the sequence behind a number that was given to an entity. */
  positionAfter(given: number, _position: number): number {
    return given + 1
  }
  /**
   * A birth is given to one record only, but a restore gives it back together with the stamps that
   * came after.
   */
  lifeOf(slot: number): string {
    return `${this.births[slot]}.${this.restores}`
  }
  /** The number of a record in messages. */
  recordNumber(slot: number): number {
    return slot
  }

  read(slot: number, ordinal: number): StoredValue {
    return this.columns[ordinal].read(slot)
  }

  /** All values of a record, by column. */
  readAll(slot: number): StoredValue[] {
    // A copy of an array: history keeps it, see change-list.ts.
    const values = this.#nulls.slice()
    for (let i = 0; i < values.length; i++) values[i] = this.columns[i].read(slot)
    return values
  }

  /** The lowest free record number. */
  get lowestFree(): number {
    if (this.liveCount === this.length) this.occupiedBelow = this.length
    else this.occupiedBelow = nextClearBit(this.live, this.occupiedBelow, this.length)
    return this.occupiedBelow
  }

  /** The lowest free record numbers, in the order in which insertions get them. */
  nextSlots(count: number): Int32Array {
    const slots = new Int32Array(count)
    let from = this.lowestFree
    for (let i = 0; i < count; i++) {
      const slot = from < this.length ? nextClearBit(this.live, from, this.length) : from
      slots[i] = slot
      from = slot + 1
    }
    return slots
  }

  /**
   * Makes room for slots below `length`. May run out of memory, without a visible change. When
   * little room is left, each call enlarges one vector, so that no insertion waits for all of them.
   * In a short table with many columns it is several short ones.
   */
  reserve(length: number): void {
    const { capacity } = this
    // The vectors are those of the columns and four more.
    const vectors = this.columns.length + 4
    const spareOf = (slots: number): number => Math.min(vectors, 64 + (slots >> 4))
    const spare = spareOf(capacity)
    if (length <= capacity - Math.max(capacity >> 7, spare)) return
    const quarter = capacity + (capacity >> 2)
    const isFull = length > capacity
    const larger = isFull
      ? Math.max(64, length + Math.max(length >> 6, spareOf(length)), quarter)
      : Math.max(capacity + 2 * spare, quarter)
    const most = isFull ? vectors : spare < vectors ? Math.ceil((2 * vectors) / spare) : 1
    if (this.#enlarge(larger, most)) this.capacity = larger
  }

  /** Enlarges at most so many vectors that have less room; true if none is left. */
  #enlarge(capacity: number, most: number): boolean {
    const words = wordsFor(capacity)
    let left = most
    if (this.live.length < words && left-- > 0) this.live = lengthened(this.live, words)
    if (this.stamps.length < capacity && left-- > 0) this.stamps = lengthened(this.stamps, capacity)
    if (this.timestamps.length < capacity && left-- > 0) {
      this.timestamps = lengthened(this.timestamps, capacity)
      this.timestampHalves = new Int32Array(this.timestamps.buffer)
    }
    if (this.births.length < capacity && left-- > 0) this.births = lengthened(this.births, capacity)
    for (const column of this.columns)
      if (column.room < capacity && left-- > 0) column.reserve(capacity)
    return left >= 0
  }

  /**
   * Prepares for one value of a column (dictionary code, wider vector, room in its index), so that
   * writing it cannot fail.
   */
  admit(ordinal: number, value: StoredValue): void {
    this.columns[ordinal].admit(value)
    this.indexes[ordinal]?.admit(value)
  }

  /** Puts a record into a free slot. `birth` is the allocation clock's value for it. */
  insertAt(
    slot: number,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
    birth: number,
  ): void {
    invariant(!hasBit(this.live, slot), 'a record is inserted into a free slot')
    this.version++
    this.rowCache?.forget(slot)
    setBit(this.live, slot)
    this.stamps[slot] = stamp
    this.timestamps[slot] = timestamp
    this.births[slot] = birth
    if (!this.occupancy.isEmpty) this.occupancy.noteBirth(slot, birth)
    if (slot >= this.length) this.length = slot + 1
    if (slot === this.occupiedBelow) this.occupiedBelow = slot + 1
    this.liveCount++
    this.keys.set(hashKey(values[this.model.key.ordinal] as string | number), slot)
    for (let ordinal = 0; ordinal < this.columns.length; ordinal++) {
      const column = this.columns[ordinal]
      const value = values[ordinal]
      column.write(slot, value)
      if (column.layout === 'word') column.dictionary.hold(column.codes[slot])
      const index = this.indexes[ordinal]
      if (index === null) continue
      index.add(slot, value)
      index.words?.replace(slot, null, value)
    }
  }

  /** Exchanges values of a living record: `values` holds the previous ones afterwards. */
  updateAt(
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    stamp: number,
    timestamp: number,
  ): void {
    this.version++
    this.rowCache?.forget(slot)
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]
      const column = this.columns[ordinal]
      const index = this.indexes[ordinal]
      const value = values[i]
      const before = column.read(slot)
      values[i] = before
      index?.remove(slot, before)
      if (column.layout === 'word') {
        column.dictionary.release(column.codes[slot])
        column.write(slot, value)
        column.dictionary.hold(column.codes[slot])
      } else column.write(slot, value)
      index?.add(slot, value)
      index?.words?.replace(slot, before, value)
    }
    this.stamps[slot] = stamp
    this.timestamps[slot] = timestamp
  }

  /** Removes a living record with the given values; its slot becomes free and reads as null. */
  removeAt(slot: number, values: readonly StoredValue[]): void {
    const wasFull = this.liveCount === this.length
    this.version++
    this.removals++
    this.rowCache?.forget(slot)
    this.keys.delete(hashKey(values[this.model.key.ordinal] as string | number))
    for (let ordinal = 0; ordinal < this.columns.length; ordinal++) {
      const column = this.columns[ordinal]
      const index = this.indexes[ordinal]
      index?.remove(slot, values[ordinal])
      index?.words?.replace(slot, values[ordinal], null)
      if (column.layout === 'word') column.dictionary.release(column.codes[slot])
      column.write(slot, null)
    }
    clearBit(this.live, slot)
    this.stamps[slot] = 0
    this.liveCount--
    if (wasFull || slot < this.occupiedBelow) this.occupiedBelow = slot
    // A free tail is cut, so that a rollback restores the record numbers.
    while (this.length > 0 && !hasBit(this.live, this.length - 1)) this.length--
    if (this.occupiedBelow > this.length) this.occupiedBelow = this.length
  }

  /** True when the living record of a slot was there at a value of the allocation clock. */
  isSameSince(slot: number, clock: number): boolean {
    return hasBit(this.live, slot) && this.occupancy.wasThere(slot, this.births[slot], clock)
  }

  /** Living record numbers, ascending. Cost O(records). */
  liveSlots(): Int32Array {
    const slots = new Int32Array(this.liveCount)
    let at = 0
    for (let slot = 0; slot < this.length; slot++) if (hasBit(this.live, slot)) slots[at++] = slot
    return slots
  }
}

/**
 * Keys are hashed by their comparison key, so that filters and keys in addresses find the same
 * entity.
 */
export const hashKey = (key: string | number): string | number =>
  typeof key === 'string' ? textKey(key, 'exact') : key

/**
 * Changes when a column is replaced or a code gets a new meaning: what was compiled for the old one
 * is compiled again. Cost O(tables).
 */
export function layoutsOf(tables: readonly Table[]): number {
  let layouts = 0
  for (let i = 0; i < tables.length; i++) layouts += tables[i].layout
  return layouts
}
