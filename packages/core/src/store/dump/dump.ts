import type { EntiaError } from '../../errors.ts'
import type { Catalog, ClassModel, StorageAttribute } from '../../model/catalog.ts'
import type { Table } from '../../storage/table.ts'
import { Refusal } from '../../value/check-options.ts'
import { coerceInput } from '../../value/coerce.ts'
import { createMedia, isMediaType, type StoredValue } from '../../value/types.ts'
import { dumpError, joined, LineWriter } from './line-writer.ts'
import { StoreMoment } from './store-moment.ts'

/**
 * The form of a dump: lines of JSON in UTF-8, each ended by a line feed.
 *
 *     {"format":"entia","version":1,"store":…,"globalStamp":…,"classes":[…]}     the model, as far as values depend on it
 *     {"dataClass":…,"sequence":…,"count":…}                                     per dataclass, in catalog order
 *     [recordNumber,stamp,timestamp,value,…]                                     per entity, in record order
 *     {"checksum":…}                                                             CRC-32 of everything before this line
 */
export const DUMP_FORMAT = 'entia'
export const DUMP_VERSION = 1

/**
 * The canonical bytes of a store. Equal states give equal bytes: indexes, dictionaries and the
 * order of earlier writes do not matter. Cost: O(data).
 */
export function dumpStore(
  catalog: Catalog,
  tables: readonly Table[],
  globalStamp: number,
): Uint8Array {
  return joined([...dumpPieces(catalog, new StoreMoment(tables, globalStamp))])
}

/**
 * The same in pieces of about `pieceLength` characters. Commits may happen between two pieces if
 * `moment` notes them.
 */
export function* dumpPieces(
  catalog: Catalog,
  moment: StoreMoment,
  pieceLength?: number,
): Generator<Uint8Array, void> {
  const writer = new LineWriter(pieceLength)
  yield* writer.line({
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    store: catalog.name,
    globalStamp: moment.globalStamp,
    classes: catalog.classes.map(describeClass),
  })
  for (const one of moment.tables) {
    yield* writer.line({
      dataClass: one.table.model.name,
      sequence: one.sequence,
      count: one.count,
    })
    for (const { slot, stamp, timestamp, values } of one.records())
      yield* writer.record([slot, stamp, timestamp], values, true)
  }
  yield* writer.rest()
  yield* writer.line({ checksum: writer.checksum })
  yield* writer.rest()
}

/** A dataclass in the heading of a dump, with its columns in order. */
export interface DumpedClass {
  readonly name: string
  readonly columns: readonly DumpedColumn[]
}
interface DumpedColumn {
  readonly name: string
  readonly type: string
  readonly key?: boolean
  readonly dateOnly?: boolean
  /** The target dataclass of a relation. */
  readonly relatedTo?: string
}

/**
 * The part of the model that stored values depend on. A dump opens only if it is the same; rules
 * and indexes may differ.
 */
export function describeClass(model: ClassModel): DumpedClass {
  return {
    name: model.name,
    columns: model.storage.map((attribute) => ({
      name: attribute.name,
      type: attribute.type,
      ...(attribute.key ? { key: true } : {}),
      ...(attribute.dateOnly ? { dateOnly: true } : {}),
      ...(attribute.relation === null ? {} : { relatedTo: attribute.relation.target.name }),
    })),
  }
}

/** The value of a sequence that has given out the highest safe integer. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER + 1

/** True if a sequence can have this value of a dump or journal. */
export const isSequence = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SEQUENCE

/** The largest distance of a date from 1970-01-01, in days. */
const LAST_DAY = 100_000_000

/**
 * Converts a value of a dump to the stored value. Throws `dumpInvalid` if the attribute cannot have
 * it.
 */
export function decodeValue(attribute: StorageAttribute, value: unknown): StoredValue {
  if (value === null) {
    if (attribute.key) throw invalid(attribute)
    return null
  }
  if (attribute.type === 'image' || attribute.type === 'blob') return decodeMedia(attribute, value)
  // Dates are stored as numbers (of days for `dateOnly`), not in the form in which callers give
  // them.
  if (attribute.type === 'date' && attribute.dateOnly) {
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LAST_DAY)
      return value
    throw invalid(attribute)
  }
  if (typeof value === 'string' && attribute.type !== 'string' && attribute.type !== 'uuid')
    throw invalid(attribute)
  const stored = coerceInput(attribute.type, attribute.dateOnly, value)
  if (stored instanceof Refusal || (typeof value !== 'object' && stored !== value))
    throw invalid(attribute)
  return stored
}

function decodeMedia(attribute: StorageAttribute, value: unknown): StoredValue {
  if (!Array.isArray(value) || value.length !== 2) throw invalid(attribute)
  const [mediaType, base64]: unknown[] = value
  if (typeof mediaType !== 'string' || !isMediaType(mediaType) || typeof base64 !== 'string')
    throw invalid(attribute)
  try {
    return createMedia(mediaType, bytesOf(base64))
  } catch (error) {
    throw invalid(attribute, { cause: error })
  }
}

/** Characters of base64 that are decoded in one step: a multiple of 4. */
const GROUPS = 4 * 65_536

function bytesOf(base64: string): Uint8Array {
  const all = new Uint8Array(Math.ceil((base64.length * 3) / 4))
  let length = 0
  for (let from = 0; from < base64.length; from += GROUPS) {
    const binary = atob(base64.slice(from, from + GROUPS))
    for (let i = 0; i < binary.length; i++) all[length++] = binary.charCodeAt(i)
  }
  return all.subarray(0, length)
}

function invalid({ owner, name, type }: StorageAttribute, options?: ErrorOptions): EntiaError {
  const problem = `a value of "${owner.name}.${name}" is not a ${type}.`
  return dumpError('dumpInvalid', { problem }, options)
}

/**
 * The first difference between the dataclasses of a dump and those of a model, as a sentence. Null
 * if the dump can be opened.
 */
export function modelDifference(dumped: unknown, catalog: Catalog): string | null {
  const wanted = catalog.classes.map(describeClass)
  if (JSON.stringify(dumped) === JSON.stringify(wanted)) return null
  if (!Array.isArray(dumped) || !dumped.every(isDumpedClass)) return 'its model is malformed.'
  return (
    namesDiffer('dataclass', dumped, wanted, (name) => `"${name}"`) ??
    firstOf(wanted, (one, i) => classDiffers(dumped[i], one)) ??
    'its model is another one.'
  )
}

function classDiffers(
  { columns: dumped }: DumpedClass,
  { name, columns: wanted }: DumpedClass,
): string | null {
  return (
    namesDiffer('attribute', dumped, wanted, (attribute) => `"${name}.${attribute}"`) ??
    firstOf(wanted, (column, i) => {
      const before = describeColumn(dumped[i])
      const now = describeColumn(column)
      return before === now
        ? null
        : `attribute "${name}.${column.name}" is ${before} in it, and ${now} in the model.`
    })
  )
}

type Named = { readonly name: string }

function namesDiffer(
  what: 'attribute' | 'dataclass',
  dumped: readonly Named[],
  wanted: readonly Named[],
  quoted: (name: string) => string,
): string | null {
  const missing = without(wanted, dumped)
  const extra = without(dumped, wanted)
  if (missing.length > 0) {
    const instead =
      extra.length === 0 ? '' : `, which has ${extra.map(quoted).join(', ')} that the model lacks`
    return `${what} ${quoted(missing[0])} of the model is not in it${instead}.`
  }
  if (extra.length > 0) return `it has ${what} ${quoted(extra[0])}, which the model lacks.`
  const at = wanted.findIndex(({ name }, i) => dumped[i]?.name !== name)
  if (at < 0) return null
  return `it has ${what} ${quoted(dumped[at].name)} where the model has ${quoted(wanted[at].name)}: their order must be the same.`
}

const without = (these: readonly Named[], those: readonly Named[]): readonly string[] =>
  these.flatMap(({ name }) => (those.some((other) => other.name === name) ? [] : [name]))

function firstOf<T>(
  list: readonly T[],
  problemOf: (item: T, i: number) => string | null,
): string | null {
  for (const [i, item] of list.entries()) {
    const problem = problemOf(item, i)
    if (problem !== null) return problem
  }
  return null
}

function describeColumn({ type, key, dateOnly, relatedTo }: DumpedColumn): string {
  const more = [
    ...(key === true ? ['the key'] : []),
    ...(dateOnly === true ? ['dateOnly'] : []),
    ...(relatedTo === undefined ? [] : [`a relation to "${relatedTo}"`]),
  ]
  return more.length === 0 ? type : `${type} (${more.join(', ')})`
}

export const isDumpedClass = (value: unknown): value is DumpedClass =>
  isNamed(value) &&
  'columns' in value &&
  Array.isArray(value.columns) &&
  value.columns.every(isNamed)

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
