import type { AttributeIndex } from '../storage/attribute-index.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Sequence } from './new-values.ts'
import type { ValueSource } from './patch.ts'
import { type Key, type StagedRecord, TableStage } from './stage.ts'
import type { WritePlan } from './write-plan.ts'
import type { WriteTarget } from './write-target.ts'

/** One record as a transaction sees it. */
export interface RecordView {
  readonly slot: number
  readonly birth: number
  /** By column; fresh. */
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
}

/** What is staged of one record: of a new one all values, else the columns named. The arrays are the stage's own. */
export interface StagedView {
  readonly slot: number
  /** Null for a new record: `values` are by column then. */
  readonly ordinals: readonly number[] | null
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
}

/**
 * What a transaction means to do: a stage per table it writes to, and the staged records in order. What it reads is the tables as the
 * stages would leave them; an empty set reads the tables.
 */
export class StageSet implements WriteTarget {
  /** By `ClassModel.ordinal`. */
  readonly tables: readonly Table[]
  readonly records: StagedRecord[] = []
  /** Grows with every staged write: equal before and after means that nothing was staged. */
  version = 0
  /** Stages with writes or moved sequences. */
  readonly all: TableStage[] = []
  readonly #stages: (TableStage | undefined)[] = []
  /** By `ClassModel.ordinal`. */
  readonly #plans: readonly WritePlan[]
  readonly #clock: { now(): number }
  #timestamp: number | null = null

  constructor(tables: readonly Table[], plans: readonly WritePlan[], clock: { now(): number }) {
    this.tables = tables
    this.#plans = plans
    this.#clock = clock
  }

  /** Ask before anything else is read: the clock is code of the host, which may write. */
  askTime(): number {
    this.#timestamp ??= this.#clock.now()
    return this.#timestamp
  }

  planOf(table: Table): WritePlan {
    return this.#plans[table.model.ordinal]
  }

  of(table: Table): TableStage {
    const { ordinal } = table.model
    const known = this.#stages[ordinal]
    if (known !== undefined) return known
    const stage = new TableStage(table, this.records, this.#plans[ordinal])
    this.#stages[ordinal] = stage
    this.all.push(stage)
    return stage
  }

  /** Only what was written to: reading must not make stages. */
  existing(table: Table): TableStage | undefined {
    return this.#stages[table.model.ordinal]
  }

  /** The next number that an insertion gets. */
  sequenceOf(table: Table): number {
    return this.existing(table)?.sequence ?? table.sequence
  }

  sequenceFor(table: Table): Sequence {
    return this.of(table)
  }

  get isEmpty(): boolean {
    for (const record of this.records) if (record.kind !== 'void') return false
    return true
  }

  /** The record that has a key in the staged view, or -1. */
  find(table: Table, key: StoredValue): number {
    if (key === null) return -1
    const stage = this.existing(table)
    return stage === undefined ? table.findKey(key) : stage.find(key as Key)
  }

  /** The same for a key as a caller gives it; one of the wrong type finds nothing. */
  locate(table: Table, key: unknown): number {
    const stored = storedKey(table.model, key)
    const stage = this.existing(table)
    if (stage === undefined) return table.findKey(stored)
    return stored === null ? -1 : stage.find(stored)
  }

  keyOf(table: Table, slot: number): Key {
    return this.read(table, slot, table.model.key.ordinal) as Key
  }

  read(table: Table, slot: number, ordinal: number): StoredValue {
    const stage = this.existing(table)
    return stage === undefined ? table.read(slot, ordinal) : stage.read(slot, ordinal)
  }

  /** What holds the values of a record: its table where nothing of it is staged. */
  sourceOf(table: Table, slot: number): ValueSource {
    const stage = this.existing(table)
    return stage === undefined || stage.at(slot) === undefined ? table : stage
  }

  readAll(table: Table, slot: number): StoredValue[] {
    return this.existing(table)?.readAll(slot) ?? table.readAll(slot)
  }

  stampOf(table: Table, slot: number): number {
    return this.existing(table)?.stampOf(slot) ?? table.stamps[slot]
  }

  birthOf(table: Table, slot: number): number {
    return this.existing(table)?.birthOf(slot) ?? table.births[slot]
  }

  /** True while the record of that birth lives. */
  isLive(table: Table, slot: number, birth: number): boolean {
    const stage = this.existing(table)
    if (stage === undefined) return table.isLive(slot) && table.births[slot] === birth
    return stage.isLive(slot) && stage.birthOf(slot) === birth
  }

  /** Records whose foreign key column has a value, ascending. */
  referrersOf(table: Table, ordinal: number, key: Key): number[] {
    return this.existing(table)?.referrersOf(ordinal, key) ?? indexOf(table, ordinal).recordsOf(key)
  }

  /** True when a foreign key leads to the record. */
  isReferred(table: Table, slot: number): boolean {
    const { incoming } = table.model
    if (incoming.length === 0) return false
    const key = this.keyOf(table, slot)
    for (const { owner, foreignKey } of incoming) {
      const referring = this.tables[owner.ordinal]
      const staged = this.existing(referring)?.referrersOf(foreignKey.ordinal, key).length
      if ((staged ?? indexOf(referring, foreignKey.ordinal).countOf(key)) > 0) return true
    }
    return false
  }

  /** The record, other than `slot`, that holds a value of a unique attribute, or -1. */
  holderOf(table: Table, ordinal: number, value: StoredValue, slot: number): number {
    const stage = this.existing(table)
    if (stage !== undefined) return stage.holderOf(ordinal, value, slot)
    const holder = indexOf(table, ordinal).holderOf(value)
    return holder === slot ? -1 : holder
  }

  /** A living record of the staged view. */
  view(table: Table, slot: number): RecordView {
    const staged = this.existing(table)?.at(slot)
    const stored = staged?.kind === 'insert' ? 0 : table.timestamps[slot]
    return {
      slot,
      birth: this.birthOf(table, slot),
      values: this.readAll(table, slot),
      stamp: this.stampOf(table, slot),
      timestamp: staged === undefined ? stored : Math.max(this.askTime(), stored),
    }
  }

  nextSlot(table: Table): number {
    return this.of(table).nextSlot()
  }

  insert(table: Table, slot: number, key: Key, values: StoredValue[], birth: number): void {
    this.of(table).insert(slot, key, values, birth)
    this.version++
  }

  update(table: Table, slot: number, ordinals: readonly number[], values: StoredValue[]): void {
    const stage = this.of(table)
    stage.update(slot, stage.at(slot), ordinals, values)
    this.version++
  }

  /** Changes a value of an insertion without counting it as a change; of one that was applied already, as an update. */
  amend(table: Table, slot: number, ordinal: number, value: StoredValue): void {
    const record = this.existing(table)?.at(slot)
    this.update(table, slot, [ordinal], [value])
    if (record?.kind === 'insert') record.stamp--
  }

  remove(table: Table, slot: number): void {
    this.of(table).remove(slot)
    this.version++
  }

  /** Forgets everything: it was written, or is given up. */
  clear(): void {
    for (let i = 0; i < this.all.length; i++) this.all[i].end()
    this.records.length = 0
    this.#stages.length = 0
    this.all.length = 0
  }
}

/** Unique attributes and foreign keys always have an index. */
const indexOf = (table: Table, ordinal: number): AttributeIndex => table.indexes[ordinal] as AttributeIndex
