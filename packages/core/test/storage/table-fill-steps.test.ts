import { expect, test } from 'vitest'
import type { Column } from '../../src/storage/column.ts'
import type { Table } from '../../src/storage/table.ts'
import { TableFill } from '../../src/storage/table-fill.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { dice, upTo } from './dice.ts'
import { columnOf, ordinalOf } from './people-table.ts'
import {
  firmTables,
  mustHave,
  type PlainRecords,
  personRow,
  put,
  recordsOf,
} from './plain-tables.ts'

/** Fills a table with rows in blocks, with a gap of slots between two blocks. */
function filled(rows: readonly (readonly StoredValue[])[], ofBlock: number, gap: number) {
  const table = firmTables()[1]
  const expected: Map<
    number,
    PlainRecords extends ReadonlyMap<number, infer R> ? R : never
  > = new Map()
  const fill = new TableFill(table, rows.length)
  let births = 0
  for (let from = 0, slot = 0; from < rows.length; from += ofBlock, slot += gap) {
    const block = rows.slice(from, from + ofBlock)
    const slots = Int32Array.from(block, () => slot++)
    const stamps = block.map((_, i) => from + i + 3)
    const timestamps = stamps.map((stamp) => stamp * 10)
    const columns = table.columns.map((_, ordinal) => block.map((row) => row[ordinal]))
    for (const [i, values] of block.entries())
      expected.set(slots[i], {
        values,
        stamp: stamps[i],
        timestamp: timestamps[i],
        birth: births + i + 1,
      })
    fill.add({ slots, stamps, timestamps, columns }, () => ++births)
  }
  const steps = [...fill.finish()].length
  table.sequence = 1_000_000
  return { table, expected, steps }
}

const people = (count: number): readonly (readonly StoredValue[])[] => {
  const roll = dice(count + 1)
  const table = firmTables()[1]
  return upTo(count).map((i) => personRow(table, i + 1, roll))
}

test.each([
  [0, 5, 0],
  [1, 5, 0],
  [200, 7, 0],
  [200, 7, 3],
  [200, 300, 0],
])(
  'a table filled with %i records in blocks of %i has all of them, with exact indexes',
  (count, ofBlock, gap) => {
    const { table, expected } = filled(people(count), ofBlock, gap)
    mustHave(table, expected)
    // Later writes find a table like any other.
    put(table, personRow(table, 500_000, dice(3)), 500_000)
    for (const slot of [...expected.keys()].filter((slot) => slot % 3 === 0))
      table.removeAt(slot, table.readAll(slot))
    mustHave(table, recordsOf(table))
  },
)

test('dictionaries stay where words repeat, and many records are indexed in many steps', () => {
  const layoutOf = (words: number): [Column['layout'], number] => {
    const named = people(70_000).map((row) => [...row])
    const name = ordinalOf(firmTables()[1] as Table, 'name')
    for (const [i, row] of named.entries()) row[name] = `n${i % words}`
    const { table, expected, steps } = filled(named, 5000, 0)
    expect(table.liveSlots().every((slot) => table.read(slot, name) === named[slot][name])).toBe(
      true,
    )
    expect(recordsOf(table).size).toBe(expected.size)
    mustHave(table, expected)
    return [columnOf<Column>(table, 'name').layout, steps]
  }
  expect(layoutOf(5000)).toEqual(['word', expect.any(Number)])
  const [layout, steps] = layoutOf(60_000)
  expect(layout).toBe('text')
  expect(steps).toBeGreaterThan(10)
})
