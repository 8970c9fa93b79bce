import type { StorageAttribute } from '../model/catalog.ts'
import { textKey } from '../value/compare.ts'
import { DayTexts } from '../value/date.ts'
import type { StoredValue } from '../value/types.ts'
import { Dictionary } from './dictionary.ts'
import { lengthened } from './vector.ts'

/**
 * One vector per storage attribute, addressed by record number. `admit` prepares a value (grows,
 * codes) and may fail; `write` after it only stores. Slots never written, and slots of removed
 * records, read as null. `room` is the number of records that fit. `copy` returns a column with the
 * same values that shares nothing mutable; cost O(capacity).
 */
export type Column = NumberColumn | BoolColumn | WordColumn | TextColumn | BoxedColumn

/** Null in an `Int32Array` column. A column that has to store this number is widened to doubles. */
export const NULL_INT = -2147483648

/**
 * long, long64, number, date, duration: doubles (null is NaN), or 32-bit integers (null is
 * `NULL_INT`).
 */
export class NumberColumn {
  readonly layout = 'number'
  readonly attribute: StorageAttribute
  data: Float64Array | Int32Array
  /** False once a value with a fraction was written: sums then take the exact path. */
  isIntegral = true
  #dayTexts: DayTexts | null = null

  constructor(attribute: StorageAttribute) {
    this.attribute = attribute
    const isInt = attribute.type === 'long' || attribute.dateOnly
    this.data = isInt ? new Int32Array(0) : new Float64Array(0)
  }

  copy(): NumberColumn {
    const copied = new NumberColumn(this.attribute)
    copied.data = this.data.slice()
    copied.isIntegral = this.isIntegral
    return copied
  }

  /** Texts of the days in a column of calendar days; created when first needed. */
  get dayTexts(): DayTexts {
    return (this.#dayTexts ??= new DayTexts())
  }

  admit(value: StoredValue): void {
    if (this.data instanceof Int32Array && value !== null) {
      if (value === NULL_INT || (value as number) > 2147483647 || (value as number) < NULL_INT)
        this.#widen()
    }
  }
  read(slot: number): number | null {
    const value = this.data[slot]
    return this.data instanceof Int32Array
      ? value === NULL_INT
        ? null
        : value
      : Number.isNaN(value)
        ? null
        : value
  }
  write(slot: number, value: StoredValue): void {
    if (value === null) this.data[slot] = this.data instanceof Int32Array ? NULL_INT : Number.NaN
    else {
      this.data[slot] = value as number
      if (this.isIntegral && !Number.isInteger(value)) this.isIntegral = false
    }
  }
  /** Writes many admitted values, by place. NaN is null. */
  writeAll(slots: Int32Array, values: readonly StoredValue[] | Float64Array): void {
    const { data } = this
    const missing = data instanceof Int32Array ? NULL_INT : Number.NaN
    let { isIntegral } = this
    for (let i = 0; i < slots.length; i++) {
      const value = values[i] as number | null
      const isNull = value === null || Number.isNaN(value)
      data[slots[i]] = isNull ? missing : value
      if (isIntegral && !isNull && !Number.isInteger(value)) isIntegral = false
    }
    this.isIntegral = isIntegral
  }
  get room(): number {
    return this.data.length
  }
  reserve(capacity: number): void {
    const { length } = this.data
    this.data = lengthened(this.data, capacity)
    this.data.fill(this.data instanceof Int32Array ? NULL_INT : Number.NaN, length)
  }
  #widen(): void {
    const wide = new Float64Array(this.data.length)
    for (let i = 0; i < wide.length; i++)
      wide[i] = this.data[i] === NULL_INT ? Number.NaN : this.data[i]
    this.data = wide
  }
}

/** 0 false, 1 true, 2 null. */
export class BoolColumn {
  readonly layout = 'bool'
  readonly attribute: StorageAttribute
  data: Uint8Array = new Uint8Array(0)

  constructor(attribute: StorageAttribute) {
    this.attribute = attribute
  }
  copy(): BoolColumn {
    const copied = new BoolColumn(this.attribute)
    copied.data = this.data.slice()
    return copied
  }
  admit(_value: StoredValue): void {}
  read(slot: number): boolean | null {
    const value = this.data[slot]
    return value === 2 ? null : value === 1
  }
  write(slot: number, value: StoredValue): void {
    this.data[slot] = value === null ? 2 : value === true ? 1 : 0
  }
  get room(): number {
    return this.data.length
  }
  reserve(capacity: number): void {
    const { length } = this.data
    this.data = lengthened(this.data, capacity).fill(2, length)
  }
}

/**
 * The living words of a column in order, each key once. Kept, and updated by the words added and
 * removed since.
 */
export interface DistinctWords {
  /**
   * The table's version at creation: where several spellings share a key, any write may change
   * which one is shown.
   */
  readonly version: number
  readonly codes: number[]
  readonly values: string[]
}

/** Text with repeating words: a code per record into the dictionary; code 0 is null. */
export class WordColumn {
  readonly layout = 'word'
  readonly attribute: StorageAttribute
  readonly dictionary: Dictionary
  codes: Uint16Array | Uint32Array = new Uint16Array(0)
  /** The distinct values of all records; see `dictionary.changed`. */
  distinct: DistinctWords | null = null

  constructor(attribute: StorageAttribute) {
    this.attribute = attribute
    this.dictionary = new Dictionary(attribute.collation)
  }
  /**
   * A copy with its own dictionary, which has only the words of living records. They are not
   * counted yet.
   */
  copy(): WordColumn {
    const copied = new WordColumn(this.attribute)
    const { counts, codeLimit, spellings } = this.dictionary
    const codeOf = new Int32Array(codeLimit)
    for (let code = 1; code < codeLimit; code++)
      if (counts[code] > 0) codeOf[code] = copied.dictionary.admit(spellings[code])
    const codes = this.codes.slice()
    for (let slot = 0; slot < codes.length; slot++) codes[slot] = codeOf[codes[slot]]
    copied.codes = codes
    return copied
  }
  admit(value: StoredValue): void {
    this.codeFor(value as string | null)
  }
  /** The code of a text, which a new one gets, with room for it in `codes`. */
  codeFor(value: string | null): number {
    if (value === null) return 0
    const code = this.dictionary.admit(value)
    if (code > 65535 && this.codes instanceof Uint16Array) this.codes = Uint32Array.from(this.codes)
    return code
  }
  read(slot: number): string | null {
    const code = this.codes[slot]
    return code === 0 || code === undefined ? null : this.dictionary.spellings[code]
  }
  /** Stores the code. The table counts words by `hold` and `release`, for living records only. */
  write(slot: number, value: StoredValue): void {
    this.codes[slot] = value === null ? 0 : this.dictionary.find(value as string)
  }
  get room(): number {
    return this.codes.length
  }
  reserve(capacity: number): void {
    this.codes = lengthened(this.codes, capacity)
  }
}

/**
 * Text that seldom repeats: the spelling per record, and its comparison key where the two differ.
 */
export class TextColumn {
  readonly layout = 'text'
  readonly attribute: StorageAttribute
  readonly spellings: (string | null)[]
  /** Comparison key per record. The same array as the spellings until one differs from its key. */
  keys: (string | null)[]

  constructor(attribute: StorageAttribute, spellings: (string | null)[] = []) {
    this.attribute = attribute
    this.spellings = spellings
    this.keys = spellings
  }
  copy(): TextColumn {
    const copied = new TextColumn(this.attribute, this.spellings.slice())
    if (this.keys !== this.spellings) copied.keys = this.keys.slice()
    return copied
  }
  admit(_value: StoredValue): void {}
  read(slot: number): string | null {
    return this.spellings[slot] ?? null
  }
  write(slot: number, value: StoredValue): void {
    const text = value as string | null
    const key = text === null ? null : textKey(text, this.attribute.collation)
    if (this.keys === this.spellings && key !== text) this.keys = this.spellings.slice()
    this.spellings[slot] = text
    this.keys[slot] = key
  }
  get room(): number {
    return this.keys.length
  }
  reserve(capacity: number): void {
    for (const vector of this.keys === this.spellings ? [this.keys] : [this.keys, this.spellings]) {
      for (let i = vector.length; i < capacity; i++) vector.push(null)
    }
  }
}

/** Objects (deep-frozen JSON), images and BLOBs. */
export class BoxedColumn {
  readonly layout = 'boxed'
  readonly attribute: StorageAttribute
  readonly values: StoredValue[]

  constructor(attribute: StorageAttribute, values: StoredValue[] = []) {
    this.attribute = attribute
    this.values = values
  }
  copy(): BoxedColumn {
    return new BoxedColumn(this.attribute, this.values.slice())
  }
  admit(_value: StoredValue): void {}
  read(slot: number): StoredValue {
    return this.values[slot] ?? null
  }
  write(slot: number, value: StoredValue): void {
    this.values[slot] = value
  }
  get room(): number {
    return this.values.length
  }
  reserve(capacity: number): void {
    for (let i = this.values.length; i < capacity; i++) this.values.push(null)
  }
}

/**
 * The initial column of an attribute. Unique text and uuids get no dictionary, unless they are
 * foreign keys.
 */
export function createColumn(attribute: StorageAttribute): Column {
  switch (attribute.type) {
    case 'bool':
      return new BoolColumn(attribute)
    case 'string':
    case 'uuid':
      return attribute.relation === null &&
        (attribute.key || attribute.unique || attribute.type === 'uuid')
        ? new TextColumn(attribute)
        : new WordColumn(attribute)
    case 'object':
    case 'image':
    case 'blob':
      return new BoxedColumn(attribute)
    default:
      return new NumberColumn(attribute)
  }
}
