import { EntiaError } from '@entia/core'
import {
  coerceInput,
  createMedia,
  describeFound,
  foldText,
  isMedia,
  isWellFormed,
  Refusal,
  type StoredValue,
} from '@entia/core/internal'
import type { SqlValue } from '../connect/port.ts'
import type { SqlName } from '../sql-builder/sql.ts'
import type { SqlColumn, SqlTable } from './sql-model.ts'

/**
 * Bytes of a text that an index takes: PostgreSQL refuses an index entry above 2704 bytes, which
 * also holds the record number.
 */
const MAX_INDEXED_BYTES = 2600

/** The columns that an insertion or update writes for one attribute, in the order of `encode`. */
export function writtenColumns(column: SqlColumn): readonly SqlName[] {
  if (column.theirs !== null) return [column.name, column.theirs.name]
  if (column.mediaType !== null) return [column.name, column.mediaType]
  return column.key === column.name ? [column.name] : [column.name, column.key]
}

/** The columns that a read takes for one attribute, in the order of `decode`. */
export const readColumns = (column: SqlColumn): readonly SqlName[] =>
  column.mediaType === null ? [column.name] : [column.name, column.mediaType]

/** The PostgreSQL types of `writtenColumns`, for casts of parameters: `unnest($1::text[])`. */
export function writtenTypes(column: SqlColumn): readonly string[] {
  const types = OWN_TYPES[column.kind]
  return column.theirs === null ? types : [...types, column.theirs.type]
}

const OWN_TYPES: Readonly<Record<SqlColumn['kind'], readonly string[]>> = {
  bool: ['boolean'],
  integer: ['integer'],
  dateOnly: ['integer'],
  bigint: ['bigint'],
  date: ['bigint'],
  double: ['double precision'],
  folded: ['text', 'text'],
  exact: ['text'],
  uuid: ['text'],
  object: ['json', 'jsonb'],
  media: ['bytea', 'text'],
}
/** By their number. */
const NULLS: readonly (readonly null[])[] = [[], [null], [null, null], [null, null, null]]

/**
 * The values of `writtenColumns` for a stored value. Throws `valueInvalid` for a text that
 * PostgreSQL cannot store: one with U+0000 or a lone surrogate, or too long for its index; and for
 * a date that an existing column cannot hold. Cost: O(size).
 */
export function encode(column: SqlColumn, value: StoredValue): readonly SqlValue[] {
  const { kind } = column
  if (value === null) return NULLS[writtenTypes(column).length]!
  if (kind === 'media') {
    if (!isMedia(value)) throw new Error('A media column takes images and BLOBs only.')
    return [value.bytes(), value.mediaType]
  }
  if (kind === 'object') {
    const folded = foldJson(value, column)
    return [JSON.stringify(value), JSON.stringify(folded)]
  }
  if (typeof value === 'string') {
    checkText(column, value)
    const key = keyOf(column, value)
    checkIndexed(column, key, value)
    return kind === 'folded' ? [value, key] : withTheirs(column, value)
  }
  if (typeof value === 'object') throw new Error(`A column of kind "${kind}" takes no object.`)
  return withTheirs(column, value)
}

/** The value, and as their column has it. */
function withTheirs(column: SqlColumn, value: string | number | boolean): readonly SqlValue[] {
  if (column.theirs === null) return [value]
  if (typeof value !== 'number') return [value, value]
  const text = column.kind === 'dateOnly' ? dayText(value) : momentText(value)
  if (text === null) throw refused(column, 'a date after 4714-11-23 BC', value)
  return [value, text]
}

/**
 * The stored value of the cells of `readColumns`, of which the first is `row[at]`. Objects are
 * checked and frozen again, so that what others write into a table cannot reach a prototype. Cost:
 * O(size).
 */
export function decode(column: SqlColumn, row: readonly unknown[], at: number): StoredValue {
  const cell = row[at]
  if (cell === null) return null
  if (column.kind === 'media') return createMedia(String(row[at + 1]), cell as Uint8Array)
  if (column.kind === 'object') return decodeObject(column, JSON.parse(cell as string))
  return typeof cell === 'bigint' ? refuseUnsafe(column, cell) : (cell as StoredValue)
}

/** The stored value of JSON that was read, as `decode` gives it. */
export function decodeObject(column: SqlColumn, read: unknown): StoredValue {
  const { type, dateOnly } = column.attribute
  const value = coerceInput(type, dateOnly, read)
  if (value instanceof Refusal) throw refused(column, value.expected, read)
  return value as StoredValue
}

/** For a number beyond 2^53. */
export function refuseUnsafe(column: SqlColumn, found: unknown): never {
  throw refused(column, 'a safe whole number', found)
}

/** The text that filters and orders compare in place of a text of this column. */
export const keyOf = (column: SqlColumn, text: string): string =>
  column.kind === 'folded' || column.kind === 'object' ? foldText(text) : text

/** The stored values of a whole record, whose first cell is `row[at]`. */
export function decodeRecord(
  { columns }: SqlTable,
  row: readonly unknown[],
  at: number,
): readonly StoredValue[] {
  let from = at
  return columns.map((column) => {
    const value = decode(column, row, from)
    from += readColumns(column).length
    return value
  })
}

/** Every text folded; names of properties stay, as paths compare them exactly. */
function foldJson(value: unknown, column: SqlColumn): unknown {
  if (typeof value === 'string') {
    checkText(column, value)
    return foldText(value)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => foldJson(element, column))
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => {
      checkText(column, name)
      return [name, foldJson(property, column)]
    }),
  )
}

/** Throws `valueInvalid` for a text that PostgreSQL cannot store. */
function checkText(column: SqlColumn, text: string): void {
  if (text.includes('\0')) throw refused(column, 'text without U+0000', text)
  if (!isWellFormed(text)) throw refused(column, 'well-formed text', text)
}

/** `key` is what the index holds of the text. */
function checkIndexed(column: SqlColumn, key: string, text: string): void {
  const { attribute } = column
  const isIndexed =
    attribute.key || attribute.indexed || attribute.unique || attribute.relation !== null
  if (!isIndexed || key.length * 3 <= MAX_INDEXED_BYTES) return
  if (Buffer.byteLength(key) > MAX_INDEXED_BYTES)
    throw refused(column, `at most ${MAX_INDEXED_BYTES} bytes of text, because it is indexed`, text)
}

const refused = ({ attribute }: SqlColumn, expected: string, found: unknown): EntiaError =>
  new EntiaError('valueInvalid', {
    dataClass: attribute.owner.name,
    attribute: attribute.name,
    expected,
    found: describeFound(found),
  })

/** In milliseconds. */
const DAY = 86_400_000
/** The first moment of PostgreSQL's dates: day 0 of the Julian calendar. */
const FIRST = -2_440_588 * DAY

/**
 * A moment in milliseconds since 1970 as PostgreSQL reads it, exactly and in every time zone; null
 * before its first date.
 */
function momentText(milliseconds: number): string | null {
  if (milliseconds < FIRST) return null
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  const [day, time] = date.toISOString().slice(-20, -1).split('T')
  // ISO 8601 has a year 0, the calendar of PostgreSQL does not.
  return year > 0
    ? `${String(year).padStart(4, '0')}${day} ${time}+00`
    : `${String(1 - year).padStart(4, '0')}${day} ${time}+00 BC`
}

/** The same for a day since 1970-01-01: a cast to `date` ignores the time. */
const dayText = (day: number): string | null =>
  momentText(day * DAY)?.replace(/ [^B]*\+00/, '') ?? null
