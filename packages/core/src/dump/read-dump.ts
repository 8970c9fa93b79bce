import type { EntiaError } from '../errors.ts'
import type { Catalog } from '../model/catalog.ts'
import { numberedAttributes } from '../model/names.ts'
import { MAX_STAMP, MAX_TIMESTAMP } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { TableLoad, tidyTable } from '../storage/table-load.ts'
import type { StoredValue } from '../value/types.ts'
import { DUMP_FORMAT, DUMP_VERSION, decodeValue, describeClass } from './dump.ts'
import { dumpError } from './dump-errors.ts'
import { checksum, joined, LINE_FEED, linesOf } from './line-writer.ts'
import { modelDifference } from './model-difference.ts'

/** The value of a sequence that has given out the highest safe integer. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER + 1

/** True if a sequence can have this value of a dump or journal. */
export const isSequence = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SEQUENCE

/**
 * Moves the sequences of tables beyond the numbers in their records. In a dump of a dataclass
 * without an automatic attribute the sequence never moved, and the option may have been added
 * since. Cost: O(data).
 */
export function adoptSequences(tables: readonly Table[]): void {
  for (const table of tables) {
    for (const { ordinal } of numberedAttributes(table.model)) {
      for (const slot of table.liveSlots()) {
        const number = table.read(slot, ordinal) as number | null
        if (number !== null && number >= table.sequence) table.sequence = number + 1
      }
    }
  }
}

/** A dump with a valid checksum, to be read with a matching catalog. */
export interface CheckedDump {
  /** The name of the dumped store. Throws `dumpInvalid` if it is missing. */
  readonly name: string
  readonly globalStamp: number
  /** Throws `dumpInvalid` for another version and another model. */
  checkModel(catalog: Catalog): void
  /**
   * Fills empty tables, by `ClassModel.ordinal`, with record numbers, stamps, timestamps, sequences
   * and values as they were. It can be called once. Throws `dumpInvalid` for another version,
   * another model, and data that contradicts the model.
   */
  readInto(tables: readonly Table[], catalog: Catalog, nextBirth: () => number): void
  /**
   * The same for a store that holds only some entities: relations may lead nowhere, and dataclasses
   * that are not as they were stay empty. Returns the tables in the order of the dump, null for
   * dataclasses that were left out.
   */
  readPart(tables: readonly Table[], nextBirth: () => number): readonly (Table | null)[]
}

/**
 * Checks the bytes of `dumpStore`, in any pieces. Cost: O(bytes). Throws `dumpInvalid` for bytes
 * that are damaged or not a dump.
 */
export function checkDump(bytes: Uint8Array | readonly Uint8Array[]): CheckedDump {
  const lines = linesOf(checkedContent(bytes instanceof Uint8Array ? [bytes] : bytes))
  const heading = nextObject(lines)
  return {
    get name() {
      const name = heading.get('store')
      if (typeof name !== 'string') throw invalid('the name of its store is missing.')
      return name
    },
    get globalStamp() {
      return wholeNumber(heading.get('globalStamp'), 0, 'its global stamp')
    },
    checkModel: (catalog) => checkHeading(heading, catalog),
    readInto: (tables, catalog, nextBirth) => {
      checkHeading(heading, catalog)
      readTables(tables, lines, nextBirth)
      checkRelations(tables)
    },
    readPart: (tables, nextBirth) => {
      checkVersion(heading)
      const dumped = sameClasses(heading.get('classes'), tables)
      readTables(dumped, lines, nextBirth)
      return dumped
    },
  }
}

/** How the heading of every dump begins. */
const DUMP_START = `{"format":"${DUMP_FORMAT}"`
const NO_DUMP = 'it is not a dump. Give the bytes that dump() or dumpToFile() wrote.'
const SEAL_LENGTH = '{"checksum":"01234567"}\n'.length

/** Checks the checksum in the last line and returns the bytes before that line. */
function checkedContent(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  if (!Array.isArray(pieces) || !pieces.every((piece) => piece instanceof Uint8Array))
    throw invalid(NO_DUMP)
  let length = 0
  for (const piece of pieces) length += piece.length
  const start = String.fromCharCode(...joined(between(pieces, 0, DUMP_START.length)))
  if (!DUMP_START.startsWith(start) || length === 0) throw invalid(NO_DUMP)
  if (pieces.findLast((piece) => piece.length > 0)?.at(-1) !== LINE_FEED)
    throw invalid('its end is missing.')
  const content = between(pieces, 0, length - SEAL_LENGTH)
  const seal = joined(between(pieces, length - SEAL_LENGTH, length))
  if (String.fromCharCode(...seal) !== `{"checksum":"${checksum(...content)}"}\n`)
    throw invalid('its checksum is wrong: it is damaged or cut off.')
  return content
}

/** A range of the bytes of all pieces. */
function between(pieces: readonly Uint8Array[], from: number, to: number): readonly Uint8Array[] {
  let at = 0
  return pieces.flatMap((piece) => {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at))
    at += piece.length
    return part.length === 0 ? [] : [part]
  })
}

function readTables(
  tables: readonly (Table | null)[],
  lines: Iterator<string>,
  nextBirth: () => number,
): void {
  for (const table of tables)
    if (table === null) skipTable(lines)
    else readTable(table, lines, nextBirth)
  if (lines.next().done !== true) throw invalid('there is something after the last dataclass.')
  const read = tables.filter((table) => table !== null)
  adoptSequences(read)
  for (const table of read) tidyTable(table)
}

function skipTable(lines: Iterator<string>): void {
  const count = wholeNumber(nextObject(lines).get('count'), 0, 'the count of a dataclass')
  for (let i = 0; i < count; i++) nextLine(lines)
}

/** The table of each dumped dataclass; null if the model has none whose columns are the same. */
function sameClasses(dumped: unknown, tables: readonly Table[]): readonly (Table | null)[] {
  if (!Array.isArray(dumped)) throw invalid('its model is malformed.')
  const byText = new Map(tables.map((table) => [JSON.stringify(describeClass(table.model)), table]))
  return dumped.map((each: unknown) => byText.get(JSON.stringify(each)) ?? null)
}

function checkHeading(heading: Fields, catalog: Catalog): void {
  checkVersion(heading)
  const difference = modelDifference(heading.get('classes'), catalog)
  if (difference !== null) throw dumpError('dumpInvalid', { problem: difference, remedy: MIGRATE })
}

function checkVersion(heading: Fields): void {
  if (heading.get('format') !== DUMP_FORMAT) throw invalid(NO_DUMP)
  const version = heading.get('version')
  if (version !== DUMP_VERSION)
    throw invalid(`its version is ${String(version)}, this program reads ${DUMP_VERSION}.`)
}

const MIGRATE =
  'Open it with the dataclasses that it was written with; docs/how-to/files.md shows how to load its entities into another model.'

function readTable(table: Table, lines: Iterator<string>, nextBirth: () => number): void {
  const { name, storage } = table.model
  const heading = nextObject(lines)
  if (heading.get('dataClass') !== name) throw invalid(`dataclass "${name}" is missing.`)
  const count = wholeNumber(heading.get('count'), 0, `the count of "${name}"`)
  const sequence = heading.get('sequence')
  if (!isSequence(sequence)) throw invalid(`the sequence of "${name}" is wrong.`)
  const slots: number[] = []
  const stamps: number[] = []
  const timestamps: number[] = []
  const columns: StoredValue[][] = storage.map(() => [])
  for (let i = 0; i < count; i++) {
    const line = nextLine(lines)
    if (!Array.isArray(line) || line.length !== storage.length + 3)
      throw invalid(`entity ${i + 1} of "${name}" is malformed.`)
    slots.push(wholeNumber(line[0], i === 0 ? 0 : slots[i - 1] + 1, `a record number of "${name}"`))
    stamps.push(wholeNumber(line[1], 1, `a stamp of "${name}"`, MAX_STAMP))
    timestamps.push(wholeNumber(line[2], -MAX_TIMESTAMP, `a timestamp of "${name}"`, MAX_TIMESTAMP))
    for (const attribute of storage)
      columns[attribute.ordinal].push(decodeValue(attribute, line[attribute.ordinal + 3]))
  }
  if (slots.length > 0 && slots[count - 1] > 2 ** 30)
    throw invalid(`the record numbers of "${name}" are too high.`)
  fill(table, slots, columns, nextBirth)
  for (let i = 0; i < slots.length; i++) {
    table.stamps[slots[i]] = stamps[i]
    table.timestamps[slots[i]] = timestamps[i]
  }
  table.sequence = sequence
}

function fill(
  table: Table,
  slots: readonly number[],
  columns: StoredValue[][],
  nextBirth: () => number,
): void {
  if (slots.length === 0) return
  const { name, storage, key } = table.model
  if (new Set(columns[key.ordinal]).size < slots.length)
    throw invalid(`a key of "${name}" is there twice.`)
  const load = new TableLoad(table, Int32Array.from(slots), columns)
  load.prepare()
  load.write(0, nextBirth)
  for (const attribute of storage) {
    const unique = table.indexes[attribute.ordinal]?.unique
    if (unique == null) continue
    let given = 0
    for (const value of columns[attribute.ordinal]) if (value !== null) given++
    if (unique.size < given)
      throw invalid(`a value of "${name}.${attribute.name}" is there twice, but must be unique.`)
  }
}

/** Throws `dumpInvalid` for a dangling relation. Cost: O(data). */
export function checkRelations(tables: readonly Table[]): void {
  for (const table of tables) {
    for (const { relation, ordinal } of table.model.storage) {
      if (relation === null) continue
      const target = tables[relation.target.ordinal]
      for (const slot of table.liveSlots()) {
        const key = table.read(slot, ordinal)
        if (key === null || target.findKey(key) >= 0) continue
        throw invalid(`a relation "${table.model.name}.${relation.name}" leads nowhere.`)
      }
    }
  }
}

type Fields = ReadonlyMap<string, unknown>

function nextLine(lines: Iterator<string>): unknown {
  const next = lines.next()
  if (next.done === true) throw invalid('its end is missing.')
  try {
    return JSON.parse(next.value) as unknown
  } catch (error) {
    throw dumpError('dumpInvalid', { problem: 'a line is not JSON.' }, { cause: error })
  }
}

function nextObject(lines: Iterator<string>): Fields {
  const line = nextLine(lines)
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw invalid('a heading is missing.')
  return new Map(Object.entries(line))
}

function wholeNumber(
  value: unknown,
  lowest: number,
  what: string,
  highest = Number.MAX_SAFE_INTEGER,
): number {
  if (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= lowest &&
    value <= highest
  )
    return value
  throw invalid(`${what} is wrong.`)
}

function invalid(problem: string): EntiaError {
  return dumpError('dumpInvalid', { problem })
}
