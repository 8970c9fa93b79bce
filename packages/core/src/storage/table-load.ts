import type { StoredValue } from '../value/types.ts'
import { clearBit, hasBit, setBit } from './bitset.ts'
import { type Column, NULL_INT, NumberColumn, WordColumn } from './column.ts'
import type { HashIndex } from './hash-index.ts'
import { hashKey, type Table } from './table.ts'
import { rebuildIndexes } from './table-indexes.ts'

/**
 * Above this share of new records, indexes are rebuilt from their columns instead of entry by
 * entry.
 */
const REBUILD_ABOVE_SHARE = 1 / 8

/** Rows hashed by key, and by unique value per column. */
export interface RowHashes {
  readonly keys: HashIndex
  readonly unique: readonly (HashIndex | undefined)[]
}

/**
 * Many new records at once, column by column. `prepare` does all that may fail, without a visible
 * change; `write` then writes, and `takeBack` undoes a write that failed half-way. A complete write
 * is undone by its change list.
 */
export class TableLoad {
  readonly #table: Table
  readonly #slots: Int32Array
  readonly #columns: readonly (readonly StoredValue[])[]
  /** Word codes by column and row, where the column has a dictionary. */
  readonly #codes: (Int32Array | null)[] = []
  readonly #isRebuild: boolean
  /** The hashes of the rows, where row and slot are the same. */
  readonly #hashes: RowHashes | null

  /**
   * Takes free slots, ascending, their values per column, and the hashes of the rows if there are
   * any. An empty table takes these over, because its rows are slots.
   */
  constructor(
    table: Table,
    slots: Int32Array,
    columns: readonly (readonly StoredValue[])[],
    hashes: RowHashes | null = null,
  ) {
    this.#table = table
    this.#slots = slots
    this.#columns = columns
    this.#hashes =
      table.length === 0 && slots[slots.length - 1] === slots.length - 1 ? hashes : null
    this.#isRebuild =
      slots.length > 64 && slots.length > (table.liveCount + slots.length) * REBUILD_ABOVE_SHARE
  }

  /** Room for records, codes, keys and index entries. */
  prepare(): void {
    const table = this.#table
    const slots = this.#slots
    table.reserve(slots[slots.length - 1] + 1)
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) {
      const column = table.columns[ordinal]
      this.#codes[ordinal] = admitAll(column, this.#columns[ordinal])
      if (this.#isRebuild) continue
      const index = table.indexes[ordinal]
      index?.ordered?.reserve(slots.length)
      for (const value of this.#columns[ordinal]) index?.admit(value)
    }
    if (this.#hashes === null) reserveKeys(table, this.#columns[table.model.key.ordinal])
  }

  /** `nextBirth` advances the allocation clock. Every record starts with stamp 1. */
  write(timestamp: number, nextBirth: () => number): void {
    const table = this.#table
    const slots = this.#slots
    const keys = this.#columns[table.model.key.ordinal]
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]
      setBit(table.live, slot)
      table.stamps[slot] = 1
      table.timestamps[slot] = timestamp
      table.births[slot] = nextBirth()
      if (!table.occupancy.isEmpty) table.occupancy.noteBirth(slot, table.births[slot])
    }
    table.version++
    table.liveCount += slots.length
    table.length = Math.max(table.length, slots[slots.length - 1] + 1)
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) this.#writeColumn(ordinal)
    // After the columns: the hashes read texts from them.
    if (this.#hashes !== null) table.keys.adopt(this.#hashes.keys)
    else
      for (let i = 0; i < slots.length; i++)
        table.keys.set(hashKey(keys[i] as string | number), slots[i])
    if (this.#isRebuild) this.#buildIndexes()
    else this.#enterIndexes()
  }

  /** Removes all that `write` may have written before it failed. */
  takeBack(): void {
    const table = this.#table
    table.version++
    table.rowCache?.forgetAll()
    const slots = this.#slots
    const keys = this.#columns[table.model.key.ordinal]
    for (let i = 0; i < slots.length; i++) {
      const key = hashKey(keys[i] as string | number)
      if (table.keys.find(key) === slots[i]) table.keys.delete(key)
      clearBit(table.live, slots[i])
      table.stamps[slots[i]] = 0
    }
    while (table.length > 0 && !hasBit(table.live, table.length - 1)) table.length--
    table.liveCount = 0
    for (let slot = 0; slot < table.length; slot++) if (hasBit(table.live, slot)) table.liveCount++
    for (const column of table.columns) {
      for (let i = 0; i < slots.length; i++) column.write(slots[i], null)
      if (column instanceof WordColumn) recount(table, column)
    }
    rebuildIndexes(table)
  }

  #buildIndexes(): void {
    const slots = this.#table.liveSlots()
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) {
      this.#table.indexes[ordinal]?.build(slots, this.#hashes?.unique[ordinal] ?? null)
    }
  }

  #writeColumn(ordinal: number): void {
    const column = this.#table.columns[ordinal]
    const values = this.#columns[ordinal]
    const codes = this.#codes[ordinal]
    const slots = this.#slots
    if (codes !== null && column instanceof WordColumn) {
      const { dictionary } = column
      for (let i = 0; i < slots.length; i++) {
        column.codes[slots[i]] = codes[i]
        dictionary.hold(codes[i])
      }
      return
    }
    if (column instanceof NumberColumn) column.writeAll(slots, values)
    else for (let i = 0; i < slots.length; i++) column.write(slots[i], values[i])
  }

  #enterIndexes(): void {
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) {
      const index = this.#table.indexes[ordinal]
      if (index === null) continue
      const values = this.#columns[ordinal]
      for (let i = 0; i < values.length; i++) index.add(this.#slots[i], values[i])
    }
  }
}

/** Codes for the values of a dictionary column, including new words; null for other columns. */
function admitAll(column: Column, values: readonly StoredValue[]): Int32Array | null {
  if (!(column instanceof WordColumn)) {
    // Only the number that stands for null in 32 bits needs a wider vector.
    if (column instanceof NumberColumn && values.includes(NULL_INT)) column.admit(NULL_INT)
    return null
  }
  const { dictionary } = column
  const codes = new Int32Array(values.length)
  // A few new words beside many known ones are inserted one by one.
  const isOrdered = values.length * 4 > dictionary.size && dictionary.suspendOrder()
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    if (value === null) continue
    let code = dictionary.find(value)
    if (code < 0) {
      column.admit(value)
      code = dictionary.find(value)
    }
    codes[i] = code
  }
  if (isOrdered) dictionary.order()
  return codes
}

/** Reserves room for dense whole-number keys at once instead of by doubling. */
function reserveKeys(table: Table, keys: readonly StoredValue[]): void {
  let max = 0
  for (const key of keys)
    if (typeof key === 'number' && key > max && Number.isInteger(key)) max = key
  if (max > 0) table.keys.reserve(max, keys.length)
}

/** Counts the words of living records again. */
export function recount(table: Table, column: WordColumn): void {
  column.dictionary.changed = null
  column.dictionary.counts.fill(0)
  for (let slot = 0; slot < table.length; slot++) {
    if (hasBit(table.live, slot)) column.dictionary.counts[column.codes[slot]]++
  }
}
