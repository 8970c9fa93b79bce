import { textKey } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'
import { NumberIndex } from './block-index.ts'
import { type Column, NULL_INT, NumberColumn, TextColumn, WordColumn } from './column.ts'
import { HashIndex } from './hash-index.ts'
import { PostingLists } from './posting-lists.ts'
import { TextBeginnings } from './text-beginnings.ts'
import { TextIndex } from './text-index.ts'
import { type BuildSteps, runSteps, STEP_ENTRIES } from './text-prefixes.ts'
import { WordIndex } from './word-index.ts'

/** Entries in the order of their values, for indexed attributes without a dictionary. */
export type OrderedEntries = NumberIndex | TextIndex

/**
 * Creates what answers ranges, orders and words; stores without the capability `indexes` have none.
 */
export interface IndexFactory {
  entriesOf(column: Column): OrderedEntries
  beginningsOf(column: TextColumn): TextBeginnings
  wordsOf(column: Column): WordIndex
}

/** What an attribute needs an index for: its order, its relation, its unique values. */
export interface IndexNeeds {
  readonly ordered: boolean
  readonly postings: boolean
  readonly unique: boolean
}

/**
 * The indexes of one column, exact at all times: an order (block index, or word order with posting
 * lists), posting lists by value for a foreign key, and a hash for unique values. Each is null
 * where the attribute does not need it.
 */
export class AttributeIndex {
  readonly column: Column
  needs: IndexNeeds
  /** Over numbers, dates, booleans (0, 1) and text without dictionary. */
  ordered: OrderedEntries | null
  /** By word code, or by `listOfValue` of a foreign key that is no text. */
  postings: PostingLists | null
  /** Foreign key value -> list number; null where codes are list numbers. */
  readonly lists: HashIndex | null
  #freeLists: number[] = []
  #nextList = 1
  /** Comparison key (text) or value -> record. */
  readonly unique: HashIndex | null
  /** For unique text without an order. */
  beginnings: TextBeginnings | null
  /** The table passes each text that it writes, before and after, to `replace`. */
  words: WordIndex | null

  constructor(
    column: Column,
    needs: IndexNeeds,
    factory: IndexFactory | null,
    words: WordIndex | null = null,
  ) {
    this.column = column
    this.needs = needs
    this.words = words
    const isWord = column instanceof WordColumn
    const ordered = needs.ordered && factory !== null
    this.ordered = ordered && !isWord ? factory.entriesOf(column) : null
    this.postings = needs.postings || (isWord && ordered) ? new PostingLists() : null
    this.lists = this.postings !== null && !isWord ? new HashIndex(() => null) : null
    this.unique = needs.unique ? new HashIndex((slot) => this.#textAt(slot)) : null
    this.beginnings =
      factory !== null && needs.unique && !ordered && column.layout === 'text'
        ? factory.beginningsOf(column)
        : null
    // Ranges of words need the order of the words.
    if (isWord && ordered) column.dictionary.order()
  }

  /**
   * Memory, about, without the beginnings of texts, which filters build and drop. Cost: O(1).
   */
  get bytes(): number {
    const parts = [this.ordered, this.postings, this.lists, this.unique, this.words]
    const order = this.column instanceof WordColumn ? this.column.dictionary.bytes.order : 0
    return parts.reduce((sum, part) => sum + (part?.bytes ?? 0), order)
  }

  /** True when the index can answer ranges and orders. */
  get isOrdered(): boolean {
    return (
      this.ordered !== null ||
      (this.column instanceof WordColumn &&
        this.postings !== null &&
        this.column.dictionary.hasOrder)
    )
  }

  /**
   * The list that holds the records of a foreign key value, or 0 when there is none (list 0 holds
   * nulls).
   */
  listOfValue(value: string | number | boolean): number {
    if (this.lists === null)
      return this.column instanceof WordColumn
        ? Math.max(0, this.column.dictionary.find(value as string))
        : 0
    return this.lists.find(value) + 1
  }

  /** How many records hold a value of a foreign key. */
  countOf(value: string | number): number {
    const list = this.listOfValue(value)
    return list === 0 || this.postings === null ? 0 : this.postings.length(list)
  }

  /** The records that hold a value of a foreign key, ascending. */
  recordsOf(value: string | number): number[] {
    const { postings } = this
    const count = this.countOf(value)
    if (postings === null || count === 0) return []
    const start = postings.start(this.listOfValue(value))
    return Array.from(postings.data.subarray(start, start + count))
  }

  /** The record that holds a value of a unique attribute, or -1. */
  holderOf(value: StoredValue): number {
    return this.unique === null ? -1 : this.unique.find(this.uniqueKey(value))
  }

  /** Prepares to add a value, so that `add` only writes. */
  admit(value: StoredValue): void {
    this.ordered?.reserve(1)
    this.words?.admit(value)
    if (this.postings === null) return
    this.postings.reserve(value === null ? 0 : this.#listFor(value as string | number))
  }

  /** Adds a record whose column already holds the value. */
  add(slot: number, value: StoredValue): void {
    const { ordered, column } = this
    if (ordered?.kind === 'number') ordered.insert(numberKey(column, slot), slot)
    else ordered?.insert((column as TextColumn).keys[slot], slot)
    if (this.postings !== null) this.postings.insert(this.#listAt(slot, value), slot)
    if (this.unique !== null && value !== null) this.unique.set(this.#keyAt(slot, value), slot)
    if (this.beginnings !== null) this.beginnings.note(slot)
  }

  /** Removes a record whose column still holds the value. */
  remove(slot: number, value: StoredValue): void {
    const { ordered, column } = this
    if (ordered?.kind === 'number') ordered.remove(numberKey(column, slot), slot)
    else ordered?.remove((column as TextColumn).keys[slot], slot)
    if (this.postings !== null) {
      const list = this.#listAt(slot, value)
      this.postings.remove(list, slot)
      if (this.lists !== null && list !== 0 && this.postings.length(list) === 0) {
        this.lists.delete(value as string | number)
        this.#freeLists.push(list)
      }
    }
    if (this.beginnings !== null) this.beginnings.note(slot)
    if (this.unique !== null && value !== null) {
      const hashed = this.#keyAt(slot, value)
      if (this.unique.find(hashed) === slot) this.unique.delete(hashed)
    }
  }

  /** The hash key of a unique value: its comparison key, so that uniqueness agrees with `=`. */
  uniqueKey(value: StoredValue): string | number | boolean {
    return typeof value === 'string'
      ? textKey(value, this.column.attribute.collation)
      : (value as number | boolean)
  }

  /** `uniqueKey` of the value that the column holds for a record. A text column stores the keys. */
  #keyAt(slot: number, value: StoredValue): string | number | boolean {
    return this.#textAt(slot) ?? (value as number | boolean)
  }

  /** The comparison key of the text that a record holds; null where it holds none. */
  #textAt(slot: number): string | null {
    const { column } = this
    if (column.layout === 'text') return column.keys[slot] ?? null
    return column.layout === 'word' && column.codes[slot] > 0
      ? column.dictionary.keys[column.codes[slot]]
      : null
  }

  /**
   * Rebuilds everything from the column for the given records (ascending). Takes the hash of unique
   * values where there is one. Cost: sorts.
   */
  build(slots: Int32Array, hashed: HashIndex | null = null): void {
    runSteps(this.buildSteps(slots, hashed))
  }
  /** The same in steps. The index answers nothing before the last one. */
  *buildSteps(slots: Int32Array, hashed: HashIndex | null = null): BuildSteps {
    const { column } = this
    if (this.ordered?.kind === 'number')
      yield* this.ordered.buildSteps(slots, numberKeys(column, slots))
    else if (this.ordered !== null) yield* this.ordered.buildSteps(slots)
    if (this.postings !== null) yield* this.#postingSteps(slots)
    this.beginnings?.forget()
    if (this.unique !== null && hashed !== null) this.unique.adopt(hashed)
    else if (this.unique !== null) {
      this.unique.clear()
      if (column.layout === 'text') this.unique.reserveTexts(slots.length)
      for (let i = 0; i < slots.length; i++) {
        const value = column.read(slots[i])
        if (value !== null) this.unique.set(this.#keyAt(slots[i], value), slots[i])
        if (i % STEP_ENTRIES === 0) yield
      }
    }
    if (this.words !== null) yield* this.words.buildSteps(slots, (slot) => column.read(slot))
  }

  /**
   * Takes over an order that was built for the values of the column as they are now: entries, or
   * the posting lists of words, whose order the dictionary has. Other parts stay.
   */
  takeOrder(built: OrderedEntries | PostingLists): void {
    this.needs = { ...this.needs, ordered: true }
    this.beginnings = null
    if (!(built instanceof PostingLists)) this.ordered = built
    else if (this.postings === null || this.column.attribute.relation === null)
      this.postings = built
  }

  /**
   * The list of a value that the column holds for a record. A word column stores its code, which
   * spares a look-up.
   */
  #listAt(slot: number, value: StoredValue): number {
    if (value === null) return 0
    return this.column.layout === 'word'
      ? this.column.codes[slot]
      : this.#listFor(value as string | number)
  }

  #listFor(value: string | number): number {
    if (this.lists === null) return (this.column as WordColumn).dictionary.find(value as string)
    const known = this.lists.find(value) + 1
    if (known !== 0) return known
    const list = this.#freeLists.pop() ?? this.#nextList++
    this.lists.set(value, list - 1)
    return list
  }

  *#postingSteps(slots: Int32Array): BuildSteps {
    const postings = this.postings as PostingLists
    const limit = slots.length === 0 ? 0 : slots[slots.length - 1] + 1
    const listOf = new Int32Array(limit).fill(-1)
    let lists: number
    if (this.column instanceof WordColumn) {
      const { codes } = this.column
      for (let i = 0; i < slots.length; i++) listOf[slots[i]] = codes[slots[i]]
      lists = this.column.dictionary.codeLimit
    } else {
      this.lists?.clear()
      this.#freeLists = []
      this.#nextList = 1
      for (let i = 0; i < slots.length; i++) {
        const value = this.column.read(slots[i])
        listOf[slots[i]] = value === null ? 0 : this.#listFor(value as string | number)
        if (i % STEP_ENTRIES === 0) yield
      }
      lists = this.#nextList
    }
    yield* postings.buildSteps(listOf, Math.max(lists, 1))
  }
}

/** `numberKey` of many records, by place. */
function numberKeys(column: Column, slots: Int32Array): Float64Array {
  const keys = new Float64Array(slots.length)
  if (!(column instanceof NumberColumn)) {
    for (let i = 0; i < slots.length; i++) keys[i] = numberKey(column, slots[i])
    return keys
  }
  const { data } = column
  const isInt = data instanceof Int32Array
  for (let i = 0; i < slots.length; i++) {
    const value = data[slots[i]]
    keys[i] =
      Number.isNaN(value) || (isInt && value === NULL_INT) ? Number.NEGATIVE_INFINITY : value
  }
  return keys
}

/** The key of a stored value in a number index; null is `-Infinity`. */
export function numberKeyOf(value: StoredValue): number {
  return value === null ? Number.NEGATIVE_INFINITY : Number(value)
}

/** The key a number or boolean column is indexed by; null is `-Infinity`. */
export function numberKey(column: Column, slot: number): number {
  if (column instanceof NumberColumn) {
    const value = column.data[slot]
    return !Number.isNaN(value) && (value !== NULL_INT || column.data instanceof Float64Array)
      ? value
      : Number.NEGATIVE_INFINITY
  }
  const value = column.layout === 'bool' ? column.data[slot] : 2
  return value === 2 ? Number.NEGATIVE_INFINITY : value
}

/** Block indexes over numbers and texts, the beginnings of unique texts, and words. */
export const INDEX_FACTORY: IndexFactory = {
  entriesOf: (column) =>
    column instanceof TextColumn ? new TextIndex((slot) => column.keys[slot]) : new NumberIndex(),
  beginningsOf: (column) => new TextBeginnings(column),
  wordsOf: ({ attribute }) => new WordIndex(attribute.collation),
}
