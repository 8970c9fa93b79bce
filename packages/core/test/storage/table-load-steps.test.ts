import { describe, expect, test } from 'vitest'
import { NULL_INT, type NumberColumn, type WordColumn } from '../../src/storage/column.ts'
import { HashIndex } from '../../src/storage/hash-index.ts'
import { RowCache } from '../../src/storage/row-cache.ts'
import { hashKey, type Table } from '../../src/storage/table.ts'
import { type RowHashes, TableLoad } from '../../src/storage/table-load.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { dice, upTo } from './dice.ts'
import { columnOf, ordinalOf } from './people-table.ts'
import { firmTables, mustHave, personRow, put, recordsOf, rowOf } from './plain-tables.ts'

type Rows = readonly (readonly StoredValue[])[]

/** A table with so many people, some of which were removed again, in the middle and at the end. */
function started(count: number): Table {
  const table = firmTables()[1]
  const roll = dice(count + 1)
  for (const key of upTo(count)) put(table, personRow(table, key + 1, roll), key + 1)
  for (const slot of new Set([2, 3, 5, count - 1]))
    if (slot > 0 && slot < count) table.removeAt(slot, table.readAll(slot))
  return table
}
function rowsFor(table: Table, count: number): Rows {
  const roll = dice(count + 5)
  return upTo(count).map((i) => personRow(table, 1000 + i, roll))
}
const columnsOf = (table: Table, rows: Rows): StoredValue[][] =>
  table.columns.map((_, ordinal) => rows.map((row) => row[ordinal]))

/** The hashes made when rows are checked: of keys and of unique values. */
function hashesOf(table: Table, rows: Rows): RowHashes {
  const keys = new HashIndex(() => null)
  const emails = new HashIndex((slot) => rows[slot]?.[ordinalOf(table, 'email')] as string)
  for (const [slot, row] of rows.entries()) {
    keys.set(hashKey(row[table.model.key.ordinal] as number), slot)
    const email = row[ordinalOf(table, 'email')]
    if (email !== null) emails.set(email as string, slot)
  }
  return {
    keys,
    unique: table.columns.map((_, at) => (at === ordinalOf(table, 'email') ? emails : undefined)),
  }
}

interface Loading {
  readonly table: Table
  readonly load: TableLoad
  readonly slots: Int32Array
  readonly rows: Rows
}
function loading(
  table: Table,
  count: number,
  hasHashes = false,
  rows = rowsFor(table, count),
): Loading {
  const slots = table.nextSlots(count)
  const load = new TableLoad(
    table,
    slots,
    columnsOf(table, rows),
    hasHashes ? hashesOf(table, rows) : null,
  )
  return { table, load, slots, rows }
}

describe.each([0, 1, 10, 100])('records loaded beside %i existing ones', (present) => {
  test.each([1, 2, 7, 14, 15, 63, 64, 65, 150])('equal %i records inserted one by one', (count) => {
    for (const hasHashes of [false, true]) {
      const { table, load, slots, rows } = loading(started(present), count, hasHashes)
      const expected = new Map(recordsOf(table))
      const { version } = table
      let clock = 5000
      for (const [i, slot] of slots.entries())
        expected.set(slot, { values: rows[i], stamp: 1, timestamp: 77, birth: 5001 + i })
      load.prepare()
      expect(recordsOf(table).size).toBe(expected.size - count)
      table.sequence = 100_000
      load.write(77, () => ++clock)
      expect(table.version).toBe(version + 1)
      mustHave(table, expected)
      for (const [i, row] of rows.entries())
        expect(table.findKey(row[table.model.key.ordinal])).toBe(slots[i])
      // The next records take the slots that they would have taken.
      const next = table.lowestFree
      put(table, personRow(table, 7000, dice(3)), 7000)
      expect(table.isLive(next)).toBe(true)
      mustHave(table, recordsOf(table))
    }
  })

  test.each([3, 14, 80])('leave no trace if loading %i of them fails half-way', (count) => {
    const causes: readonly ((table: Table, fail: () => never) => void)[] = [
      () => {},
      (table, fail) => void (table.keys.set = fail),
      (table, fail) => void (columnOf<NumberColumn>(table, 'pay').writeAll = fail),
      (table, fail) =>
        void ((table.indexes[ordinalOf(table, 'pay')] as { add: unknown }).add = fail),
      (table, fail) =>
        void ((table.indexes[ordinalOf(table, 'mentor')] as { build: unknown }).build = fail),
    ]
    for (const [i, spoil] of causes.entries()) {
      const { table, load, slots } = loading(started(present), count)
      const before = recordsOf(table)
      load.prepare()
      const spoiled = [table.keys, columnOf<object>(table, 'pay'), ...table.indexes].filter(
        (each) => each !== null,
      )
      const own = spoiled.map((each) => new Set(Object.keys(each)))
      spoil(table, () => {
        throw new RangeError('out of memory')
      })
      let births = 5000
      try {
        load.write(77, () => {
          if (i === 0 && births === 5002) throw new RangeError('out of memory')
          return ++births
        })
      } catch {
        // The failure is expected.
      }
      // The table is consistent again.
      for (const [at, each] of spoiled.entries())
        for (const name of Object.keys(each))
          if (!own[at].has(name)) Reflect.deleteProperty(each, name)
      const { version } = table
      const form = keptText(table, slots[0])
      load.takeBack()
      expect(table.version).toBeGreaterThan(version)
      expect(form()).toBeUndefined()
      mustHave(table, before)
      for (const slot of slots) expect(table.readAll(slot)).toEqual(table.columns.map(() => null))
      // The second attempt succeeds.
      const again = loading(table, count)
      expect([...again.slots]).toEqual([...slots])
      again.load.prepare()
      table.sequence = 100_000
      again.load.write(78, () => ++births)
      mustHave(table, recordsOf(table))
      expect(table.liveCount).toBe(before.size + count)
    }
  })
})

function keptText(table: Table, slot: number): () => string | undefined {
  table.rowCache ??= new RowCache(100)
  const form = table.rowCache.open(null, 10)
  for (let i = 0; i < 2; i++) form?.offer(slot, 'text')
  return () => form?.find(slot)
}

test('a load adopts the hashes of its rows only if row numbers equal record numbers', () => {
  // Into a table with records before or behind them, and into an empty table whose first slot stays
  // free.
  for (const [present, from, behind] of [
    [4, 0, -1],
    [0, 0, 80],
    [0, 1, -1],
  ]) {
    const table = started(present)
    if (behind > 0) put(table, rowOf(table, { ID: 7, email: 'behind@x' }), 7, behind)
    const rows = rowsFor(table, 70)
    const slots = from === 0 ? table.nextSlots(70) : Int32Array.from(upTo(70), (i) => i + from)
    const load = new TableLoad(table, slots, columnsOf(table, rows), hashesOf(table, rows))
    load.prepare()
    table.sequence = 100_000
    let clock = 900
    load.write(1, () => ++clock)
    for (const [i, row] of rows.entries())
      expect(table.findKey(row[table.model.key.ordinal])).toBe(slots[i])
    if (behind > 0) expect(table.findKey(7)).toBe(behind)
    mustHave(table, recordsOf(table))
  }
})

test('a load keeps the number that encodes null in 32 bits', () => {
  const table = started(0)
  const rows = upTo(70).map((i) =>
    rowOf(table, { ID: 1000 + i, firmID: i === 3 ? NULL_INT : i === 4 ? null : i }),
  )
  const { load } = loading(table, 70, false, rows)
  load.prepare()
  let clock = 0
  table.sequence = 100_000
  load.write(1, () => ++clock)
  expect([3, 4, 5].map((slot) => table.read(slot, ordinalOf(table, 'firmID')))).toEqual([
    NULL_INT,
    null,
    5,
  ])
  mustHave(table, recordsOf(table))
})

test('numbers that fit in 32 bits are loaded as such', () => {
  const table = started(0)
  const { load } = loading(table, 70)
  load.prepare()
  for (const name of ['firmID', 'day'])
    expect(columnOf<NumberColumn>(table, name).data).toBeInstanceOf(Int32Array)
})

test('new words are ordered among the known ones, whether they are few or many', () => {
  for (const [known, fresh] of [
    [1000, 5],
    [5, 1000],
    [100, 25],
    [100, 26],
    [0, 30],
  ]) {
    const table = firmTables()[1]
    for (const i of upTo(known))
      put(table, rowOf(table, { ID: i + 1, name: `w${(i * 7) % 1009}` }), i + 1)
    const rows = upTo(fresh).map((i) =>
      rowOf(table, { ID: 5000 + i, name: `w${(i * 11) % 1013}x` }),
    )
    const { load } = loading(table, fresh, false, rows)
    load.prepare()
    const { dictionary } = columnOf<WordColumn>(table, 'name')
    expect(dictionary.hasOrder).toBe(true)
    let clock = 9000
    table.sequence = 100_000
    load.write(1, () => ++clock)
    mustHave(table, recordsOf(table))
  }
})

test('a load of more repeating words than 16 bits number keeps each of them', () => {
  const words = 66_000
  for (const present of [0, 3]) {
    const table = started(present)
    const rows = upTo(3 * words).map((i) =>
      rowOf(table, { ID: 5000 + i, name: `w${i < 2 * words ? i % words : 1}` }),
    )
    const { load, slots } = loading(table, rows.length, false, rows)
    load.prepare()
    let clock = 9000
    load.write(1, () => ++clock)
    const name = ordinalOf(table, 'name')
    expect(columnOf<WordColumn>(table, 'name').layout).toBe('word')
    const wrong = [...slots].filter((slot, i) => table.read(slot, name) !== rows[i][name])
    expect(wrong).toEqual([])
  }
})

test('a record that a load inserts is distinguished from an earlier one that came back to its slot', () => {
  const table = started(0)
  put(table, rowOf(table, { ID: 1 }), 2)
  table.occupancy.noteReturn(0, 2, 4, 6)
  table.removeAt(0, table.readAll(0))
  const { load } = loading(table, 1)
  load.prepare()
  table.sequence = 100_000
  load.write(1, () => 9)
  expect([5, 8, 9, 10].map((clock) => table.isSameSince(0, clock))).toEqual([
    false,
    false,
    true,
    true,
  ])
  mustHave(table, recordsOf(table))
})
