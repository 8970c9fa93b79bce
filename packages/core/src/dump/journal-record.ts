import type { EntiaError } from '../errors.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { MAX_STAMP, MAX_TIMESTAMP } from '../storage/stamp.ts'
import type { Table } from '../storage/table.ts'
import { touchedBy, WHOLE } from '../storage/touched-records.ts'
import type { StoredValue } from '../value/types.ts'
import { dumpError } from './dump-errors.ts'
import { decodeValue } from './dump-value.ts'
import { LineWriter } from './line-writer.ts'
import { linesOf } from './read-lines.ts'
import { isSequence } from './sequences.ts'

/**
 * One commit in a journal, in pieces of bytes. It holds the state that the commit left and not its
 * operations, so that a replay takes one step.
 *
 *     [globalStamp,timestamp,[[dataClass,sequence],…]]                  sequences that changed
 *     [dataClass,recordNumber]                                          removed, or absent before and after
 *     [dataClass,recordNumber,stamp,timestamp,[value,…]]                the whole entity
 *     [dataClass,recordNumber,stamp,timestamp,[value,…],[column,…]]     some columns of an existing entity
 *
 * Dataclasses and columns are numbered as in the heading of a dump.
 */
export function encodeCommit(list: ChangeList): readonly Uint8Array[] {
  return [...commitPieces(list)]
}

function* commitPieces(list: ChangeList): Generator<Uint8Array, void> {
  const lines = new LineWriter()
  const sequences = new Map(
    list.sequences.map(({ table }) => [table.model.ordinal, table.sequence]),
  )
  yield* lines.line([list.globalStamp, list.timestamp, [...sequences]])
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

/** The state of a record after a commit. */
interface After {
  readonly table: Table
  readonly slot: number
  readonly stamp: number
  readonly timestamp: number
  readonly values: readonly StoredValue[]
}

/**
 * Replays one commit and returns its global stamp. It removes all records that the commit touched
 * before it inserts the first one, because unique values may have moved between records. Relations
 * are not checked. Cost: O(records touched, their indexes). Throws `dumpInvalid` for a commit that
 * does not fit the tables; it may then be replayed in part.
 */
export function replayCommit(
  tables: readonly Table[],
  payload: Uint8Array,
  nextBirth: () => number,
): number {
  const lines = linesOf([payload])
  const head = nextList(lines)
  const globalStamp = wholeNumber(head?.[0])
  const sequences = listOf(head?.[2]).map(listOf)
  const after: After[] = []
  for (let line = nextList(lines); line !== null; line = nextList(lines)) {
    const table = tableOf(tables, line[0])
    const slot = wholeNumber(line[1])
    if (slot > 2 ** 30) throw invalid()
    // Read before the record is removed: an update holds only the columns that changed.
    if (line.length > 2) after.push(afterOf(table, slot, line))
    if (table.isLive(slot)) table.removeAt(slot, table.readAll(slot))
  }
  for (const record of after) putIn(record, nextBirth)
  for (const [ordinal, next] of sequences) {
    if (!isSequence(next)) throw invalid()
    tableOf(tables, ordinal).sequence = next
  }
  return globalStamp
}

function afterOf(table: Table, slot: number, line: readonly unknown[]): After {
  const given = listOf(line[4])
  const { storage } = table.model
  const stamp = wholeNumber(line[2])
  const timestamp = line[3]
  if (
    stamp < 1 ||
    stamp > MAX_STAMP ||
    typeof timestamp !== 'number' ||
    !Number.isInteger(timestamp)
  )
    throw invalid()
  if (Math.abs(timestamp) > MAX_TIMESTAMP) throw invalid()
  if (line.length === 5) {
    if (given.length !== storage.length) throw invalid()
    const values = storage.map((attribute, i) => decodeValue(attribute, given[i]))
    return { table, slot, stamp, timestamp, values }
  }
  const columns = listOf(line[5]).map(wholeNumber)
  if (!table.isLive(slot) || columns.length !== given.length) throw invalid()
  const values = table.readAll(slot)
  for (let i = 0; i < columns.length; i++) {
    const attribute = storage[columns[i]]
    if (attribute === undefined) throw invalid()
    values[columns[i]] = decodeValue(attribute, given[i])
  }
  return { table, slot, stamp, timestamp, values }
}

function putIn({ table, slot, stamp, timestamp, values }: After, nextBirth: () => number): void {
  if (
    table.isLive(slot) ||
    table.findKey(values[table.model.key.ordinal]) >= 0 ||
    isTaken(table, values)
  )
    throw invalid()
  table.reserve(slot + 1)
  for (let ordinal = 0; ordinal < values.length; ordinal++) table.admit(ordinal, values[ordinal])
  table.insertAt(slot, values, stamp, timestamp, nextBirth())
}

function isTaken(table: Table, values: readonly StoredValue[]): boolean {
  return table.model.storage.some(({ ordinal }) => {
    const index = table.indexes[ordinal]
    if (index?.unique == null || values[ordinal] === null) return false
    return index.unique.find(index.uniqueKey(values[ordinal])) >= 0
  })
}

function tableOf(tables: readonly Table[], ordinal: unknown): Table {
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
const invalid = (): EntiaError => dumpError('dumpInvalid', { problem: PROBLEM })
