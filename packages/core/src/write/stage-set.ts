import { overBudget } from '../errors.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import type { ChangeRecorder } from '../storage/change-list.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Sequence, WriteTarget } from './port.ts'
import { TableStage } from './stage.ts'
import type { StagedRecord } from './staged-values.ts'
import { createPlan } from './write-plan.ts'

/** One record in the staged view. */
export interface RecordView {
  readonly slot: number
  readonly birth: number
  /** By column, in a new array. */
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
}

/**
 * The staged values of one record: all of a new one, otherwise those of the given columns. Do not
 * change the arrays.
 */
export interface StagedView {
  readonly slot: number
  /** Null for a new record: `values` are by column then. */
  readonly ordinals: readonly number[] | null
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
}

/**
 * The staged writes of the open transaction: a stage per table, and the staged records in order.
 * Empty between transactions.
 */
export class StageSet implements WriteTarget {
  /** By `ClassModel.ordinal`. */
  readonly tables: readonly Table[]
  readonly records: StagedRecord[] = []
  /** Counts staged writes. */
  version = 0
  /** Stages with writes or moved sequences. */
  readonly opened: TableStage[] = []
  /** By `ClassModel.ordinal`. */
  readonly #stages: readonly TableStage[]
  /** True in a store that holds only some entities: a foreign key may lead to none of them. */
  readonly mayDangle: boolean
  readonly #clock: { now(): number }
  #timestamp: number | null = null

  constructor(tables: readonly Table[], clock: { now(): number }, mayDangle = false) {
    this.tables = tables
    this.mayDangle = mayDangle
    this.#clock = clock
    this.#stages = tables.map(
      (table) => new TableStage(table, this.records, createPlan(table.model)),
    )
  }

  /** Call at the beginning of a transaction. */
  begin(): void {
    this.#timestamp = null
  }

  /**
   * The time of the transaction. Call it before reading other state: the first call runs code of
   * the host, which may write.
   */
  now(): number {
    this.#timestamp ??= this.#clock.now()
    return this.#timestamp
  }

  /** The stage to read from. */
  of(table: Table): TableStage {
    return this.#stages[table.model.ordinal]
  }

  /** The stage to write to. */
  #open(table: Table): TableStage {
    const stage = this.#stages[table.model.ordinal]
    if (!stage.isOpen) {
      stage.open()
      this.opened.push(stage)
    }
    return stage
  }

  sequenceFor(table: Table): Sequence {
    return this.#open(table)
  }

  get isEmpty(): boolean {
    for (const record of this.records) if (record.kind !== 'void') return false
    return true
  }

  /** True when a foreign key refers to the record. */
  isReferred(table: Table, slot: number): boolean {
    const { incoming } = table.model
    if (incoming.length === 0) return false
    const key = this.of(table).keyOf(slot)
    for (const { owner, foreignKey } of incoming) {
      const stage = this.#stages[owner.ordinal]
      const { ordinal } = foreignKey
      const index = stage.table.indexes[ordinal] as AttributeIndex
      stage.table.needReferrers(ordinal, key)
      if (stage.isOpen ? stage.referrersOf(ordinal, key).length > 0 : index.countOf(key) > 0)
        return true
    }
    return false
  }

  /** The staged values of a living record; null if there are none. */
  staged(table: Table, slot: number): StagedView | null {
    const record = this.of(table).at(slot)
    if (record === undefined) return null
    const { kind, ordinals, values, stamp } = record
    const now = this.now()
    const isNew = kind === 'insert'
    const timestamp = isNew ? now : Math.max(now, table.timestamps[slot])
    return { slot, ordinals: isNew ? null : ordinals, values, stamp, timestamp }
  }

  /** A living record of the staged view. */
  view(table: Table, slot: number): RecordView {
    const stage = this.of(table)
    const staged = stage.at(slot)
    const stored = staged?.kind === 'insert' ? 0 : table.timestamps[slot]
    const timestamp = staged === undefined ? stored : Math.max(this.now(), stored)
    return {
      slot,
      birth: stage.birthOf(slot),
      values: stage.readAll(slot),
      stamp: stage.stampOf(slot),
      timestamp,
    }
  }

  nextSlot(table: Table): number {
    return this.#open(table).nextSlot()
  }

  insert(table: Table, slot: number, key: Key, values: StoredValue[], birth: number): void {
    this.#open(table).insert(slot, key, values, birth)
    this.version++
  }

  update(table: Table, slot: number, ordinals: readonly number[], values: StoredValue[]): void {
    this.#open(table).update(slot, ordinals, values)
    this.version++
  }

  /**
   * Changes a value of an insertion without raising its stamp. An insertion that was already
   * applied gets an update.
   */
  amend(table: Table, slot: number, ordinal: number, value: StoredValue): void {
    const record = this.of(table).at(slot)
    this.update(table, slot, [ordinal], [value])
    if (record?.kind === 'insert') record.stamp--
  }

  remove(table: Table, slot: number): void {
    this.#open(table).remove(slot)
    this.version++
  }

  /** Drops all staged writes, after they were written or at a rollback. */
  clear(): void {
    for (const stage of this.opened) stage.close()
    this.records.length = 0
    this.opened.length = 0
  }
}

/** The most entries that a JavaScript `Map` can have. */
const MAX_MAP_ENTRIES = 16_777_216
/** In the place of an option that raises a limit. */
export const OF_LANGUAGE = 'none: a limit of the language'

/**
 * Writes all stages to columns and indexes, and empties them. It first makes room for records,
 * codes, blocks, lists and keys, and then writes. A failure before the first write leaves no
 * visible change. After one during the writes the caller rolls back the recorder.
 */
export function writeStage(
  stages: StageSet,
  recorder: ChangeRecorder,
  timestamp: number,
  point: () => void,
): void {
  for (const stage of stages.opened) {
    if (stage.insertions === 0) continue
    point()
    reserveRecords(stage.table, stage.insertions, stage.slotLimit)
  }
  for (const record of stages.records) admitRecord(record, point)
  for (const record of stages.records) {
    point()
    writeRecord(record, recorder, timestamp)
  }
  for (const { table, sequence } of stages.opened) recorder.setSequence(table, sequence)
  stages.clear()
}

/** Makes room for so many more records, in slots below `slotLimit`. */
export function reserveRecords(table: Table, insertions: number, slotLimit: number): void {
  table.reserve(slotLimit)
  checkRoom(table, insertions)
  for (const index of table.indexes) index?.ordered?.reserve(insertions)
}

/** Throws `budgetExceeded` where a hash has no room for so many more records. */
export function checkRoom(table: Table, extra: number): void {
  let hasRoom = table.keys.canHold(extra)
  for (const index of table.indexes) hasRoom &&= index?.unique?.canHold(extra) !== false
  if (hasRoom) return
  const what = `keys and unique values of the "${table.model.name}" dataclass`
  throw overBudget(what, MAX_MAP_ENTRIES, OF_LANGUAGE)
}

function admitRecord({ kind, table, ordinals, values }: StagedRecord, point: () => void): void {
  for (let i = 0; i < values.length; i++) {
    point()
    table.admit(kind === 'insert' ? i : ordinals[i], values[i])
  }
}

function writeRecord(record: StagedRecord, recorder: ChangeRecorder, timestamp: number): void {
  const { table, slot, values, stamp } = record
  switch (record.kind) {
    case 'insert':
      recorder.insert(table, slot, values, stamp, timestamp, record.birth)
      return
    case 'update':
      // Timestamps never decrease, even if the clock does.
      recorder.update(
        table,
        slot,
        record.ordinals,
        values,
        stamp,
        Math.max(timestamp, table.timestamps[slot]),
      )
      return
    case 'remove':
      recorder.remove(table, slot)
      return
    case 'void':
  }
}

/**
 * True when the recorded changes have no effect together: every record was inserted or loaded, and
 * removed again. Cost O(changes), and O(rows) of loads only where as many records were removed as
 * added.
 */
export function isWithoutTrace({ changes }: ChangeRecorder): boolean {
  let more = 0
  for (const change of changes) {
    if (change.kind === 'load') more += change.slots.length
    else if (change.kind === 'insert') more++
    else if (change.kind === 'remove') more--
  }
  if (more !== 0) return false
  const inserted = new Map<Table, Set<number>>()
  for (const change of changes) {
    const slots = inserted.get(change.table) ?? new Set<number>()
    inserted.set(change.table, slots)
    if (change.kind === 'load') for (const slot of change.slots) slots.add(slot)
    else if (change.kind === 'insert') slots.add(change.slot)
    else if (!slots.has(change.slot)) return false
    else if (change.kind === 'remove') slots.delete(change.slot)
  }
  return true
}
