import type { StoredValue } from '../value/types.ts'
import { AttributeIndex } from './attribute-index.ts'
import { clearBit, hasBit, setBit } from './bitset.ts'
import { type Column, NULL_INT, NumberColumn, TextColumn, WordColumn } from './column.ts'
import type { HashIndex } from './hash-index.ts'
import { hashKey, type Table } from './table.ts'

/**
 * The index that answers ranges and orders of a column, or null. The first call for the key
 * creates its index: O(n log n), or O(n) where keys ascend with record numbers.
 */
export function orderedIndex(table: Table, ordinal: number): AttributeIndex | null {
  const index = table.indexes[ordinal]
  if (index?.isOrdered) return index
  if (ordinal !== table.model.key.ordinal || table.indexFactory === null) return null
  // If the key is a foreign key too, its posting lists get new numbers.
  if (index !== null) table.version++
  replaceIndex(table, ordinal, true)
  return table.indexes[ordinal]
}

/** Adds an ordered index to an attribute; cost O(n log n). */
export function createIndex(table: Table, ordinal: number): void {
  if (table.indexes[ordinal]?.isOrdered) return
  table.version++
  replaceIndex(table, ordinal, true)
}

export function dropIndex(table: Table, ordinal: number): void {
  if (!table.indexes[ordinal]?.isOrdered) return
  table.version++
  replaceIndex(table, ordinal, false)
}

/** Rebuilds every index from its column (after a bulk load). */
export function rebuildIndexes(table: Table, hashes: RowHashes | null = null): void {
  const slots = table.liveSlots()
  for (const [ordinal, index] of table.indexes.entries())
    index?.build(slots, hashes?.unique[ordinal])
}

/** Builds the index that an attribute needs; none if it needs none. */
function replaceIndex(table: Table, ordinal: number, ordered: boolean): void {
  const old = table.indexes[ordinal]
  const postings = table.model.storage[ordinal].relation !== null
  const unique = old !== null && old.unique !== null
  const words = old?.words ?? null
  if (!ordered && !unique && !postings && words === null) {
    table.indexes[ordinal] = null
    return
  }
  const needs = { ordered, postings, unique }
  const index = new AttributeIndex(table.columns[ordinal], needs, table.indexFactory)
  index.build(table.liveSlots())
  // They do not depend on the column, and are not built again.
  index.words = words
  table.indexes[ordinal] = index
}

/**
 * Above this share of new records, indexes are rebuilt from their columns instead of entry by
 * entry.
 */
const REBUILD_ABOVE_SHARE = 1 / 8
/** As few new records are always entered one by one. */
export const FEW_ROWS = 64

/** Rows hashed by key, and by unique value per column. */
export interface RowHashes {
  readonly keys: HashIndex
  readonly unique: readonly (HashIndex | undefined)[]
}

/** Values by row. A vector has no heap; in it NaN is null. */
export type ColumnValues = readonly StoredValue[] | Float64Array

/**
 * Many new records at once, column by column. `prepare` does all that may fail, without a visible
 * change; `write` then writes, and `takeBack` undoes a write that failed half-way. A complete write
 * is undone by its change list.
 */
export class TableLoad {
  readonly #table: Table
  readonly #slots: Int32Array
  readonly #columns: readonly ColumnValues[]
  /** Word codes by column and row, where the column has a dictionary. */
  readonly #codes: (Int32Array | null)[] = []
  readonly #isRebuild: boolean
  /** The hashes of the rows, where row and slot are the same. */
  readonly #hashes: RowHashes | null

  /**
   * Takes free slots, ascending, their values per column, and the hashes of the rows if there are
   * any. An empty table takes these over, because its rows are slots. Vectors are for an empty
   * table and more rows than `FEW_ROWS`, whose indexes are built from the columns.
   */
  constructor(
    table: Table,
    slots: Int32Array,
    columns: readonly ColumnValues[],
    hashes: RowHashes | null = null,
  ) {
    this.#table = table
    this.#slots = slots
    this.#columns = columns
    this.#hashes =
      table.length === 0 && slots[slots.length - 1] === slots.length - 1 ? hashes : null
    this.#isRebuild =
      slots.length > FEW_ROWS &&
      slots.length > (table.liveCount + slots.length) * REBUILD_ABOVE_SHARE
  }

  /** Room for records, codes, keys and index entries. */
  prepare(): void {
    const table = this.#table
    const slots = this.#slots
    table.reserve(slots[slots.length - 1] + 1)
    this.#leaveUncoded()
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) {
      const column = table.columns[ordinal]
      this.#codes[ordinal] = admitAll(column, this.#columns[ordinal])
      if (this.#isRebuild) continue
      const index = table.indexes[ordinal]
      index?.ordered?.reserve(slots.length)
      for (const value of this.#columns[ordinal]) index?.admit(value)
    }
    if (this.#hashes === null) reserveKeys(table.keys, this.#columns[table.model.key.ordinal])
  }

  /**
   * Makes columns plain text whose words will hardly repeat: `tidyTable` would do it after the
   * load, and coding them first takes longer than the rest of the load.
   */
  #leaveUncoded(): void {
    const table = this.#table
    if (table.length > 0) return
    for (let ordinal = 0; ordinal < this.#columns.length; ordinal++) {
      const column = table.columns[ordinal]
      if (!(column instanceof WordColumn) || column.attribute.relation !== null) continue
      if (column.dictionary.size === 0 && hardlyRepeats(this.#columns[ordinal]))
        toPlainText(table, ordinal)
    }
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
    if (this.#isRebuild) rebuildIndexes(table, this.#hashes)
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
      for (let i = 0; i < values.length; i++) {
        index.add(this.#slots[i], values[i])
        index.words?.replace(this.#slots[i], null, values[i])
      }
    }
  }
}

/** Codes for the values of a dictionary column, including new words; null for other columns. */
function admitAll(column: Column, values: ColumnValues): Int32Array | null {
  if (!(column instanceof WordColumn)) {
    // Only the number that stands for null in 32 bits needs a wider vector.
    if (column instanceof NumberColumn && (values as number[]).includes(NULL_INT))
      column.admit(NULL_INT)
    return null
  }
  const { dictionary } = column
  const codes = new Int32Array(values.length)
  // A few new words beside many known ones are inserted one by one.
  const isOrdered = values.length * 4 > dictionary.size && dictionary.suspendOrder()
  for (let i = 0; i < values.length; i++) codes[i] = column.codeFor(values[i] as string | null)
  if (isOrdered) dictionary.order()
  return codes
}

/** Reserves the vector of dense whole-number keys at once instead of by doubling. */
export function reserveKeys(hash: HashIndex, keys: ColumnValues): void {
  let max = 0
  for (const key of keys)
    if (typeof key === 'number' && key > max && Number.isInteger(key)) max = key
  if (max > 0) hash.reserve(max, keys.length)
}

/** Counts the words of living records again. */
export function recount(table: Table, column: WordColumn): void {
  column.dictionary.changed = null
  column.dictionary.counts.fill(0)
  for (let slot = 0; slot < table.length; slot++) {
    if (hasBit(table.live, slot)) column.dictionary.counts[column.codes[slot]]++
  }
}

/**
 * A column becomes plain text when its dictionary has more words than this, and more than half as
 * many as there are records.
 */
const MIN_UNCODED_WORDS = 4096

/** Values that `hardlyRepeats` looks at. */
const SAMPLE = 1 << 13

/**
 * Whether more than half of many values are distinct, by a sample at scattered places: values at
 * regular places would miss the repetitions of a sorted column.
 */
function hardlyRepeats(values: ColumnValues): boolean {
  if (values.length < 2 * SAMPLE) return false
  const places = new Set<number>()
  for (let at = 1; places.size < SAMPLE; at++)
    places.add(Math.floor((mixed(at) / 2 ** 32) * values.length))
  const seen = new Set<StoredValue>()
  for (const place of places) if (values[place] !== null) seen.add(values[place])
  // Were each value there twice, so many would meet in the sample.
  return (SAMPLE - seen.size) * 2 * values.length < SAMPLE * SAMPLE
}

/** A number of 32 bits that looks random, the same for the same input. */
function mixed(seed: number): number {
  let bits = Math.imul(seed, 0x9e3779b1)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/**
 * Replaces dictionaries whose words seldom repeat and drops dead words. Call it between
 * transactions only. Cost O(1) unless there is something to do.
 */
export function tidyTable(table: Table): void {
  for (const ordinal of table.columns.keys()) tidyColumn(table, ordinal)
}

/** The same for one column; false if there was nothing to do. */
export function tidyColumn(table: Table, ordinal: number): boolean {
  const column = table.columns[ordinal]
  if (!(column instanceof WordColumn) || column.dictionary.size <= MIN_UNCODED_WORDS) return false
  if (column.dictionary.size * 2 <= table.liveCount) return false
  if (column.dictionary.deadWords() * 2 > column.dictionary.size) {
    column.dictionary.sweep()
    table.layout++
  } else if (column.attribute.relation === null) toPlainText(table, ordinal)
  return true
}

/**
 * Drops the dead words of dictionaries and word indexes by their length, where `tidyTable` drops
 * them by their number. Call it between transactions only. Amortised O(columns).
 */
export function forgetLongWords(table: Table): void {
  for (const index of table.indexes) index?.words?.tidy()
  for (const column of table.columns) {
    if (!(column instanceof WordColumn) || !column.dictionary.isSweepDue) continue
    column.dictionary.sweep()
    table.layout++
  }
}

/**
 * Replaces a coded column by plain text, and its index with it. Cost O(records), plus a sort when
 * indexed.
 */
export function toPlainText(table: Table, ordinal: number): void {
  const old = table.columns[ordinal] as WordColumn
  const column = new TextColumn(old.attribute)
  column.reserve(table.capacity)
  for (let slot = 0; slot < table.length; slot++)
    column.write(slot, hasBit(table.live, slot) ? old.read(slot) : null)
  table.columns[ordinal] = column
  table.layout++
  table.version++
  const index = table.indexes[ordinal]
  if (index !== null) replaceIndex(table, ordinal, index.isOrdered)
}
