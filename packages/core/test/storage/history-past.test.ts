import { expect, test } from 'vitest'
import { ChangeRecorder } from '../../src/storage/change-list.ts'
import { History, type PastRecord, recordsBefore } from '../../src/storage/history.ts'
import type { Table } from '../../src/storage/table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { dice } from './dice.ts'
import { firmTables, type PlainRecords, recordsOf } from './plain-tables.ts'
import { Recorded } from './recorded-table.ts'

/** The earlier state of a table, from its current records and the reported earlier ones. */
function takenBack(table: Table, past: ReadonlyMap<number, PastRecord>): PlainRecords {
  const state = new Map(recordsOf(table))
  for (const [slot, { existed, birth, stamp, timestamp, values }] of past) {
    const now = state.get(slot)?.values ?? []
    state.delete(slot)
    if (!existed) continue
    const then = table.columns.map((_, ordinal) =>
      values.has(ordinal) ? values.get(ordinal) : now[ordinal],
    )
    state.set(slot, { birth, stamp, timestamp, values: then as StoredValue[] })
  }
  return new Map([...state].sort(([a], [b]) => a - b))
}

test('a table is rebuilt as of any commit, and as of the last commit before open changes', () => {
  for (let seed = 1; seed < 15; seed++) {
    const roll = dice(seed)
    const recorder = new ChangeRecorder()
    const written = [new Recorded(recorder), new Recorded(recorder)]
    const tables = written.map(({ table }) => table)
    const history = new History(0, { commits: 100, bytes: 1e6 })
    const states = [tables.map(recordsOf)]
    const write = (most: number) => {
      for (let i = roll(most); i >= 0; i--) written[roll(2)].write(1, roll)
    }
    for (let stamp = 1; stamp <= 6; stamp++) {
      write(8)
      history.push(recorder.finish(stamp, stamp))
      states.push(tables.map(recordsOf))
    }
    write(8)
    const open = recorder.changes
    for (const [stamp, expected] of states.entries())
      expect(tables.map((table) => takenBack(table, history.pastOf(table, stamp, open)))).toEqual(
        expected,
      )
    expect(tables.map((table) => takenBack(table, recordsBefore(table, open)))).toEqual(states[6])
    // It reports exactly the records that were written.
    for (const table of tables) {
      const touched = new Set(
        open
          .filter((change) => change.table === table)
          .map((change) => (change as { slot: number }).slot),
      )
      expect([...recordsBefore(table, open).keys()].sort()).toEqual([...touched].sort())
    }
  }
})

test('before a bulk load, its records do not exist', () => {
  const [firms, people] = firmTables()
  const recorder = new ChangeRecorder()
  recorder.loaded(firms, Int32Array.of(3, 4, 9))
  recorder.loaded(people, Int32Array.of(1))
  const past = recordsBefore(firms, recorder.changes)
  expect([...past.keys()]).toEqual([3, 4, 9])
  expect([...past.values()].every(({ existed }) => !existed)).toBe(true)
  expect(
    [...recordsBefore(people, recorder.changes)].map(([slot, { existed }]) => [slot, existed]),
  ).toEqual([[1, false]])
})
