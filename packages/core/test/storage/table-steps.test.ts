import { describe, expect, test } from 'vitest'
import { RowCache } from '../../src/storage/row-cache.ts'
import type { Table } from '../../src/storage/table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { dice, upTo } from './dice.ts'
import {
  admitAll,
  firmTables,
  mustHave,
  type PlainRecord,
  personRow,
  put,
  rowOf,
} from './plain-tables.ts'

const people = (): Table => firmTables()[1]

/** The lowest free record numbers. */
function freeIn(records: ReadonlyMap<number, unknown>, count: number): number[] {
  const free: number[] = []
  for (let slot = 0; free.length < count; slot++) if (!records.has(slot)) free.push(slot)
  return free
}

test('a table behaves as a map by record number, for random insertions, updates and removals', () => {
  for (let seed = 1; seed < 6; seed++) {
    const roll = dice(seed)
    const table = people()
    const keyAt = table.model.key.ordinal
    const records = new Map<number, PlainRecord>()
    let clock = 0
    let version = 0
    let removals = 0
    for (let i = 0; i < 80; i++) {
      const act = roll(10)
      const live = [...records.keys()]
      clock++
      if (live.length === 0 || act < (i < 45 ? 6 : 3)) {
        // Mostly the lowest free number; otherwise a free one in the middle or beyond the end, as
        // when a restore brings a record back.
        const slot = roll(4) === 0 ? freeIn(records, 4)[roll(4)] : table.lowestFree
        const values = personRow(table, clock, roll)
        put(table, values, clock, slot)
        records.set(slot, { values, stamp: 1, timestamp: clock * 10, birth: clock })
      } else if (act < 7) {
        const slot = live[roll(live.length)]
        const old = records.get(slot) as PlainRecord
        const fresh = personRow(table, clock, roll)
        const ordinals = table.columns
          .map((_, at) => at)
          .filter((at) => at !== keyAt && roll(2) === 0)
        const values = ordinals.map((at) => fresh[at])
        admitAll(table, fresh)
        const given = [...values]
        table.updateAt(slot, ordinals, given, old.stamp + 1, clock * 10)
        // The previous record comes back into the slot.
        expect(given).toEqual(ordinals.map((at) => old.values[at]))
        const after = old.values.map((value, at) => (ordinals.includes(at) ? fresh[at] : value))
        records.set(slot, { ...old, values: after, stamp: old.stamp + 1, timestamp: clock * 10 })
      } else {
        const slot = live[roll(live.length)]
        table.removeAt(slot, table.readAll(slot))
        records.delete(slot)
        removals++
        expect(table.isLive(slot)).toBe(false)
        expect(table.readAll(slot)).toEqual(table.columns.map(() => null))
      }
      version++
      expect([table.version, table.removals]).toEqual([version, removals])
      if (i % 2 === 0) mustHave(table, records)
      for (const [slot, { values }] of records) expect(table.findKey(values[keyAt])).toBe(slot)
      const next = freeIn(records, 5)
      if (i % 3 === 0) expect(table.lowestFree).toBe(next[0])
      expect([...table.nextSlots(5)]).toEqual(next)
      expect(table.lowestFree).toBe(next[0])
    }
  }
})

describe('record numbers', () => {
  test('are reused lowest first, and those at the end are given up', () => {
    const table = people()
    for (const key of upTo(130)) put(table, rowOf(table, { ID: key + 1 }), key + 1)
    for (const slot of [5, 0, 70, 64, 63]) table.removeAt(slot, table.readAll(slot))
    expect([...table.nextSlots(7)]).toEqual([0, 5, 63, 64, 70, 130, 131])
    expect([...table.nextSlots(0)]).toEqual([])
    for (const slot of [127, 129, 128]) table.removeAt(slot, table.readAll(slot))
    expect(table.length).toBe(127)
    expect([...table.nextSlots(7)]).toEqual([0, 5, 63, 64, 70, 127, 128])
    for (const expected of [0, 5, 63, 64, 70, 127])
      expect(put(table, rowOf(table, { ID: 500 + expected }), 500 + expected)).toBe(expected)
    for (let slot = table.length - 1; slot >= 0; slot--) table.removeAt(slot, table.readAll(slot))
    expect([table.length, table.liveCount, table.lowestFree]).toEqual([0, 0, 0])
  })

  test('are reused, and births tell whether the record is still the same', () => {
    const table = people()
    put(table, rowOf(table, { ID: 1 }), 5)
    expect([4, 5, 6].map((clock) => table.isSameSince(0, clock))).toEqual([false, true, true])
    put(table, rowOf(table, { ID: 2 }), 6)
    table.removeAt(0, table.readAll(0))
    expect([4, 5, 6].map((clock) => table.isSameSince(0, clock))).toEqual([false, false, false])
    put(table, rowOf(table, { ID: 3 }), 9)
    expect([6, 8, 9, 10].map((clock) => table.isSameSince(0, clock))).toEqual([
      false,
      false,
      true,
      true,
    ])
    // The first record comes back.
    table.removeAt(0, table.readAll(0))
    table.occupancy.noteReturn(0, 5, 9, 12)
    put(table, rowOf(table, { ID: 1 }), 5, 0)
    expect([4, 5, 8, 9, 11, 12].map((clock) => table.isSameSince(0, clock))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
    ])
    table.removeAt(0, table.readAll(0))
    put(table, rowOf(table, { ID: 4 }), 20)
    expect([12, 19, 20].map((clock) => table.isSameSince(0, clock))).toEqual([false, false, true])
  })
})

describe('a table', () => {
  test('reserves more slots than requested, and never fewer', () => {
    const table = people()
    table.reserve(1)
    expect(table.capacity).toBe(64)
    table.reserve(64)
    expect(table.capacity).toBe(64)
    put(table, personRow(table, 1, dice(1)), 7)
    const before = table.readAll(0)
    table.reserve(65)
    expect(table.capacity).toBeGreaterThanOrEqual(65 + 10)
    table.reserve(1000)
    expect(table.capacity).toBeGreaterThanOrEqual(1000)
    const { capacity } = table
    table.reserve(70)
    expect(table.capacity).toBe(capacity)
    expect(table.readAll(0)).toEqual(before)
    expect([table.stamps[0], table.timestamps[0], table.births[0], table.isLive(0)]).toEqual([
      1,
      70,
      7,
      true,
    ])
    for (const slot of [1, 64, capacity - 1])
      expect(table.readAll(slot)).toEqual(before.map(() => null))
    expect(table.timestampHalves.buffer).toBe(table.timestamps.buffer)
    mustHave(table, new Map([[0, { values: before, stamp: 1, timestamp: 70, birth: 7 }]]))
  })

  test('refuses to insert a record into a used slot', () => {
    const table = people()
    put(table, rowOf(table, { ID: 1 }), 1)
    expect(() => put(table, rowOf(table, { ID: 2 }), 2, 0)).toThrow(/free slot/)
  })
})

test('a record is found by the exact text of its key only, not by another case or normal form', () => {
  const badges = firmTables()[2]
  const keys: StoredValue[] = ['\u00e91', 'E1', 'e1', '', '\uff5e', '\u{1f600}']
  for (const [i, code] of keys.entries()) put(badges, rowOf(badges, { code }), i + 1)
  expect(keys.map((key) => badges.findKey(key))).toEqual([0, 1, 2, 3, 4, 5])
  for (const other of ['e\u03011', '\u00c91', 'x', 'E', null])
    expect(badges.findKey(other)).toBe(-1)
  for (const slot of [4, 1, 0]) badges.removeAt(slot, badges.readAll(slot))
  expect(keys.map((key) => badges.findKey(key))).toEqual([-1, -1, 2, 3, -1, 5])
})

test('every write to a record drops its cached text, and no cached text of another record', () => {
  const table = people()
  table.rowCache = new RowCache(1000)
  for (const key of [1, 2, 3]) put(table, rowOf(table, { ID: key }), key)
  const form = table.rowCache.open(null, 10)
  const keep = (slot: number) => {
    for (let i = 0; i < 2; i++) form?.offer(slot, `text ${slot}`)
  }
  const kept = () => [0, 1, 2, 3].filter((slot) => form?.find(slot) !== undefined)
  for (const slot of [0, 1, 2, 3]) keep(slot)
  table.updateAt(1, [], [], 2, 50)
  expect(kept()).toEqual([0, 2, 3])
  put(table, rowOf(table, { ID: 4 }), 4)
  expect(kept()).toEqual([0, 2])
  table.removeAt(2, table.readAll(2))
  expect(kept()).toEqual([0])
})
