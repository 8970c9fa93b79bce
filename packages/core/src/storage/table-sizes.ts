import { isMedia } from '../value/types.ts'
import {
  BYTES_PER_DOUBLE,
  BYTES_PER_MEDIA,
  BYTES_PER_REFERENCE,
  BYTES_PER_TEXT,
  bytesAsJson,
  exactBytesOfText,
  mostBytesOfText,
  NUMBER_LENGTH,
} from '../value/value-size.ts'
import { type Change, touchedBy, WHOLE } from './change-list.ts'
import { type Column, WordColumn } from './column.ts'
import { storageError } from './stored-key.ts'
import type { Table } from './table.ts'

// The bytes of tables, for reports, and the bounds of entities and commits.

/** An object or array without its contents. */
const BYTES_PER_CONTAINER = 40

/** Memory of one attribute, in bytes. */
export interface AttributeSize {
  readonly name: string
  /** The values. */
  readonly bytes: number
  /** Its indexes, that of keys included; null without one. */
  readonly index: number | null
  /** What `indexed: true` would take; null for an indexed attribute and one that cannot be. */
  readonly proposal: IndexProposal | null
}

/** An estimate of an index that is not there. */
export interface IndexProposal {
  readonly bytes: number
  /** To build it, once. */
  readonly milliseconds: number
}

/** Memory of one dataclass, in bytes. */
export interface TableSizes {
  readonly dataClass: string
  readonly entities: number
  /** All of it. */
  readonly bytes: number
  /** Stamps, times and numbers of records, and cached texts of answers. */
  readonly other: number
  readonly attributes: readonly AttributeSize[]
}

/**
 * The memory of a table, in about the sizes of a 64-bit heap. Texts and objects are estimated from
 * a sample. Cost: O(attributes), however many records.
 */
export function tableSizes(table: Table): TableSizes {
  const attributes = table.model.storage.map(({ name, ordinal, key }) => {
    const column = table.columns[ordinal]
    const own = table.indexes[ordinal]
    const ofKeys = key ? table.keys.bytes : 0
    return {
      name,
      bytes: Math.round(columnBytes(column, table)),
      index: own === null && !key ? null : (own?.bytes ?? 0) + ofKeys,
      proposal: key || own?.isOrdered === true ? null : proposalFor(column, table),
    }
  })
  const { stamps, timestamps, births, live, rowCache } = table
  const other =
    stamps.byteLength +
    timestamps.byteLength +
    births.byteLength +
    live.byteLength +
    2 * (rowCache?.characters ?? 0)
  const bytes = attributes.reduce((sum, { bytes, index }) => sum + bytes + (index ?? 0), other)
  return { dataClass: table.model.name, entities: table.liveCount, bytes, other, attributes }
}

/** Values that are measured of a column of texts or objects. */
const SAMPLE = 2000

function columnBytes(column: Column, table: Table): number {
  switch (column.layout) {
    case 'number':
    case 'bool':
      return column.data.byteLength
    case 'word':
      return column.codes.byteLength + column.dictionary.bytes.words
    case 'text': {
      const { keys, spellings } = column
      const hasKeys = keys !== spellings
      const places = spellings.length * BYTES_PER_REFERENCE * (hasKeys ? 2 : 1)
      const texts = sampled(table, (slot) => {
        const text = spellings[slot] ?? null
        if (text === null) return 0
        const copies = hasKeys && keys[slot] !== text ? 2 : 1
        return copies * (BYTES_PER_TEXT + text.length)
      })
      return places + texts
    }
    case 'boxed':
      return (
        column.values.length * BYTES_PER_REFERENCE +
        sampled(table, (slot) => jsonBytes(column.values[slot]))
      )
  }
}

/** A value with its parts. Objects with the same names share their description. */
function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_TEXT + value.length
  if (typeof value === 'number') return (value | 0) === value ? 0 : BYTES_PER_DOUBLE
  if (typeof value !== 'object' || value === null) return 0
  if (isMedia(value)) return BYTES_PER_MEDIA + value.size
  return Object.values(value).reduce(
    (sum, part) => sum + BYTES_PER_REFERENCE + jsonBytes(part),
    BYTES_PER_CONTAINER,
  )
}

/** The sum over all records, from evenly spaced ones. */
function sampled(table: Table, bytesOf: (slot: number) => number): number {
  const step = Math.max(1, Math.ceil(table.length / SAMPLE))
  let count = 0
  let bytes = 0
  for (let slot = 0; slot < table.length; slot += step) {
    if (!table.isLive(slot)) continue
    count++
    bytes += bytesOf(slot)
  }
  return count === 0 ? 0 : (bytes / count) * table.liveCount
}

/** A record in a block that is three quarters full: its number, and beside numbers its key. */
const BYTES_PER_TEXT_ENTRY = 4 / 0.75
const BYTES_PER_NUMBER_ENTRY = 12 / 0.75
/** A word: its label, its place in the order, and the three numbers of its list. */
const BYTES_PER_WORD = 8 + 4 / 0.75 + 12

// Measured for a million records on two busy cores, by `createIndex`.
const NANOSECONDS_PER_NUMBER = 1100
const NANOSECONDS_PER_TEXT = 2300
const NANOSECONDS_PER_CODE = 70
const NANOSECONDS_PER_WORD = 2200

function proposalFor(column: Column, { liveCount }: Table): IndexProposal | null {
  if (column.layout === 'boxed') return null
  const words = column instanceof WordColumn ? column.dictionary.size : 0
  const [bytes, nanoseconds] =
    column.layout === 'word'
      ? [
          4 * liveCount + words * BYTES_PER_WORD,
          liveCount * NANOSECONDS_PER_CODE + words * NANOSECONDS_PER_WORD,
        ]
      : column.layout === 'text'
        ? [liveCount * BYTES_PER_TEXT_ENTRY, liveCount * NANOSECONDS_PER_TEXT]
        : [liveCount * BYTES_PER_NUMBER_ENTRY, liveCount * NANOSECONDS_PER_NUMBER]
  return { bytes: Math.round(bytes), milliseconds: nanoseconds / 1e6 }
}

/**
 * Updates that write at most so many bytes are not measured: in all columns together they cannot
 * double an entity.
 */
const UNMEASURED_UPDATE_BYTES = 65_536

/** Bytes of a record in a dump without its values of variable length. */
const RECORD_BYTES = 80
const VALUE_BYTES = 26

/**
 * Throws `entityTooLarge` and `commitTooLarge` for changes that are written to their tables but not
 * committed. Reads only columns with values of variable length, and measures their text only where
 * there is much of it.
 */
export function checkSizes(changes: readonly Change[]): void {
  let most = 0
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i]
    if (change.kind === 'insert') most += checkRecord(change.table, change.slot)
    else if (change.kind === 'load')
      for (const slot of change.slots) most += checkRecord(change.table, slot)
    else if (change.kind === 'remove') most += RECORD_BYTES
    else {
      const { table, slot, ordinals } = change
      const { columns, sizes } = table
      let written = RECORD_BYTES
      for (let at = 0; at < ordinals.length; at++) {
        const value = columns[ordinals[at]].read(slot)
        written += typeof value === 'number' ? NUMBER_LENGTH : bytesAsJson(value, mostBytesOfText)
      }
      if (written > UNMEASURED_UPDATE_BYTES || written * columns.length > sizes.entityBytes)
        checkRecord(table, slot)
      most += written
    }
  }
  if (changes.length > 0 && most > changes[0].table.sizes.commitBytes) checkExactly(changes)
}

/** Returns an upper bound of its bytes. */
function checkRecord(table: Table, slot: number): number {
  const { sized, columns } = table
  let most = RECORD_BYTES + columns.length * VALUE_BYTES
  for (let i = 0; i < sized.length; i++)
    most += bytesAsJson(columns[sized[i]].read(slot), mostBytesOfText)
  if (most > table.sizes.entityBytes) refuseLarge(table, slot)
  return most
}

function refuseLarge(table: Table, slot: number): void {
  const { model, sizes } = table
  // A later change of the same commit may have removed it.
  if (!table.isLive(slot)) return
  const bytes = exactRecord(table, slot)
  if (bytes <= sizes.entityBytes) return
  const key = String(table.read(slot, model.key.ordinal)).slice(0, 100)
  throw storageError('entityTooLarge', {
    dataClass: model.name,
    key,
    bytes,
    limit: sizes.entityBytes,
  })
}

function exactRecord(table: Table, slot: number): number {
  return (
    RECORD_BYTES +
    table.columns.reduce(
      (bytes, column) => bytes + bytesAsJson(column.read(slot), exactBytesOfText),
      0,
    )
  )
}

function checkExactly(changes: readonly Change[]): void {
  const limit = changes[0].table.sizes.commitBytes
  let bytes = 0
  for (const [table, touched] of touchedBy(changes)) {
    for (const [slot, columns] of touched) {
      if (!table.isLive(slot)) bytes += RECORD_BYTES
      else if (columns === WHOLE) bytes += exactRecord(table, slot)
      else
        for (const ordinal of columns)
          bytes += bytesAsJson(table.read(slot, ordinal), exactBytesOfText)
    }
  }
  if (bytes > limit) throw storageError('commitTooLarge', { bytes, limit })
}
