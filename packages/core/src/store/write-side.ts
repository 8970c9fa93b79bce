import type { WriteSide } from '../read/reader.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import type { Writer } from '../write/writer.ts'

/** The writer as the reader sees it. */
export function createWriteSide(writer: Writer): WriteSide {
  const { tables } = writer
  return {
    tables,
    tableOf: (dataClass) => tables[dataClass.ordinal],
    asOf: null,
    get globalStamp() {
      return writer.globalStamp
    },
    get allocationClock() {
      return writer.allocationClock
    },
    get isProvisional() {
      return writer.current !== null && writer.current.applied.changes.length > 0
    },
    isOpen() {
      writer.guard()
      return writer.current !== null
    },
    enter: () => writer.beforeQuery(),
    pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> {
      return writer.history.pastOf(table, globalStamp, writer.current?.applied.changes)
    },
    changedSlots: (table, globalStamp) => writer.history.changedSlots(table, globalStamp),
    find: (table, key) => (writer.current === null ? table.findKey(key) : writer.current.find(table, key)),
    staged: (table, slot) => writer.staged(table, slot),
    removeAll: (table, keys) =>
      writer.transact((transaction) => {
        let removed = 0
        for (const key of keys) {
          // An earlier removal may have taken it along.
          if (transaction.find(table, key) < 0) continue
          transaction.remove(table, key)
          removed++
        }
        return removed
      }),
  }
}
