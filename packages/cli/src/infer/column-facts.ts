import { canonicalUuid } from '@entia/core/internal'
import { ColumnNames } from '../data/attribute-name.ts'
import { boolOf, numberOf } from '../data/convert-value.ts'
import { CsvBlock } from '../data/csv-block.ts'
import type { OnRead } from '../data/read-lines.ts'
import type { RecordSource } from '../data/read-records.ts'
import type { RecordBlock } from '../data/record-block.ts'
import { DistinctValues } from './distinct-values.ts'

/** Kinds of values. The kinds in a column, apart from nulls, decide its type. */
type Kind = 'long' | 'long64' | 'number' | 'bool' | 'day' | 'moment' | 'uuid' | 'text' | 'object'

/** Columns with more distinct values stop collecting them. */
const MAX_DISTINCT_VALUES = 5_000_000
/** Texts with a longer average are prose, which an index does not help. */
const MAX_INDEXED_LENGTH = 64

const day = /^\d{4}-\d\d-\d\d$/
const moment = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?$/

/** The text of a key: the same one for every spelling of a UUID. */
function textOf(value: unknown): string {
  const text = String(value)
  return canonicalUuid(text) ?? text
}

/** The facts about one column, from one pass over its values. */
export class ColumnFacts {
  readonly column: string
  /** The name of its attribute. */
  readonly name: string
  /** The number of rows with a value. */
  values = 0
  /** The total length of all texts. */
  #characters = 0
  /** True if the file writes every value as text, as CSV does. */
  readonly #isUntyped: boolean
  readonly #kinds = new Set<Kind>()
  /** The distinct values as texts; null if they are not needed, too many, or cannot be keys. */
  #distinct: DistinctValues | null

  /** `isKeyLike`: whether the column may be a key or a foreign key, by its name. */
  constructor(column: string, name: string, isUntyped: boolean, isKeyLike: boolean) {
    this.column = column
    this.name = name
    this.#isUntyped = isUntyped
    this.#distinct = isKeyLike ? new DistinctValues() : null
  }

  /** Adds the values of a column of a block. */
  addAll(block: RecordBlock, column: number): void {
    if (block instanceof CsvBlock)
      for (let row = 0; row < block.count; row++) this.#addCell(block, block.cellAt(row, column))
    else for (const value of block.values(column)) this.#add(value)
  }

  /** As `#add`, without a text where the facts need none. */
  #addCell(block: CsvBlock, cell: number): void {
    // A column with text is text, whatever else it holds.
    if (this.#distinct === null && this.#kinds.has('text')) {
      const length = block.lengthAt(cell)
      if (length < 0) return
      this.values++
      this.#characters += length
      return
    }
    const whole = block.wholeAt(cell)
    if (whole < 0) {
      this.#add(block.textAt(cell))
      return
    }
    this.values++
    this.#characters += block.lengthAt(cell)
    this.#kinds.add(kindOfNumber(whole))
    this.#distinct?.addWhole(whole)
    this.#boundDistinct()
  }

  #add(value: unknown): void {
    if (value === null || value === undefined) return
    this.values++
    if (typeof value === 'string') this.#characters += value.length
    if (!this.#kinds.has('text')) this.#kinds.add(kindOf(value, this.#isUntyped))
    if (this.#distinct === null) return
    if (typeof value === 'object') this.#distinct = null
    else this.#distinct.add(textOf(value))
    this.#boundDistinct()
  }

  #boundDistinct(): void {
    if (this.#distinct !== null && this.#distinct.size > MAX_DISTINCT_VALUES) this.#distinct = null
  }

  /** The attribute type, and whether dates are days. A column without values is text. */
  get type(): {
    readonly name: 'long' | 'long64' | 'number' | 'bool' | 'date' | 'uuid' | 'string' | 'object'
    readonly dateOnly: boolean
  } {
    const kinds = this.#kinds
    const isAmong = (...those: Kind[]): boolean => [...kinds].every((kind) => those.includes(kind))
    const name =
      kinds.size === 0
        ? 'string'
        : isAmong('long')
          ? 'long'
          : isAmong('long', 'long64')
            ? 'long64'
            : isAmong('long', 'long64', 'number')
              ? 'number'
              : isAmong('bool')
                ? 'bool'
                : isAmong('day', 'moment')
                  ? 'date'
                  : isAmong('uuid')
                    ? 'uuid'
                    : isAmong('object')
                      ? 'object'
                      : 'string'
    return { name, dateOnly: name === 'date' && !kinds.has('moment') }
  }

  /** True if no value occurs twice. */
  get isDistinct(): boolean {
    return this.#distinct !== null && this.#distinct.size === this.values
  }
  /** The distinct values, as texts. */
  get distinct(): DistinctValues | null {
    return this.#distinct
  }
  /** False for values that an index does not help. */
  get isIndexable(): boolean {
    const { name } = this.type
    if (name === 'object' || name === 'bool' || this.values === 0) return false
    return name !== 'string' || this.#characters <= MAX_INDEXED_LENGTH * this.values
  }
}

/**
 * The facts about all columns in file order, the number of rows, and remarks about names.
 * `isKeyLike` tells by its name whether an attribute may be a key or a foreign key.
 */
export async function columnFacts(
  { file, records }: RecordSource,
  isKeyLike: (attribute: string) => boolean,
  onRead?: OnRead,
): Promise<{
  readonly rows: number
  readonly columns: readonly ColumnFacts[]
  readonly remarks: readonly string[]
}> {
  const names = new ColumnNames()
  const columns = new Map<string, ColumnFacts>()
  const factsOf = (column: string, all: readonly string[]): ColumnFacts => {
    let facts = columns.get(column)
    if (facts === undefined) {
      names.learn(all)
      const name = names.of(column)
      facts = new ColumnFacts(column, name, file.format === 'csv', isKeyLike(name))
      columns.set(column, facts)
    }
    return facts
  }
  let rows = 0
  let known: readonly string[] = []
  let facts: readonly ColumnFacts[] = []
  for await (const block of records(onRead)) {
    rows += block.count
    if (block.names !== known) {
      known = block.names
      facts = known.map((column) => factsOf(column, known))
    }
    for (let at = 0; at < facts.length; at++) facts[at]!.addAll(block, at)
  }
  return { rows, columns: [...columns.values()], remarks: names.remarks }
}

function kindOf(value: unknown, isUntyped: boolean): Kind {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return kindOfNumber(value)
  if (typeof value !== 'string') return 'object'
  const first = value.charCodeAt(0)
  if (isUntyped) {
    if (BOOL_STARTS.has(first) && boolOf(value) !== null) return 'bool'
    // Postal codes and telephone numbers consist of digits but are not numbers.
    if (NUMBER_STARTS.has(first) && !/^-?0\d|\s$/.test(value)) {
      const number = numberOf(value)
      if (
        number !== null &&
        Number.isFinite(number) &&
        (!Number.isInteger(number) || Number.isSafeInteger(number))
      )
        return kindOfNumber(number)
    }
  }
  if (!HEX_STARTS.has(first)) return 'text'
  if (value.length === 10 && day.test(value)) return isDay(value) ? 'day' : 'text'
  if (moment.test(value)) return isMoment(value) ? 'moment' : 'text'
  return canonicalUuid(value) === null ? 'text' : 'uuid'
}

const codes = (text: string): ReadonlySet<number> =>
  new Set([...text].map((character) => character.charCodeAt(0)))
/** The characters that values of a kind can begin with: most texts need no further test. */
const BOOL_STARTS = codes('tTfF ')
const NUMBER_STARTS = codes('-.0123456789')
const HEX_STARTS = codes('0123456789abcdefABCDEF')

function kindOfNumber(value: number): Kind {
  if (!Number.isSafeInteger(value)) return 'number'
  return Math.abs(value) < 2 ** 31 ? 'long' : 'long64'
}

/** Rejects days outside the calendar, such as 30 February, which Date would roll over. */
function isDay(text: string): boolean {
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8, 10))
  if (month < 1 || month > 12 || day < 1) return false
  if (day <= 28) return true
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 && isLeap ? 29 : DAYS[month - 1]!)
}

const DAYS: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The store takes no hour 24, unlike Date. */
const isMoment = (text: string): boolean =>
  isDay(text) &&
  !text.startsWith('24', 11) &&
  !Number.isNaN(Date.parse(text.replace(' ', 'T').replace(',', '.')))
