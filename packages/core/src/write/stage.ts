import type { AttributeIndex } from '../storage/attribute-index.ts'
import { nextClearBit } from '../storage/bitset.ts'
import { type Key, nextStamp, storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { SlotHeap, SlotMap, type StagedRecord, StagedValues } from './staged-values.ts'
import { IS_REFERENCE, IS_UNIQUE, sharedColumns, type WritePlan } from './write-plan.ts'

/**
 * The staged writes to one table, and the staged view: the table as these writes will leave it. A
 * table keeps one stage, which each transaction opens and closes. A closed stage reads the table.
 */
export class TableStage {
  readonly table: Table
  readonly plan: WritePlan
  /** True from the transaction's first write to the table, or move of its sequence, to its end. */
  isOpen = false
  /** Next value of the automatic sequence, while open. */
  sequence = 1
  /** Number of insertions, and the highest slot of one plus 1. */
  insertions = 0
  slotLimit = 0
  /** The staged records of all tables. */
  readonly #records: StagedRecord[]
  /** Record number -> place in `#records`. */
  readonly #places = new SlotMap()
  readonly #insertedByKey = new Map<Key, StagedRecord>()
  /** The staged unique values and foreign keys. */
  readonly #values: StagedValues
  /** No slot below is free, except those in `#freed`. */
  #cursor = 0
  /** Slots of staged removals, and of insertions that were removed again. */
  #freed: SlotHeap | null = null

  /** `records`: the list of staged records, to which it adds. */
  constructor(table: Table, records: StagedRecord[], plan: WritePlan) {
    this.table = table
    this.plan = plan
    this.#records = records
    this.#values = new StagedValues(table, records)
  }

  open(): void {
    this.isOpen = true
    this.sequence = this.table.sequence
  }

  /** Drops all staged writes. */
  close(): void {
    this.isOpen = false
    this.insertions = 0
    this.slotLimit = 0
    this.#places.clear()
    if (this.#insertedByKey.size > 0) this.#insertedByKey.clear()
    this.#values.clear()
    this.#cursor = 0
    this.#freed = null
  }

  /** The staged record of a slot, or undefined. */
  at(slot: number): StagedRecord | undefined {
    if (!this.isOpen) return undefined
    const place = this.#places.find(slot)
    return place < 0 ? undefined : this.#records[place]
  }

  /** The record with a key as callers give it, or -1. Finds none for a key of another type. */
  locate(key: unknown): number {
    const stored = storedKey(this.table.model, key)
    const slot = this.table.findKey(stored)
    return this.isOpen ? this.#stagedSlot(stored, slot) : slot
  }

  /** The record with a stored key in the staged view, or -1; for checks, see `Table.probeKey`. */
  find(key: StoredValue): number {
    const slot = this.table.probeKey(key)
    return this.isOpen ? this.#stagedSlot(key, slot) : slot
  }

  /** The record with a key in the staged view; `slot` is the one in the table. */
  #stagedSlot(key: StoredValue, slot: number): number {
    if (key === null) return slot
    const inserted = this.#insertedByKey.get(key as Key)
    if (inserted !== undefined) return inserted.slot
    const staged = this.at(slot)
    return staged === undefined || staged.kind === 'update' ? slot : -1
  }

  /** True while the record with that birth lives. */
  isLive(slot: number, birth: number): boolean {
    const staged = this.at(slot)
    const isThere = staged === undefined ? this.table.isLive(slot) : staged.kind !== 'remove'
    return isThere && this.birthOf(slot) === birth
  }

  /** One value of a living record of the staged view. */
  read(slot: number, ordinal: number): StoredValue {
    const staged = this.at(slot)
    if (staged === undefined) return this.table.read(slot, ordinal)
    if (staged.kind === 'insert') return staged.values[ordinal]
    const place = staged.ordinals.indexOf(ordinal)
    return place < 0 ? this.table.read(slot, ordinal) : staged.values[place]
  }

  keyOf(slot: number): Key {
    return this.read(slot, this.table.model.key.ordinal) as Key
  }

  /** A new array of all values of a living record of the staged view, by column. */
  readAll(slot: number): StoredValue[] {
    const staged = this.at(slot)
    if (staged?.kind === 'insert') return staged.values.slice()
    const values = this.table.readAll(slot)
    if (staged !== undefined)
      for (let i = 0; i < staged.ordinals.length; i++) values[staged.ordinals[i]] = staged.values[i]
    return values
  }

  stampOf(slot: number): number {
    return this.at(slot)?.stamp ?? this.table.stamps[slot]
  }

  birthOf(slot: number): number {
    const staged = this.at(slot)
    return staged?.kind === 'insert' ? staged.birth : this.table.births[slot]
  }

  /** The slot of the next insertion: the lowest free one of the staged view. */
  nextSlot(): number {
    const { table } = this
    const from = this.#cursor
    const slot =
      from === 0
        ? table.lowestFree
        : from < table.length
          ? nextClearBit(table.live, from, table.length)
          : from
    this.#cursor = slot
    return this.#freed === null ? slot : Math.min(this.#freed.lowest, slot)
  }

  /** Takes over the values, which are by column. */
  insert(slot: number, key: Key, values: StoredValue[], birth: number): void {
    if (this.#freed !== null && this.#freed.lowest === slot) this.#freed.removeLowest()
    else this.#cursor = slot + 1
    const under = this.at(slot) ?? null
    this.insertions++
    this.slotLimit = Math.max(this.slotLimit, slot + 1)
    const record = this.#add('insert', slot, key, NO_COLUMNS, values, 1, birth, under)
    this.#insertedByKey.set(key, record)
    const { unique, references } = this.plan
    for (const { ordinal } of unique) this.#values.enter(slot, ordinal, values[ordinal])
    if (this.#values.hasReferrers)
      for (const { ordinal } of references) this.#values.enter(slot, ordinal, values[ordinal])
  }

  /**
   * Takes columns whose values differ from the staged view, and the new values. It takes over the
   * values; the columns must not change afterwards.
   */
  update(slot: number, ordinals: readonly number[], values: StoredValue[]): void {
    const { checks } = this.plan
    const staged = this.at(slot)
    for (let i = 0; i < ordinals.length; i++) {
      if ((checks[ordinals[i]] & (IS_UNIQUE | IS_REFERENCE)) === 0) continue
      if (staged !== undefined) this.#values.leave(slot, ordinals[i], this.read(slot, ordinals[i]))
      this.#values.enter(slot, ordinals[i], values[i])
    }
    if (staged === undefined) {
      const columns = sharedColumns(this.plan, ordinals)
      const stamp = nextStamp(this.table.stamps[slot])
      this.#add('update', slot, null, columns, values, stamp, 0, null)
      return
    }
    for (let i = 0; i < ordinals.length; i++) {
      const place = staged.kind === 'insert' ? ordinals[i] : staged.ordinals.indexOf(ordinals[i])
      if (place >= 0) staged.values[place] = values[i]
      else {
        staged.ordinals = [...staged.ordinals, ordinals[i]]
        staged.values.push(values[i])
      }
    }
    staged.stamp = nextStamp(staged.stamp)
  }

  remove(slot: number): void {
    const staged = this.at(slot)
    if (staged !== undefined) this.#values.leaveAll(staged)
    if (this.table.isWhole) {
      this.#freed ??= new SlotHeap()
      this.#freed.add(slot)
    }
    if (staged === undefined) {
      this.#add('remove', slot, null, NO_COLUMNS, [], 0, 0, null)
      return
    }
    staged.values = []
    staged.ordinals = NO_COLUMNS
    if (staged.kind === 'update') {
      staged.kind = 'remove'
      return
    }
    staged.kind = 'void'
    this.#insertedByKey.delete(staged.key as Key)
    this.#places.set(slot, staged.under === null ? -1 : staged.under.place)
  }

  /**
   * The record of the staged view, other than `slot`, that holds a value of a unique attribute; -1
   * when none does.
   */
  holderOf(ordinal: number, value: StoredValue, slot: number): number {
    const index = this.table.indexes[ordinal] as AttributeIndex
    this.table.needHolder(ordinal, value)
    const staged = this.isOpen ? this.#values.holderOf(ordinal, index.uniqueKey(value)) : undefined
    const stored = staged ?? index.holderOf(value)
    if (stored === slot) return -1
    if (staged !== undefined || stored < 0) return stored
    const holder = this.at(stored)
    if (holder === undefined) return stored
    // A staged value of the holder would have been found above: the holder has another value, or is
    // removed.
    return holder.kind === 'update' && !holder.ordinals.includes(ordinal) ? stored : -1
  }

  /**
   * Records of the staged view whose foreign key has a value, ascending. Cost O(answer), the first
   * time O(stage).
   */
  referrersOf(ordinal: number, key: Key): number[] {
    const index = this.table.indexes[ordinal] as AttributeIndex
    this.table.needReferrers(ordinal, key)
    if (!this.isOpen) return index.recordsOf(key)
    const slots = index.recordsOf(key).filter((slot) => {
      const staged = this.at(slot)
      return (
        staged === undefined || (staged.kind === 'update' && !staged.ordinals.includes(ordinal))
      )
    })
    const staged = this.#values.referrersOf(ordinal, key)
    if (staged !== undefined) for (const slot of staged) slots.push(slot)
    return slots.sort((a, b) => a - b)
  }

  #add(
    kind: StagedRecord['kind'],
    slot: number,
    key: Key | null,
    ordinals: readonly number[],
    values: StoredValue[],
    stamp: number,
    birth: number,
    under: StagedRecord | null,
  ): StagedRecord {
    const place = this.#records.length
    const record: StagedRecord = {
      kind,
      table: this.table,
      slot,
      place,
      key,
      ordinals,
      values,
      stamp,
      birth,
      under,
    }
    this.#records.push(record)
    this.#places.set(slot, place)
    return record
  }
}

const NO_COLUMNS: readonly number[] = []
