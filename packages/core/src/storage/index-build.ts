/**
 * Builds an ordered index in steps, between which the table may be read and written. The index is
 * built over a copy of the column's keys, so it is always exact for that copy. At the end the copy
 * is compared with the column, and the records that differ are entered again, in one step with the
 * installation. So it does not matter in which way the table was changed meanwhile.
 */
import { AttributeIndex, numberKey, type OrderedEntries } from './attribute-index.ts'
import { hasBit } from './bitset.ts'
import { NumberIndex } from './block-index.ts'
import { type Column, TextColumn, WordColumn } from './column.ts'
import { PostingLists } from './posting-lists.ts'
import type { Table } from './table.ts'
import { createIndex } from './table-load.ts'
import { TextIndex } from './text-index.ts'
import { type BuildSteps, STEP_ENTRIES } from './text-prefixes.ts'
import { codesInOrder } from './word-order.ts'

/** As many records are entered again in one step; more of them take steps, and another round. */
const MAX_CORRECTED_AT_ONCE = 1 << 10
/** After so many rounds, and so many replaced columns, the rest is done in one step. */
const MAX_ROUNDS = 8
const MAX_ATTEMPTS = 3

/** Keys by record number; a record that is not living has none. */
type Keys<K> = { [slot: number]: K; readonly length: number }

/** An index over a copy of the keys of a column. */
interface Build<K> {
  /** What is entered. */
  readonly copy: Keys<K>
  /** The key of records that are not living; it equals none. */
  readonly absent: K
  /** Lengthens the copy by records that are absent. */
  reserve(length: number): void
  /** A list for `read`. */
  buffer(length: number): Keys<K>
  /** Writes the keys of the records from `from` to `to` into `out`, from its beginning. */
  read(from: number, to: number, out: Keys<K>): void
  /** Fills the index from the copy. */
  steps(slots: Int32Array): BuildSteps
  enter(key: K, slot: number): void
  leave(key: K, slot: number): void
  /** What the column's index takes over, once the copy equals the column. Writes only. */
  built(): OrderedEntries | PostingLists
}

/**
 * Adds an ordered index to an attribute, as `createIndex` does. Until the last step the table
 * answers without it, and if the steps are not finished the table stays as it was. Cost: that of
 * `createIndex` and a comparison of all records, which is the longest step: some nanoseconds a
 * record.
 */
export function* createIndexSteps(table: Table, ordinal: number): BuildSteps {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const column = table.columns[ordinal]
    if (table.indexFactory === null || table.indexes[ordinal]?.isOrdered) return
    const { layout } = table
    const isReplaced = (): boolean =>
      table.columns[ordinal] !== column || (column instanceof WordColumn && table.layout !== layout)
    const done =
      column instanceof WordColumn
        ? yield* runBuild(table, ordinal, new WordBuild(table, column), isReplaced)
        : column instanceof TextColumn
          ? yield* runBuild(table, ordinal, new TextBuild(table, column), isReplaced)
          : yield* runBuild(table, ordinal, new NumberBuild(table, column), isReplaced)
    if (done) return
  }
  createIndex(table, ordinal)
}

/** Returns false if the column was replaced meanwhile, so that the build is of no use. */
function* runBuild<K>(
  table: Table,
  ordinal: number,
  build: Build<K>,
  isReplaced: () => boolean,
): BuildSteps<boolean> {
  yield* build.steps(yield* copySteps(table, build))
  for (let round = 0; !isReplaced(); round++) {
    const changed = changedSlots(table, build)
    if (changed.length <= MAX_CORRECTED_AT_ONCE || round === MAX_ROUNDS) {
      for (const slot of changed) correct(build, slot)
      install(table, ordinal, build.built())
      return true
    }
    for (let at = 0; at < changed.length && !isReplaced(); at++) {
      correct(build, changed[at])
      if (at % MAX_CORRECTED_AT_ONCE === 0) yield
    }
  }
  return false
}

/** Copies the keys. Returns the records that have one. */
function* copySteps<K>(table: Table, build: Build<K>): BuildSteps<Int32Array> {
  const { length } = table
  const { copy, absent } = build
  const slots = new Int32Array(length)
  const keys = build.buffer(STEP_ENTRIES)
  let count = 0
  for (let from = 0; from < length; from += STEP_ENTRIES) {
    const to = Math.min(length, from + STEP_ENTRIES)
    build.read(from, to, keys)
    for (let slot = from; slot < to; slot++) {
      const key = keys[slot - from]
      copy[slot] = key
      if (!Object.is(key, absent)) slots[count++] = slot
    }
    yield
  }
  return slots.subarray(0, count)
}

/** The records whose key is not what is entered. Cost: O(records), some nanoseconds each. */
function changedSlots<K>(table: Table, build: Build<K>): readonly number[] {
  build.reserve(table.length)
  const changed: number[] = []
  const { length } = build.copy
  const keys = build.buffer(STEP_ENTRIES)
  for (let from = 0; from < length; from += STEP_ENTRIES) {
    const to = Math.min(length, from + STEP_ENTRIES)
    build.read(from, to, keys)
    collectChanged(build.copy, keys, from, to, changed)
  }
  return changed
}

function collectChanged<K>(
  copy: Keys<K>,
  keys: Keys<K>,
  from: number,
  to: number,
  changed: number[],
): void {
  for (let slot = from; slot < to; slot++) {
    const key = keys[slot - from]
    const entered = copy[slot]
    // Only NaN, for absent, differs from itself.
    // biome-ignore lint/suspicious/noSelfCompare: faster than a call in a loop over all records.
    if (key !== entered && (key === key || entered === entered)) changed.push(slot)
  }
}

/** Enters what a record has now, in place of what the copy has. */
function correct<K>(build: Build<K>, slot: number): void {
  const { copy, absent } = build
  if (!Object.is(copy[slot], absent)) build.leave(copy[slot], slot)
  const now = build.buffer(1)
  build.read(slot, slot + 1, now)
  copy[slot] = now[0]
  if (!Object.is(now[0], absent)) build.enter(now[0], slot)
}

function install(table: Table, ordinal: number, built: OrderedEntries | PostingLists): void {
  const column = table.columns[ordinal]
  const needs = { ordered: true, postings: false, unique: false }
  const index = table.indexes[ordinal] ?? new AttributeIndex(column, needs, table.indexFactory)
  index.takeOrder(built)
  table.indexes[ordinal] = index
  table.version++
}

/** Over keys that are numbers. No key is NaN, which stands for absent. */
abstract class NumericBuild {
  copy: Float64Array
  readonly absent = Number.NaN
  readonly #table: Table

  constructor(table: Table) {
    this.copy = new Float64Array(table.length)
    this.#table = table
  }
  /** The key of a living record. */
  protected abstract keyAt(slot: number): number

  read(from: number, to: number, out: Keys<number>): void {
    const { live, length } = this.#table
    for (let slot = from; slot < to; slot++)
      out[slot - from] = slot < length && hasBit(live, slot) ? this.keyAt(slot) : this.absent
  }
  buffer(length: number): Float64Array {
    return new Float64Array(length)
  }
  reserve(length: number): void {
    if (length <= this.copy.length) return
    const grown = new Float64Array(length).fill(Number.NaN)
    grown.set(this.copy)
    this.copy = grown
  }
}

class NumberBuild extends NumericBuild implements Build<number> {
  readonly #column: Column
  readonly #entries = new NumberIndex()

  constructor(table: Table, column: Column) {
    super(table)
    this.#column = column
  }
  protected keyAt(slot: number): number {
    return numberKey(this.#column, slot)
  }
  *steps(slots: Int32Array): BuildSteps {
    const keys = new Float64Array(slots.length)
    const { copy } = this
    for (let from = 0; from < slots.length; from += STEP_ENTRIES) {
      const to = Math.min(slots.length, from + STEP_ENTRIES)
      for (let i = from; i < to; i++) keys[i] = copy[slots[i]]
      yield
    }
    yield* this.#entries.buildSteps(slots, keys)
  }
  enter(key: number, slot: number): void {
    this.#entries.insert(key, slot)
  }
  leave(key: number, slot: number): void {
    this.#entries.remove(key, slot)
  }
  built(): NumberIndex {
    return this.#entries
  }
}

/** The lists of words by code, and the order of the words. */
class WordBuild extends NumericBuild implements Build<number> {
  readonly #column: WordColumn
  readonly #postings = new PostingLists()
  #ordered: readonly number[] = []

  constructor(table: Table, column: WordColumn) {
    super(table)
    this.#column = column
  }
  protected keyAt(slot: number): number {
    return this.#column.codes[slot]
  }
  *steps(): BuildSteps {
    this.#ordered = yield* codesInOrder(this.#column.dictionary)
    const { copy } = this
    const listOf = new Int32Array(copy.length)
    for (let from = 0; from < copy.length; from += STEP_ENTRIES) {
      const to = Math.min(copy.length, from + STEP_ENTRIES)
      for (let slot = from; slot < to; slot++)
        listOf[slot] = Number.isNaN(copy[slot]) ? -1 : copy[slot]
      yield
    }
    yield* this.#postings.buildSteps(listOf, Math.max(this.#column.dictionary.codeLimit, 1))
  }
  enter(code: number, slot: number): void {
    this.#postings.insert(code, slot)
  }
  leave(code: number, slot: number): void {
    this.#postings.remove(code, slot)
  }
  built(): PostingLists {
    this.#column.dictionary.orderFrom(this.#ordered)
    return this.#postings
  }
}

class TextBuild implements Build<string | null | undefined> {
  readonly copy: (string | null | undefined)[]
  readonly absent = undefined
  readonly #table: Table
  readonly #column: TextColumn
  readonly #entries: TextIndex

  constructor(table: Table, column: TextColumn) {
    this.#table = table
    this.#column = column
    this.copy = new Array(table.length)
    this.#entries = new TextIndex((slot) => this.copy[slot] ?? null)
  }
  buffer(length: number): (string | null | undefined)[] {
    return new Array(length)
  }
  reserve(length: number): void {
    while (this.copy.length < length) this.copy.push(undefined)
  }
  read(from: number, to: number, out: Keys<string | null | undefined>): void {
    const { live, length } = this.#table
    const { keys } = this.#column
    for (let slot = from; slot < to; slot++)
      out[slot - from] = slot < length && hasBit(live, slot) ? (keys[slot] ?? null) : undefined
  }
  steps(slots: Int32Array): BuildSteps {
    return this.#entries.buildSteps(slots)
  }
  enter(key: string | null, slot: number): void {
    this.#entries.insert(key, slot)
  }
  leave(key: string | null, slot: number): void {
    this.#entries.remove(key, slot)
  }
  built(): OrderedEntries {
    const own = this.#table.indexFactory!.entriesOf(this.#column)
    if (own.kind === 'text') own.adopt(this.#entries)
    return own
  }
}
