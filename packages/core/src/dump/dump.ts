import type { EntiaError } from '../errors.ts'
import type { Catalog, ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import { createMedia, isMediaType } from '../value/media.ts'
import type { StoredValue } from '../value/types.ts'
import { dumpError } from './dump-errors.ts'
import { joined, LineWriter } from './line-writer.ts'
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
export interface DumpedColumn {
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
    throw dumpError('dumpInvalid', { problem: problemOf(attribute) }, { cause: error })
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

function invalid(attribute: StorageAttribute): EntiaError {
  return dumpError('dumpInvalid', { problem: problemOf(attribute) })
}

function problemOf({ owner, name, type }: StorageAttribute): string {
  return `a value of "${owner.name}.${name}" is not a ${type}.`
}
