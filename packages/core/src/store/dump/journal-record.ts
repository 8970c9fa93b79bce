import type { EntiaError } from '../../errors.ts'
import { type ChangeList, touchedBy, WHOLE } from '../../storage/change-list.ts'
import { isAscending } from '../../storage/slot-sorter.ts'
import { MAX_STAMP, MAX_TIMESTAMP } from '../../storage/stored-key.ts'
import type { Table } from '../../storage/table.ts'
import { type ColumnValues, TableLoad } from '../../storage/table-load.ts'
import type { StoredValue } from '../../value/types.ts'
import { decodeValue, isSequence } from './dump.ts'
import { dumpError, LINE_FEED, LineWriter, linesOf } from './line-writer.ts'

/**
 * One commit in a journal, in pieces of bytes. It holds the state that the commit left and not its
 * operations, so that a replay takes one step.
 *
 *     [globalStamp,timestamp,[[dataClass,sequence],…]]                  sequences that changed
 *     [globalStamp,timestamp,[[dataClass,sequence],…],proposal]         the same, proposed by another tab of a browser
 *     [dataClass,recordNumber]                                          removed, or absent before and after
 *     [dataClass,recordNumber,stamp,timestamp,[value,…]]                the whole entity
 *     [dataClass,recordNumber,stamp,timestamp,[value,…],[column,…]]     some columns of an existing entity
 *
 * Dataclasses and columns are numbered as in the heading of a dump.
 */
export function encodeCommit(list: CommittedChanges, proposal?: string): readonly Uint8Array[] {
  return [...commitPieces(list, proposal)]
}

/** The parts of a commit that its bytes hold. */
type CommittedChanges = Pick<ChangeList, 'globalStamp' | 'timestamp' | 'changes' | 'sequences'>

function* commitPieces(list: CommittedChanges, proposal?: string): Generator<Uint8Array, void> {
  const lines = new LineWriter()
  const sequences = new Map(
    list.sequences.map(({ table }) => [table.model.ordinal, table.sequence]),
  )
  const head: unknown[] = [list.globalStamp, list.timestamp, [...sequences]]
  if (proposal !== undefined) head.push(proposal)
  yield* lines.line(head)
  for (const [table, touched] of touchedBy(list.changes)) {
    const { ordinal } = table.model
    for (const [slot, columns] of touched) {
      if (!table.isLive(slot)) {
        yield* lines.line([ordinal, slot])
        continue
      }
      const head = [ordinal, slot, table.stamps[slot], table.timestamps[slot]]
      if (columns === WHOLE) yield* lines.record(head, table.readAll(slot), false)
      else {
        const ordinals = [...columns]
        const values = ordinals.map((at) => table.read(slot, at))
        yield* lines.record(head, values, false, ordinals)
      }
    }
  }
  yield* lines.rest()
}

/** The slot of a record that gets the lowest free one when it is inserted. */
export const NEW_SLOT = -1

/** A record that a commit touched. */
export interface TouchedRecord {
  readonly table: Table
  readonly slot: number
  /** Its state after the commit; null if the commit left none. */
  readonly after: RecordAfter | null
}

/** The state of a record after a commit. */
interface RecordAfter {
  readonly stamp: number
  readonly timestamp: number
  /** All values. */
  readonly values: readonly StoredValue[]
  /** The columns that an update of an existing entity changed; null for a whole entity. */
  readonly columns: readonly number[] | null
}

/** A commit of a journal, read against the state before it. */
export interface DecodedCommit {
  readonly globalStamp: number
  readonly timestamp: number
  readonly proposal: string | null
  /** Each record once. */
  readonly records: readonly TouchedRecord[]
  readonly sequences: readonly { readonly table: Table; readonly next: number }[]
}

/**
 * Reads the bytes of `encodeCommit` for tables in the state before the commit; null stands for a
 * dataclass that is left out. Changes nothing. Throws `dumpInvalid` for a commit that does not fit.
 */
export function decodeCommit(
  tables: readonly (Table | null)[],
  payload: Uint8Array,
): DecodedCommit {
  const lines = linesOf([payload])
  const head = nextList(lines) ?? []
  const records: TouchedRecord[] = []
  for (let line = nextList(lines); line !== null; line = nextList(lines)) {
    const table = tableOf(tables, line[0])
    const slot = wholeNumber(line[1])
    if (slot > 2 ** 30) throw invalid()
    if (table === null) continue
    records.push({ table, slot, after: line.length > 2 ? afterOf(table, slot, line) : null })
  }
  const [globalStamp, timestamp, sequences, proposal = null] = head
  if (!isTimestamp(timestamp)) throw invalid()
  if (proposal !== null && typeof proposal !== 'string') throw invalid()
  return {
    globalStamp: wholeNumber(globalStamp),
    timestamp,
    proposal,
    records,
    sequences: listOf(sequences).flatMap((sequence) => {
      const [ordinal, next] = listOf(sequence)
      if (!isSequence(next)) throw invalid()
      const table = tableOf(tables, ordinal)
      return table === null ? [] : [{ table, next }]
    }),
  }
}

/** The name of the proposal that became a commit; null for a commit of the writer itself. */
export function proposalOf(payload: Uint8Array): string | null {
  const proposal = nextList(linesOf([payload.subarray(0, payload.indexOf(LINE_FEED) + 1)]))?.[3]
  return typeof proposal === 'string' ? proposal : null
}

/**
 * Replays one commit and returns its global stamp. It removes all records that the commit touched
 * before it inserts the first one, because keys may have moved between records. Relations and
 * unique values are not checked: the attribute may not have been unique at that time. Cost:
 * O(records touched, their indexes). Throws `dumpInvalid` for a commit that does not fit the
 * tables; it may then be replayed in part.
 */
export function replayCommit(
  tables: readonly (Table | null)[],
  payload: Uint8Array,
  nextBirth: () => number,
): number {
  const { globalStamp, records, sequences } = decodeCommit(tables, payload)
  for (const { table, slot } of records)
    if (table.isLive(slot)) table.removeAt(slot, table.readAll(slot))
  for (const { table, slot, after } of enterTogether(records, nextBirth)) {
    if (after === null) continue
    admitRecord(table, slot, after.values)
    table.insertAt(slot, after.values, after.stamp, after.timestamp, nextBirth())
  }
  for (const { table, next } of sequences) table.sequence = next
  return globalStamp
}

function afterOf(table: Table, slot: number, line: readonly unknown[]): RecordAfter {
  const given = listOf(line[4])
  const { storage } = table.model
  const stamp = wholeNumber(line[2])
  const timestamp = line[3]
  if (stamp < 1 || stamp > MAX_STAMP || !isTimestamp(timestamp)) throw invalid()
  if (line.length === 5) {
    if (given.length !== storage.length) throw invalid()
    const values = storage.map((attribute, i) => decodeValue(attribute, given[i]))
    return { stamp, timestamp, values, columns: null }
  }
  const columns = listOf(line[5]).map(wholeNumber)
  if (!table.isLive(slot) || columns.length !== given.length) throw invalid()
  const values = table.readAll(slot)
  for (let i = 0; i < columns.length; i++) {
    const attribute = storage[columns[i]]
    if (attribute === undefined) throw invalid()
    values[columns[i]] = decodeValue(attribute, given[i])
  }
  return { stamp, timestamp, values, columns }
}

const isTimestamp = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_TIMESTAMP

/**
 * Makes room for a record in a free slot, so that `insertAt` cannot fail. Throws `dumpInvalid` if
 * the slot or the key is taken.
 */
export function admitRecord(table: Table, slot: number, values: readonly StoredValue[]): void {
  if (table.isLive(slot) || table.findKey(values[table.model.key.ordinal]) >= 0) throw invalid()
  table.reserve(slot + 1)
  for (let ordinal = 0; ordinal < values.length; ordinal++) table.admit(ordinal, values[ordinal])
}

/** New records of an empty table, by column; columns as in `storage` of the dataclass. */
interface NewRecords {
  readonly table: Table
  readonly columns: readonly ColumnValues[]
  readonly stamps: ArrayLike<number>
  readonly timestamps: ArrayLike<number>
}
/** The same in lists. */
export interface RecordColumns extends NewRecords {
  readonly columns: readonly (readonly StoredValue[])[]
  readonly stamps: readonly number[]
  readonly timestamps: readonly number[]
}

/**
 * Enters records of an empty table in ascending slots. Throws `dumpInvalid`, with the table empty,
 * if a key is there twice. `checkUnique` finds unique values that are.
 */
export function enterColumns(
  { table, columns, stamps, timestamps }: NewRecords,
  slots: Int32Array,
  nextBirth: () => number,
): void {
  if (slots.length === 0) return
  const load = new TableLoad(table, slots, columns)
  load.prepare()
  try {
    load.write(0, nextBirth)
    if (table.keys.size < slots.length) {
      const problem = `a key of "${table.model.name}" is there twice.`
      throw dumpError('dumpInvalid', { problem })
    }
  } catch (error) {
    load.takeBack()
    throw error
  }
  for (let at = 0; at < slots.length; at++) {
    table.stamps[slots[at]] = stamps[at]
    table.timestamps[slots[at]] = timestamps[at]
  }
}

/** As few new records are entered one by one. */
const MIN_ENTERED_TOGETHER = 1024

/**
 * Enters the new records of empty tables as a load does, which takes a third of the time. Reports
 * the slots of each table, and returns the records of the other tables. Throws `dumpInvalid` if a
 * key is there twice.
 */
export function enterTogether(
  records: readonly TouchedRecord[],
  nextBirth: () => number,
  entered: (table: Table, slots: Int32Array) => void = () => {},
): readonly TouchedRecord[] {
  if (records.length < MIN_ENTERED_TOGETHER) return records
  const byTable = new Map<Table, TouchedRecord[]>()
  for (const record of records) {
    if (record.table.length > 0 || record.after === null) continue
    const given = byTable.get(record.table)
    if (given === undefined) byTable.set(record.table, [record])
    else given.push(record)
  }
  const isDone = new Set<Table>()
  for (const [table, given] of byTable) {
    const slots = Int32Array.from(given, ({ slot }, at) => (slot === NEW_SLOT ? at : slot))
    if (slots.length < MIN_ENTERED_TOGETHER || !isAscending(slots)) continue
    const columns = table.columns.map((_, ordinal) =>
      given.map(({ after }) => after!.values[ordinal]),
    )
    const stamps = given.map(({ after }) => after!.stamp)
    const timestamps = given.map(({ after }) => after!.timestamp)
    enterColumns({ table, columns, stamps, timestamps }, slots, nextBirth)
    entered(table, slots)
    isDone.add(table)
  }
  return records.filter(({ table }) => !isDone.has(table))
}

function tableOf(tables: readonly (Table | null)[], ordinal: unknown): Table | null {
  const table = tables[wholeNumber(ordinal)]
  if (table === undefined) throw invalid()
  return table
}

/** The next line; null after the last one, which is empty. */
function nextList(lines: Iterator<string>): readonly unknown[] | null {
  const next = lines.next()
  if (next.done === true || next.value === '') return null
  try {
    return listOf(JSON.parse(next.value) as unknown)
  } catch (error) {
    throw dumpError('dumpInvalid', { problem: PROBLEM }, { cause: error })
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid()
  return value
}

function wholeNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalid()
}

const PROBLEM = 'a commit of its journal does not follow from those before it.'
export const invalid = (): EntiaError => dumpError('dumpInvalid', { problem: PROBLEM })
