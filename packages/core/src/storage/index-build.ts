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
  copy: Keys<K>
  /** The key of records that are not living; it equals none. */
  readonly absent: K
  readonly entries: {
    insert(key: K, slot: number): void
    remove(key: K, slot: number): void
  }
  /** So many keys, all absent. */
  keys(length: number): Keys<K>
  /** Writes the keys of the records from `from` to `to` into `out`, from its beginning. */
  read(from: number, to: number, out: Keys<K>): void
  /** Fills the index from the copy. */
  steps(slots: Int32Array): BuildSteps
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
        ? yield* runBuild(table, ordinal, wordBuild(table, column), isReplaced)
        : column instanceof TextColumn
          ? yield* runBuild(table, ordinal, textBuild(table, column), isReplaced)
          : yield* runBuild(table, ordinal, numberBuild(table, column), isReplaced)
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
  const keys = build.keys(STEP_ENTRIES)
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
  if (build.copy.length < table.length) {
    const grown = build.keys(table.length)
    for (let slot = 0; slot < build.copy.length; slot++) grown[slot] = build.copy[slot]
    build.copy = grown
  }
  const changed: number[] = []
  const { length } = build.copy
  const keys = build.keys(STEP_ENTRIES)
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
  const { copy, absent, entries } = build
  if (!Object.is(copy[slot], absent)) entries.remove(copy[slot], slot)
  const now = build.keys(1)
  build.read(slot, slot + 1, now)
  copy[slot] = now[0]
  if (!Object.is(now[0], absent)) entries.insert(now[0], slot)
}

function install(table: Table, ordinal: number, built: OrderedEntries | PostingLists): void {
  const column = table.columns[ordinal]
  const needs = { ordered: true, postings: false, unique: false }
  const index = table.indexes[ordinal] ?? new AttributeIndex(column, needs, table.indexFactory)
  index.takeOrder(built)
  table.indexes[ordinal] = index
  table.version++
}

const numbers = (length: number): Float64Array => new Float64Array(length).fill(Number.NaN)

function numberBuild(table: Table, column: Column): Build<number> {
  const entries = new NumberIndex()
  return {
    copy: numbers(table.length),
    absent: Number.NaN,
    entries,
    keys: numbers,
    read(from, to, out) {
      for (let slot = from; slot < to; slot++)
        out[slot - from] = hasBit(table.live, slot) ? numberKey(column, slot) : Number.NaN
    },
    *steps(slots) {
      const { copy } = this
      const keys = new Float64Array(slots.length)
      for (let i = 0; i < slots.length; i++) {
        keys[i] = copy[slots[i]]
        if (i % STEP_ENTRIES === 0) yield
      }
      yield* entries.buildSteps(slots, keys)
    },
    built: () => entries,
  }
}

/** The lists of words by code, and the order of the words. */
function wordBuild(table: Table, column: WordColumn): Build<number> {
  const { dictionary } = column
  const entries = new PostingLists()
  let ordered: readonly number[] = []
  return {
    copy: numbers(table.length),
    absent: Number.NaN,
    entries,
    keys: numbers,
    read(from, to, out) {
      const { codes } = column
      for (let slot = from; slot < to; slot++)
        out[slot - from] = hasBit(table.live, slot) ? codes[slot] : Number.NaN
    },
    *steps() {
      ordered = yield* codesInOrder(dictionary)
      const { copy } = this
      const listOf = new Int32Array(copy.length)
      for (let slot = 0; slot < listOf.length; slot++) {
        listOf[slot] = Number.isNaN(copy[slot]) ? -1 : copy[slot]
        if (slot % STEP_ENTRIES === 0) yield
      }
      yield* entries.buildSteps(listOf, Math.max(dictionary.codeLimit, 1))
    },
    built() {
      dictionary.orderFrom(ordered)
      return entries
    },
  }
}

function textBuild(table: Table, column: TextColumn): Build<string | null | undefined> {
  const texts = (length: number): (string | null | undefined)[] => new Array(length).fill(undefined)
  const entries = new TextIndex((slot) => build.copy[slot] ?? null)
  const build: Build<string | null | undefined> = {
    copy: texts(table.length),
    absent: undefined,
    entries: entries as Build<string | null | undefined>['entries'],
    keys: texts,
    read(from, to, out) {
      const { keys } = column
      for (let slot = from; slot < to; slot++)
        out[slot - from] = hasBit(table.live, slot) ? (keys[slot] ?? null) : undefined
    },
    steps: (slots) => entries.buildSteps(slots),
    built() {
      const own = new TextIndex((slot) => column.keys[slot])
      own.adopt(entries)
      return own
    },
  }
  return build
}
