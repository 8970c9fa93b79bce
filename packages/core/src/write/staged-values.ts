import type { AttributeIndex } from '../storage/attribute-index.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import type { StoredValue } from '../value/types.ts'

/**
 * The sum of a transaction's writes to one record.
 *
 *     before \ write   insert     update            remove
 *     (nothing)        insert     update            remove
 *     insert           -          insert, merged    void (no effect)
 *     update           -          update, merged    remove
 *     remove           insert, as a new record  -
 */
export interface StagedRecord {
  kind: 'insert' | 'update' | 'remove' | 'void'
  readonly table: Table
  readonly slot: number
  /** Place in the list of staged records. */
  readonly place: number
  /** Only of an insertion. */
  readonly key: Key | null
  /** Of an update: the columns it writes. */
  ordinals: readonly number[]
  /** Of an update: by place in `ordinals`; of an insertion: by column. */
  values: StoredValue[]
  /** After the write. */
  stamp: number
  /** Only of an insertion. The table has the births of other records. */
  readonly birth: number
  /** The staged removal whose slot an insertion uses. */
  readonly under: StagedRecord | null
}

/**
 * The unique values and the foreign keys that are staged for one table, by value. Its maps are
 * created when first needed: most transactions write one record.
 */
export class StagedValues {
  readonly #table: Table
  /** The staged records of all tables. */
  readonly #records: readonly StagedRecord[]
  /** By column: hash of a staged unique value -> record number. */
  #unique: (Map<string | number | boolean, number> | undefined)[] | null = null
  /**
   * By column of a foreign key: staged value -> record numbers. Created by the first removal that
   * needs it.
   */
  #referrers: (Map<Key, Set<number>> | undefined)[] | null = null

  constructor(table: Table, records: readonly StagedRecord[]) {
    this.#table = table
    this.#records = records
  }

  clear(): void {
    this.#unique = null
    this.#referrers = null
  }

  /** True while staged foreign keys are tracked. */
  get hasReferrers(): boolean {
    return this.#referrers !== null
  }

  /** Adds a staged value. */
  enter(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const index = this.#table.indexes[ordinal] as AttributeIndex
    if (index.unique !== null) {
      this.#unique ??= []
      const unique = (this.#unique[ordinal] ??= new Map())
      unique.set(index.uniqueKey(value), slot)
    }
    const referrers = this.#referrers?.[ordinal]
    if (referrers !== undefined) entryOf(referrers, value as Key, newSlots).add(slot)
  }

  /** Drops a staged value. Has no effect on a value that is only in the table. */
  leave(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const unique = this.#unique?.[ordinal]
    if (unique !== undefined) {
      const hash = (this.#table.indexes[ordinal] as AttributeIndex).uniqueKey(value)
      if (unique.get(hash) === slot) unique.delete(hash)
    }
    this.#referrers?.[ordinal]?.get(value as Key)?.delete(slot)
  }

  /** Drops all staged values of a record. */
  leaveAll(staged: StagedRecord): void {
    if (staged.kind === 'insert') {
      for (let ordinal = 0; ordinal < staged.values.length; ordinal++)
        this.leave(staged.slot, ordinal, staged.values[ordinal])
    } else {
      for (let i = 0; i < staged.ordinals.length; i++)
        this.leave(staged.slot, staged.ordinals[i], staged.values[i])
    }
  }

  /** The record that holds a staged unique value, by its hash. */
  holderOf(ordinal: number, hash: string | number | boolean): number | undefined {
    return this.#unique?.[ordinal]?.get(hash)
  }

  /** The records that hold a staged foreign key. Cost: O(stage) the first time. */
  referrersOf(ordinal: number, key: Key): ReadonlySet<number> | undefined {
    return this.#referrersIn(ordinal).get(key)
  }

  #referrersIn(ordinal: number): Map<Key, Set<number>> {
    this.#referrers ??= []
    const known = this.#referrers[ordinal]
    if (known !== undefined) return known
    const made = (this.#referrers[ordinal] = new Map<Key, Set<number>>())
    for (const record of this.#records) {
      if (record.table !== this.#table) continue
      const place = record.kind === 'insert' ? ordinal : record.ordinals.indexOf(ordinal)
      const value = place < 0 ? null : record.values[place]
      if (value !== null) entryOf(made, value as Key, newSlots).add(record.slot)
    }
    return made
  }
}

const newSlots = (): Set<number> => new Set()

/** A binary heap of record numbers with the lowest on top. O(log n) per change. */
export class SlotHeap {
  readonly #slots: number[] = []

  /** The lowest, or `Infinity` when empty. */
  get lowest(): number {
    return this.#slots.length === 0 ? Number.POSITIVE_INFINITY : this.#slots[0]
  }

  add(slot: number): void {
    const slots = this.#slots
    let at = slots.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (slots[parent] <= slot) break
      slots[at] = slots[parent]
      at = parent
    }
    slots[at] = slot
  }

  removeLowest(): void {
    const slots = this.#slots
    const last = slots.pop()
    if (last === undefined || slots.length === 0) return
    let at = 0
    for (let child = 1; child < slots.length; child = at * 2 + 1) {
      if (child + 1 < slots.length && slots[child + 1] < slots[child]) child++
      if (slots[child] >= last) break
      slots[at] = slots[child]
      at = child
    }
    slots[at] = last
  }
}

/** Buckets of a new map; a power of two. */
const MIN_BUCKETS = 64
/** A map with as many buckets is replaced instead of reused. */
const MAX_REUSED_BUCKETS = 65_536

/**
 * Record number -> place in a list, for the staged records of a transaction: open addressing in one
 * vector, which transactions use one after the other. With a `Map`, a batch of updates takes a
 * tenth longer. All is O(1); `clear` is O(entries).
 */
export class SlotMap {
  /** Two numbers per bucket: record number + 1 (0: free), and the place. */
  #pairs = new Int32Array(MIN_BUCKETS * 2)
  #mask = MIN_BUCKETS - 1
  /** Where in `#pairs` the buckets in use begin, in the order of entry. */
  readonly #used: number[] = []

  /** The place entered for a record number, or -1. */
  find(slot: number): number {
    const pairs = this.#pairs
    const mask = this.#mask
    const sought = slot + 1
    for (let bucket = bucketOf(slot, mask); ; bucket = (bucket + 1) & mask) {
      const held = pairs[bucket * 2]
      if (held === sought) return pairs[bucket * 2 + 1]
      if (held === 0) return -1
    }
  }

  /** Enters or replaces a place; -1 means none. */
  set(slot: number, place: number): void {
    // Half of the buckets stay free, so that searches are short and end.
    if (this.#used.length * 2 > this.#mask) this.#grow()
    const pairs = this.#pairs
    const mask = this.#mask
    let bucket = bucketOf(slot, mask)
    while (pairs[bucket * 2] !== 0 && pairs[bucket * 2] !== slot + 1) bucket = (bucket + 1) & mask
    if (pairs[bucket * 2] === 0) this.#used.push(bucket * 2)
    pairs[bucket * 2] = slot + 1
    pairs[bucket * 2 + 1] = place
  }

  clear(): void {
    const used = this.#used
    if (this.#mask >= MAX_REUSED_BUCKETS) {
      this.#pairs = new Int32Array(MIN_BUCKETS * 2)
      this.#mask = MIN_BUCKETS - 1
    } else for (let i = 0; i < used.length; i++) this.#pairs[used[i]] = 0
    used.length = 0
  }

  #grow(): void {
    const old = this.#pairs
    const used = this.#used.slice()
    this.#pairs = new Int32Array(old.length * 2)
    this.#mask = old.length - 1
    this.#used.length = 0
    for (const at of used) this.set(old[at] - 1, old[at + 1])
  }
}

/** Multiplication spreads record numbers that lie side by side, or a power of two apart. */
const bucketOf = (slot: number, mask: number): number => {
  const mixed = Math.imul(slot, 0x9e3779b1)
  return (mixed ^ (mixed >>> 16)) & mask
}
