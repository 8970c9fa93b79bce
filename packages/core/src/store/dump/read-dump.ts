import type { EntiaError } from '../../errors.ts'
import { defineDataClass } from '../../model/attribute.ts'
import { buildCatalog } from '../../model/build-catalog.ts'
import type { Catalog, ClassModel } from '../../model/catalog.ts'
import type { AttributeDefinitions } from '../../model/definition.ts'
import { numberedAttributes } from '../../model/names.ts'
import { MAX_STAMP, MAX_TIMESTAMP } from '../../storage/stored-key.ts'
import { Table } from '../../storage/table.ts'
import { FEW_ROWS, tidyTable } from '../../storage/table-load.ts'
import type { StoredValue } from '../../value/types.ts'
import {
  DUMP_FORMAT,
  DUMP_VERSION,
  type DumpedClass,
  decodeValue,
  describeClass,
  isDumpedClass,
  isSequence,
  modelDifference,
} from './dump.ts'
import { enterColumns } from './journal-record.ts'
import { Checksum, dumpError, joined, LINE_FEED, linesOf } from './line-writer.ts'

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

/**
 * The bytes of `dumpStore` with a valid checksum, in any pieces, to be read with a matching
 * catalog. Goes through them when it is created, and once more in `readInto` or `readPart`.
 */
export class CheckedDump {
  /** The number of bytes. */
  readonly length: number
  readonly #lines: Iterator<string>
  readonly #heading: Fields

  /** Cost: O(bytes). Throws `dumpInvalid` for bytes that are damaged or not a dump. */
  constructor(bytes: Uint8Array | Iterable<Uint8Array>) {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes
    this.length = checkedLength(pieces)
    this.#lines = linesOf(upTo(pieces, this.length - SEAL_LENGTH))
    this.#heading = nextObject(this.#lines)
  }

  /** The name of the dumped store. Throws `dumpInvalid` if it is missing. */
  get name(): string {
    const name = this.#heading.get('store')
    if (typeof name !== 'string') throw invalid('the name of its store is missing.')
    return name
  }
  get globalStamp(): number {
    return wholeNumber(this.#heading.get('globalStamp'), 0, 'its global stamp')
  }

  /** Throws `dumpInvalid` for another version and another model. */
  checkModel(catalog: Catalog): void {
    checkHeading(this.#heading, catalog)
  }
  /**
   * Fills empty tables, by `ClassModel.ordinal`, with record numbers, stamps, timestamps, sequences
   * and values as they were. It can be called once. Throws `dumpInvalid` for another version,
   * another model, and data that contradicts the model, except in unique values: commits after the
   * dump may end that, and then `checkUnique` is called.
   */
  readInto(tables: readonly Table[], catalog: Catalog, nextBirth: () => number): void {
    checkHeading(this.#heading, catalog)
    readTables(tables, this.#lines, this.length, nextBirth)
    checkRelations(tables)
  }
  /**
   * The same for a store that holds only some entities: relations may lead nowhere, and dataclasses
   * that are not as they were stay empty. Returns the tables in the order of the dump, null for
   * dataclasses that were left out. Those of `onlyCopies` are never left out: they get a table of
   * their own, for `convertTable`.
   */
  readPart(
    tables: readonly Table[],
    onlyCopies: ReadonlySet<string>,
    nextBirth: () => number,
  ): readonly (Table | null)[] {
    checkVersion(this.#heading)
    const dumped = sameClasses(this.#heading.get('classes'), tables, onlyCopies)
    readTables(dumped, this.#lines, this.length, nextBirth)
    return dumped
  }
}

/** How the heading of every dump begins. */
const DUMP_START = `{"format":"${DUMP_FORMAT}"`
const NO_DUMP = 'it is not a dump. Give the bytes that dump() or dumpToFile() wrote.'
const SEAL_LENGTH = '{"checksum":"01234567"}\n'.length

/** Checks the checksum in the last line. Returns the number of bytes. */
function checkedLength(pieces: Iterable<Uint8Array>): number {
  const isIterable = typeof pieces === 'object' && pieces !== null && Symbol.iterator in pieces
  if (!isIterable) throw invalid(NO_DUMP)
  const sum = new Checksum()
  /** The bytes that may belong to the last line. */
  let rest = new Uint8Array(0)
  let start = ''
  let length = 0
  for (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) throw invalid(NO_DUMP)
    if (start.length < DUMP_START.length)
      start += String.fromCharCode(...piece.subarray(0, DUMP_START.length - start.length))
    length += piece.length
    const isLong = piece.length > SEAL_LENGTH
    if (isLong) sum.add(rest)
    const tail = isLong ? piece : joined([rest, piece])
    const end = Math.max(0, tail.length - SEAL_LENGTH)
    sum.add(tail.subarray(0, end))
    rest = tail.slice(end)
  }
  if (!DUMP_START.startsWith(start) || length === 0) throw invalid(NO_DUMP)
  if (rest.at(-1) !== LINE_FEED) throw invalid('its end is missing.')
  if (String.fromCharCode(...rest) !== `{"checksum":"${sum.digits}"}\n`)
    throw invalid('its checksum is wrong: it is damaged or cut off.')
  return length
}

/** The first bytes of all pieces. */
function* upTo(pieces: Iterable<Uint8Array>, end: number): Generator<Uint8Array, undefined> {
  let at = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, Math.max(0, end - at))
    at += piece.length
    if (part.length > 0) yield part
  }
}

function readTables(
  tables: readonly (Table | null)[],
  lines: Iterator<string>,
  length: number,
  nextBirth: () => number,
): void {
  for (const table of tables)
    if (table === null) skipTable(lines)
    else readTable(table, lines, length, nextBirth)
  if (lines.next().done !== true) throw invalid('there is something after the last dataclass.')
  const read = tables.filter((table) => table !== null)
  adoptSequences(read)
  for (const table of read) tidyTable(table)
}

function skipTable(lines: Iterator<string>): void {
  const count = wholeNumber(nextObject(lines).get('count'), 0, 'the count of a dataclass')
  for (let i = 0; i < count; i++) nextLine(lines)
}

/**
 * The table of each dumped dataclass. If the model has none whose columns are the same, one with
 * the dumped columns for `onlyCopies`, and null for others.
 */
function sameClasses(
  dumped: unknown,
  tables: readonly Table[],
  onlyCopies: ReadonlySet<string>,
): readonly (Table | null)[] {
  if (!Array.isArray(dumped) || !dumped.every(isDumpedClass))
    throw invalid('its model is malformed.')
  const byText = new Map(tables.map((table) => [JSON.stringify(describeClass(table.model)), table]))
  return dumped.map(
    (each) =>
      byText.get(JSON.stringify(each)) ?? (onlyCopies.has(each.name) ? tableAsDumped(each) : null),
  )
}

function checkHeading(heading: Fields, catalog: Catalog): void {
  checkVersion(heading)
  const difference = modelDifference(heading.get('classes'), catalog)
  if (difference !== null)
    throw dumpError('dumpInvalid', { problem: difference, remedy: MIGRATE, isOtherModel: true })
}

function checkVersion(heading: Fields): void {
  if (heading.get('format') !== DUMP_FORMAT) throw invalid(NO_DUMP)
  const version = heading.get('version')
  if (version !== DUMP_VERSION)
    throw invalid(`its version is ${String(version)}, this program reads ${DUMP_VERSION}.`)
}

const MIGRATE =
  'Open it with the dataclasses that it was written with; docs/how-to/files.md shows how to load its entities into another model.'

/** The highest record number. */
const MAX_SLOT = 2 ** 30
/** `[0,1,0]` and a line feed. */
const SHORTEST_LINE = 8
/** A column with fewer texts has each of them once while it is read. */
const MAX_HELD_TEXTS = 4096

function readTable(
  table: Table,
  lines: Iterator<string>,
  length: number,
  nextBirth: () => number,
): void {
  const { name, storage } = table.model
  const heading = nextObject(lines)
  if (heading.get('dataClass') !== name) throw invalid(`dataclass "${name}" is missing.`)
  const count = wholeNumber(heading.get('count'), 0, `the count of "${name}"`)
  const sequence = heading.get('sequence')
  if (!isSequence(sequence)) throw invalid(`the sequence of "${name}" is wrong.`)
  if (count > length / SHORTEST_LINE) throw invalid(`the count of "${name}" is wrong.`)
  const slots = new Int32Array(count)
  const stamps = new Float64Array(count)
  const timestamps = new Float64Array(count)
  const columns = storage.map(({ ordinal }): StoredValue[] | Float64Array =>
    table.columns[ordinal].layout === 'number' && count > FEW_ROWS ? new Float64Array(count) : [],
  )
  const texts = storage.map(() => new Map<StoredValue, StoredValue>())
  for (let i = 0; i < count; i++) {
    const line = nextLine(lines)
    if (!Array.isArray(line) || line.length !== storage.length + 3)
      throw invalid(`entity ${i + 1} of "${name}" is malformed.`)
    const slot = wholeNumber(
      line[0],
      i === 0 ? 0 : slots[i - 1] + 1,
      `a record number of "${name}"`,
    )
    if (slot > MAX_SLOT) throw invalid(`the record numbers of "${name}" are too high.`)
    slots[i] = slot
    stamps[i] = wholeNumber(line[1], 1, `a stamp of "${name}"`, MAX_STAMP)
    timestamps[i] = wholeNumber(line[2], -MAX_TIMESTAMP, `a timestamp of "${name}"`, MAX_TIMESTAMP)
    for (const attribute of storage) {
      const { ordinal } = attribute
      const value = decodeValue(attribute, line[ordinal + 3])
      const column = columns[ordinal]
      if (column instanceof Float64Array) column[i] = (value as number | null) ?? Number.NaN
      else column.push(typeof value === 'string' ? heldOnce(texts[ordinal], value) : value)
    }
  }
  enterColumns({ table, columns, stamps, timestamps }, slots, nextBirth)
  table.sequence = sequence
}

/** The same text as an earlier value, if it is one of the first texts of a column. */
function heldOnce(known: Map<StoredValue, StoredValue>, text: string): StoredValue {
  const held = known.get(text)
  if (held !== undefined) return held
  if (known.size < MAX_HELD_TEXTS) known.set(text, text)
  return text
}

/**
 * Throws `dumpInvalid` if a unique value is there twice. While it was, the hash had one of the
 * records, and lost the value with it: such a hash is built again. Cost: O(unique attributes), or
 * O(records) with nulls.
 */
export function checkUnique(table: Table): void {
  for (const { ordinal, name } of table.model.storage) {
    const index = table.indexes[ordinal]
    if (index?.unique == null || index.unique.size === table.liveCount) continue
    const slots = table.liveSlots()
    const given = slots.reduce(
      (count, slot) => count + Number(table.read(slot, ordinal) !== null),
      0,
    )
    if (index.unique.size < given) index.build(slots)
    if (index.unique.size < given)
      throw invalid(`a value of "${table.model.name}.${name}" is there twice, but must be unique.`)
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

/** An empty table with the columns of a dump. Throws `dumpInvalid` for columns of unknown types. */
function tableAsDumped({ name, columns }: DumpedClass): Table {
  const attributes = columns.map(({ name, type, key, dateOnly }) => {
    const options = { ...(key && { key }), ...(dateOnly && { dateOnly }) }
    return [name, { kind: 'storage', type, options }]
  })
  let model: ClassModel
  try {
    const definition = defineDataClass(name, Object.fromEntries(attributes) as AttributeDefinitions)
    model = buildCatalog({ name: 'dump', dataClasses: [definition] }).classes[0]
  } catch (error) {
    throw otherLayout(`the columns of "${name}" have unknown types`, { cause: error })
  }
  return new Table(model, null)
}

/** For records that exist nowhere else and that the model cannot hold. */
export const otherLayout = (problem: string, options?: ErrorOptions): EntiaError =>
  dumpError(
    'dumpInvalid',
    {
      problem: `${problem}, which this version of the program does not know how to keep.`,
      remedy:
        'Nothing was changed. Open it with the version that has written it, such as the newest one.',
    },
    options,
  )
