import { ChangeRecorder } from '../../storage/change-list.ts'
import type { Table } from '../../storage/table.ts'
import type { StoredValue } from '../../value/types.ts'
import type { Writer } from '../../write/writer.ts'
import {
  admitRecord,
  enterColumns,
  enterTogether,
  invalid,
  NEW_SLOT,
  type RecordColumns,
  type TouchedRecord,
} from './journal-record.ts'
import { checkUnique } from './read-dump.ts'

/**
 * Brings records to the state that they have elsewhere. Removes first and inserts last: a new
 * record may take the key or a unique value of one that is removed or changed. Throws `dumpInvalid`
 * for a record that does not fit the tables; the recorder then holds a part.
 */
export function writeRecords(
  records: readonly TouchedRecord[],
  recorder: ChangeRecorder,
  nextBirth: () => number,
): void {
  for (const { table, slot, after } of records)
    if (slot !== NEW_SLOT && table.isLive(slot) && after?.columns == null)
      recorder.remove(table, slot)
  for (const { table, slot, after } of records) {
    if (after?.columns == null) continue
    const values = after.columns.map((ordinal) => after.values[ordinal])
    for (const [i, ordinal] of after.columns.entries()) table.admit(ordinal, values[i])
    recorder.update(table, slot, after.columns, values, after.stamp, after.timestamp)
  }
  const enter = (table: Table, slots: Int32Array): void => loaded(recorder, table, slots)
  for (const { table, slot, after } of enterTogether(records, nextBirth, enter)) {
    if (after === null || after.columns !== null) continue
    const place = slot === NEW_SLOT ? table.lowestFree : slot
    admitRecord(table, place, after.values)
    refuseTaken(table, after.values)
    recorder.insert(table, place, after.values, after.stamp, after.timestamp, nextBirth())
  }
}

/**
 * Makes records of another store one commit of this store: history, live queries and listeners get
 * it. `loads` are those of empty tables, which take less time by column. Neither rules nor hooks
 * run. Cost: O(records, their indexes). Throws `dumpInvalid` and changes nothing if they do not
 * fit, and `storeClosed`.
 */
export function applyRecords(
  writer: Writer,
  records: readonly TouchedRecord[],
  timestamp: number,
  loads: readonly RecordColumns[] = [],
): void {
  writer.outside('applying records')
  const recorder = new ChangeRecorder()
  try {
    for (const load of loads) {
      const slots = Int32Array.from(load.stamps, (_, at) => at)
      enterColumns(load, slots, writer.context.nextBirth)
      loaded(recorder, load.table, slots)
    }
    writeRecords(records, recorder, writer.context.nextBirth)
  } catch (error) {
    throw writer.takeBack(error, () => recorder.rollback(writer.context.nextBirth))
  }
  writer.conclude(recorder.finish(writer.globalStamp + 1, timestamp))
}

function loaded(recorder: ChangeRecorder, table: Table, slots: Int32Array): void {
  recorder.loaded(table, slots)
  checkUnique(table)
}

function refuseTaken(table: Table, values: readonly StoredValue[]): void {
  for (const [ordinal, value] of values.entries())
    if (value !== null && (table.indexes[ordinal]?.holderOf(value) ?? -1) >= 0) throw invalid()
}
