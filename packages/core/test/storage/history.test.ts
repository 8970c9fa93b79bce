import fc from 'fast-check'
import { expect, test } from 'vitest'
import { History } from '../../src/storage/history.ts'
import type { Table } from '../../src/storage/table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { runs } from '../runs.ts'
import { actions, performAll } from '../write/firm-actions.ts'
import { codeOf, firmStore, type TestStore } from '../write/firm-store.ts'

type Records = Map<
  number,
  { readonly stamp: number; readonly birth: number; readonly values: readonly StoredValue[] }
>

function recordsOf(table: Table): Records {
  const records: Records = new Map()
  for (const slot of table.liveSlots()) {
    records.set(slot, {
      stamp: table.stamps[slot],
      birth: table.births[slot],
      values: table.readAll(slot),
    })
  }
  return records
}

/**
 * The records of a table at a global stamp, from the current records and the changes in the
 * history.
 */
function recordsAt(store: TestStore, table: Table, globalStamp: number): Records {
  const records = recordsOf(table)
  for (const [slot, past] of store.writer.history.pastOf(table, globalStamp)) {
    const now = records.get(slot)?.values ?? []
    records.delete(slot)
    if (!past.existed) continue
    const values = table.model.storage.map(({ ordinal }) => {
      const value = past.values.get(ordinal)
      return value === undefined ? now[ordinal] : value
    })
    records.set(slot, { stamp: past.stamp, birth: past.birth, values })
  }
  return records
}

test('history restores every record to any global stamp that it keeps', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 8 }), (transactions) => {
      const store = firmStore()
      const { tables } = store.writer
      const past = new Map([[0, tables.map(recordsOf)]])
      for (const transaction of transactions) {
        performAll(store, transaction)
        past.set(store.writer.globalStamp, tables.map(recordsOf))
      }
      for (const [globalStamp, records] of past) {
        expect(tables.map((table) => recordsAt(store, table, globalStamp))).toEqual(records)
      }
    }),
    runs(150),
  )
})

test('history keeps the configured number of commits and bytes, and everything since a pin', () => {
  const list = (globalStamp: number, bytes: number) => ({
    globalStamp,
    timestamp: 0,
    changes: [],
    sequences: [],
    bytes,
  })
  const history = new History(0, { commits: 3, bytes: 100 })
  for (const globalStamp of [1, 2, 3]) history.push(list(globalStamp, 10))
  expect(history.since(0)).toHaveLength(3)
  history.push(list(4, 10))
  expect(history.oldest).toBe(1)
  expect(codeOf(() => history.since(0))).toBe('historyTrimmed')
  expect(history.since(1).map(({ globalStamp }) => globalStamp)).toEqual([2, 3, 4])
  history.push(list(5, 95))
  expect(history.oldest).toBe(4)
  history.pin(4)
  history.pin(4)
  for (const globalStamp of [6, 7, 8, 9]) history.push(list(globalStamp, 90))
  expect(history.since(4)).toHaveLength(5)
  history.unpin(4)
  expect(history.since(4)).toHaveLength(5)
  history.unpin(4)
  expect(history.oldest).toBe(8)
  expect(history.since(8).map(({ globalStamp }) => globalStamp)).toEqual([9])
  expect(history.since(9)).toEqual([])
})
