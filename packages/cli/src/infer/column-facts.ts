import { ColumnNames } from '../data/attribute-name.ts'
import { boolOf, numberOf } from '../data/convert-value.ts'
import type { RecordSource } from '../data/read-records.ts'

/** Kinds of values. The kinds in a column, apart from nulls, decide its type. */
type Kind = 'long' | 'long64' | 'number' | 'bool' | 'day' | 'moment' | 'uuid' | 'text' | 'object'

/** Columns with more distinct values stop collecting them. */
const MAX_DISTINCT_VALUES = 5_000_000
/** Texts with a longer average are prose, which an index does not help. */
const MAX_INDEXED_LENGTH = 64

const day = /^\d{4}-\d\d-\d\d$/
const moment = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?$/
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

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
  /** The distinct values as texts; null if there are too many, or if a value cannot be a key. */
  #distinct: Set<string> | null = new Set()

  constructor(column: string, name: string, isUntyped: boolean) {
    this.column = column
    this.name = name
    this.#isUntyped = isUntyped
  }

  add(value: unknown): void {
    if (value === null || value === undefined) return
    this.values++
    this.#kinds.add(kindOf(value, this.#isUntyped))
    if (typeof value === 'string') this.#characters += value.length
    if (typeof value === 'object') this.#distinct = null
    this.#distinct?.add(String(value))
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
  get distinct(): ReadonlySet<string> | null {
    return this.#distinct
  }
  /** False for values that an index does not help. */
  get isIndexable(): boolean {
    const { name } = this.type
    if (name === 'object' || name === 'bool' || this.values === 0) return false
    return name !== 'string' || this.#characters <= MAX_INDEXED_LENGTH * this.values
  }
}

/** The facts about all columns in file order, the number of rows, and remarks about names. */
export async function columnFacts({ file, records }: RecordSource): Promise<{
  readonly rows: number
  readonly columns: readonly ColumnFacts[]
  readonly remarks: readonly string[]
}> {
  const names = new ColumnNames()
  const columns = new Map<string, ColumnFacts>()
  let rows = 0
  for await (const record of records()) {
    rows++
    for (const [column, value] of Object.entries(record)) {
      let facts = columns.get(column)
      if (facts === undefined) {
        names.learn(Object.keys(record))
        facts = new ColumnFacts(column, names.of(column), file.format === 'csv')
        columns.set(column, facts)
      }
      facts.add(value)
    }
  }
  return { rows, columns: [...columns.values()], remarks: names.remarks }
}

function kindOf(value: unknown, isUntyped: boolean): Kind {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return kindOfNumber(value)
  if (typeof value !== 'string') return 'object'
  if (isUntyped && boolOf(value) !== null) return 'bool'
  // Postal codes and telephone numbers consist of digits but are not numbers.
  if (isUntyped && !/^[+]|^-?0\d|^\s|\s$/.test(value)) {
    const number = numberOf(value)
    if (
      number !== null &&
      Number.isFinite(number) &&
      (!Number.isInteger(number) || Number.isSafeInteger(number))
    )
      return kindOfNumber(number)
  }
  if (day.test(value)) return isDate(value) ? 'day' : 'text'
  if (moment.test(value))
    return isDate(value.replace(' ', 'T').replace(',', '.')) ? 'moment' : 'text'
  return uuid.test(value) ? 'uuid' : 'text'
}

function kindOfNumber(value: number): Kind {
  if (!Number.isSafeInteger(value)) return 'number'
  return Math.abs(value) < 2 ** 31 ? 'long' : 'long64'
}

/** Rejects days outside the calendar, such as 30 February, which Date would roll over. */
function isDate(text: string): boolean {
  const day = text.slice(0, 10)
  return !Number.isNaN(Date.parse(text)) && new Date(day).toISOString().startsWith(day)
}
