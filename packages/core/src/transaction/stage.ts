import { nextClearBit } from '../storage/bitset.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { FewMap } from './few-map.ts'
import { SlotHeap } from './slot-heap.ts'

/** A key as columns keep it. */
export type Key = string | number

/**
 * What a transaction means to do with one record: the sum of its writes to it.
 *
 *     before \ write   insert     update            remove
 *     (nothing)        insert     update            remove
 *     insert           -          insert, merged    void (it never was)
 *     update           -          update, merged    remove
 *     remove           insert, a record of its own  -
 */
export interface StagedRecord {
  kind: 'insert' | 'update' | 'remove' | 'void'
  readonly stage: TableStage
  readonly slot: number
  /** Of an insertion. */
  readonly key: Key | null
  /** Of an update: the columns it writes. */
  ordinals: number[]
  /** Of an update: by place in `ordinals`; of an insertion: by column. */
  values: StoredValue[]
  /** After the write. */
  stamp: number
  readonly birth: number
  /** The staged removal whose slot an insertion got. */
  readonly under: StagedRecord | null
}

/** The staged writes to one table, and that table as they would leave it. */
export class TableStage {
  readonly table: Table
  /** Next value of the automatic sequence. */
  sequence: number
  /** Insertions, and one more than the highest slot they got. */
  insertions = 0
  slotLimit = 0
  readonly #bySlot = new FewMap<number, StagedRecord>()
  // What follows is made when first needed: most transactions write one record.
  #insertedByKey: FewMap<Key, StagedRecord> | null = null
  /** By column: hash of a staged unique value -> record number. */
  #unique: (Map<string | number | boolean, number> | undefined)[] | null = null
  /** By column of a foreign key: staged value -> record numbers. Made when a removal first asks. */
  #referrers: (Map<Key, Set<number>> | undefined)[] | null = null
  /** Slots below were free in the table and are given out, or were taken. */
  #cursor = 0
  /** Slots of staged removals, and of insertions taken back. */
  #freed: SlotHeap | null = null

  constructor(table: Table) {
    this.table = table
    this.sequence = table.sequence
  }

  /** What is staged for a slot; undefined when nothing is. */
  at(slot: number): StagedRecord | undefined {
    return this.#bySlot.get(slot)
  }

  /** The record that has a key in the staged view, or -1. */
  find(key: Key): number {
    const inserted = this.#insertedByKey?.get(key)
    if (inserted !== undefined) return inserted.slot
    const slot = this.table.findKey(key)
    if (slot < 0) return -1
    const staged = this.#bySlot.get(slot)
    return staged === undefined || staged.kind === 'update' ? slot : -1
  }

  isLive(slot: number): boolean {
    const staged = this.#bySlot.get(slot)
    return staged === undefined ? this.table.isLive(slot) : staged.kind !== 'remove'
  }

  /** One value of a living record of the staged view. */
  read(slot: number, ordinal: number): StoredValue {
    const staged = this.#bySlot.get(slot)
    if (staged === undefined) return this.table.read(slot, ordinal)
    if (staged.kind === 'insert') return staged.values[ordinal]
    const place = staged.ordinals.indexOf(ordinal)
    return place < 0 ? this.table.read(slot, ordinal) : staged.values[place]
  }

  /** A fresh array of all values of a living record of the staged view, by column. */
  readAll(slot: number): StoredValue[] {
    const staged = this.#bySlot.get(slot)
    if (staged?.kind === 'insert') return staged.values.slice()
    const values = this.table.readAll(slot)
    if (staged !== undefined)
      for (let i = 0; i < staged.ordinals.length; i++) values[staged.ordinals[i]] = staged.values[i]
    return values
  }

  stampOf(slot: number): number {
    return this.#bySlot.get(slot)?.stamp ?? this.table.stamps[slot]
  }

  birthOf(slot: number): number {
    return this.#bySlot.get(slot)?.birth ?? this.table.births[slot]
  }

  /** The slot the next insertion gets: the lowest that is free in the staged view. */
  nextSlot(): number {
    const { table } = this
    const from = this.#cursor
    const slot =
      from === 0 ? table.lowestFree : from < table.length ? nextClearBit(table.live, from, table.length) : from
    this.#cursor = slot
    return this.#freed === null ? slot : Math.min(this.#freed.lowest, slot)
  }

  /** Takes values by column, which become the stage's own. */
  insert(slot: number, key: Key, values: StoredValue[], birth: number): StagedRecord {
    if (this.#freed !== null && this.#freed.lowest === slot) this.#freed.removeLowest()
    else this.#cursor = slot + 1
    const under = this.#bySlot.get(slot) ?? null
    const record: StagedRecord = {
      kind: 'insert',
      stage: this,
      slot,
      key,
      ordinals: [],
      values,
      stamp: 1,
      birth,
      under,
    }
    this.insertions++
    this.slotLimit = Math.max(this.slotLimit, slot + 1)
    this.#bySlot.set(slot, record)
    this.#insertedByKey ??= new FewMap()
    this.#insertedByKey.set(key, record)
    for (let ordinal = 0; ordinal < values.length; ordinal++) this.#enter(slot, ordinal, values[ordinal])
    return record
  }

  /**
   * Takes columns and values that differ from what the staged view holds; the arrays become the stage's own.
   * Returns the record when it is newly staged, undefined when the write was merged into one.
   */
  update(slot: number, ordinals: number[], values: StoredValue[]): StagedRecord | undefined {
    const staged = this.#bySlot.get(slot)
    for (let i = 0; i < ordinals.length; i++) {
      if (staged !== undefined) this.#leave(slot, ordinals[i], this.read(slot, ordinals[i]))
      this.#enter(slot, ordinals[i], values[i])
    }
    if (staged === undefined) {
      const stamp = this.table.stamps[slot] + 1
      const birth = this.table.births[slot]
      const record: StagedRecord = {
        kind: 'update',
        stage: this,
        slot,
        key: null,
        ordinals,
        values,
        stamp,
        birth,
        under: null,
      }
      this.#bySlot.set(slot, record)
      return record
    }
    for (let i = 0; i < ordinals.length; i++) {
      const place = staged.kind === 'insert' ? ordinals[i] : staged.ordinals.indexOf(ordinals[i])
      if (place >= 0) staged.values[place] = values[i]
      else {
        staged.ordinals.push(ordinals[i])
        staged.values.push(values[i])
      }
    }
    staged.stamp++
    return undefined
  }

  /** Returns the record when it is newly staged, undefined when the write was merged into one. */
  remove(slot: number): StagedRecord | undefined {
    const staged = this.#bySlot.get(slot)
    if (staged !== undefined) this.#leaveAll(staged)
    this.#freed ??= new SlotHeap()
    this.#freed.add(slot)
    if (staged === undefined) {
      const birth = this.table.births[slot]
      const record: StagedRecord = {
        kind: 'remove',
        stage: this,
        slot,
        key: null,
        ordinals: [],
        values: [],
        stamp: 0,
        birth,
        under: null,
      }
      this.#bySlot.set(slot, record)
      return record
    }
    staged.values = []
    staged.ordinals = []
    if (staged.kind === 'update') {
      staged.kind = 'remove'
      return undefined
    }
    staged.kind = 'void'
    this.#insertedByKey?.delete(staged.key as Key)
    if (staged.under === null) this.#bySlot.delete(slot)
    else this.#bySlot.set(slot, staged.under)
    return undefined
  }

  /** The record of the staged view, other than `slot`, that holds a unique value; -1 when none does. */
  holderOf(ordinal: number, value: StoredValue, slot: number): number {
    const index = this.table.indexes[ordinal]
    if (index?.unique == null) return -1
    const hash = index.uniqueKey(value)
    const staged = this.#unique?.[ordinal]?.get(hash)
    if (staged !== undefined) return staged === slot ? -1 : staged
    const stored = index.unique.find(hash)
    if (stored < 0 || stored === slot) return -1
    const holder = this.#bySlot.get(stored)
    if (holder === undefined) return stored
    // A staged value of the holder would have been found above, so it has another one or is gone.
    return holder.kind === 'update' && !holder.ordinals.includes(ordinal) ? stored : -1
  }

  /** Records of the staged view whose foreign key has a value, ascending. Cost O(answer), the first time O(stage). */
  referrersOf(ordinal: number, key: Key): number[] {
    const slots = storedReferrers(this.table, ordinal, key).filter((slot) => {
      const staged = this.#bySlot.get(slot)
      return staged === undefined || (staged.kind === 'update' && !staged.ordinals.includes(ordinal))
    })
    const staged = this.#referrersIn(ordinal).get(key)
    if (staged !== undefined) for (const slot of staged) slots.push(slot)
    return slots.sort((a, b) => a - b)
  }

  #enter(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const index = this.table.indexes[ordinal]
    if (index == null) return
    if (index.unique !== null) {
      this.#unique ??= []
      const unique = (this.#unique[ordinal] ??= new Map())
      unique.set(index.uniqueKey(value), slot)
    }
    if (this.#referrers !== null) enterSet(this.#referrers[ordinal], value as Key, slot)
  }

  /** Forgets a staged value; one that only the table holds is not there to forget. */
  #leave(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const unique = this.#unique?.[ordinal]
    if (unique !== undefined) {
      const hash = this.table.indexes[ordinal]?.uniqueKey(value)
      if (hash !== undefined && unique.get(hash) === slot) unique.delete(hash)
    }
    this.#referrers?.[ordinal]?.get(value as Key)?.delete(slot)
  }

  #leaveAll(staged: StagedRecord): void {
    if (staged.kind === 'insert') {
      for (let ordinal = 0; ordinal < staged.values.length; ordinal++)
        this.#leave(staged.slot, ordinal, staged.values[ordinal])
    } else {
      for (let i = 0; i < staged.ordinals.length; i++) this.#leave(staged.slot, staged.ordinals[i], staged.values[i])
    }
  }

  #referrersIn(ordinal: number): Map<Key, Set<number>> {
    this.#referrers ??= []
    const known = this.#referrers[ordinal]
    if (known !== undefined) return known
    const made = new Map<Key, Set<number>>()
    this.#referrers[ordinal] = made
    for (const record of this.#bySlot.values()) {
      if (record.kind !== 'insert' && record.kind !== 'update') continue
      const place = record.kind === 'insert' ? ordinal : record.ordinals.indexOf(ordinal)
      const value = place < 0 ? null : record.values[place]
      if (value !== null) enterSet(made, value as Key, record.slot)
    }
    return made
  }
}

/** Records of the columns whose foreign key has a value, ascending. */
export function storedReferrers(table: Table, ordinal: number, key: Key): number[] {
  const index = table.indexes[ordinal]
  const list = index?.listOfValue(key) ?? 0
  if (index?.postings == null || list <= 0) return []
  const start = index.postings.start(list)
  return Array.from(index.postings.data.subarray(start, start + index.postings.length(list)))
}

function enterSet(sets: Map<Key, Set<number>> | undefined, value: Key, slot: number): void {
  if (sets === undefined) return
  const set = sets.get(value)
  if (set === undefined) sets.set(value, new Set([slot]))
  else set.add(slot)
}
