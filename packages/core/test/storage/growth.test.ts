import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { Table } from '../../src/storage/table.ts'
import { TableLoad } from '../../src/storage/table-load.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { dice, upTo } from './dice.ts'
import { firmTables, personRow, put, rowOf, tablesOf } from './plain-tables.ts'

/** The vectors of records, with how much room each has. */
const vectorsOf = (table: Table): readonly (readonly [vector: unknown, room: number])[] => [
  [table.live, table.live.length],
  [table.stamps, table.stamps.length],
  [table.timestamps, table.timestamps.length],
  [table.births, table.births.length],
  ...table.columns.map((column) => [null, column.room] as const),
]

/** A table into which so many people were loaded at once. */
function loaded(count: number): Table {
  const table = firmTables()[1]
  const roll = dice(count)
  const rows = upTo(count).map((i) => personRow(table, i + 1, roll))
  const columns = table.columns.map((_, ordinal) => rows.map((row) => row[ordinal]))
  const load = new TableLoad(table, table.nextSlots(count), columns)
  load.prepare()
  table.sequence = count + 1
  let births = 0
  load.write(77, () => ++births)
  return table
}

test.each([200, 1000, 4097])(
  'no insertion after a load of %i records enlarges more than one vector',
  (count) => {
    const table = loaded(count)
    const roll = dice(count + 1)
    let enlarged = 0
    for (const key of upTo(count).map((i) => count + 1 + i)) {
      const before = vectorsOf(table)
      put(table, personRow(table, key, roll), key)
      const changed = vectorsOf(table).filter(
        ([vector, room], i) => vector !== before[i][0] || room !== before[i][1],
      )
      expect(changed.length).toBeLessThanOrEqual(1)
      enlarged += changed.length
      if (roll(100) === 0) verifyTable(table)
    }
    verifyTable(table)
    // Every vector was enlarged more than once.
    expect(enlarged).toBeGreaterThan(2 * vectorsOf(table).length)
    const later = put(table, personRow(table, 99_999, roll), 99_999)
    expect(later).toBe(2 * count)
  },
)

test('a table of 1000 columns has room for few records, and enlarges few vectors at once', () => {
  const names = upTo(1000).map((i) => `n${i}`)
  const [table] = tablesOf(
    defineDataClass('Wide', {
      ID: attribute.long({ key: true }),
      ...Object.fromEntries(names.map((name) => [name, attribute.number()])),
    }),
  )
  for (const key of upTo(2000).map((i) => i + 1)) {
    const before = vectorsOf(table)
    put(table, rowOf(table, { ID: key, n7: key }), key)
    const after = vectorsOf(table)
    const changed = after.filter(
      ([vector, room], i) => vector !== before[i][0] || room !== before[i][1],
    )
    if (key > 1) expect(changed.length).toBeLessThanOrEqual(32)
    expect(Math.max(...after.map(([, room]) => room))).toBeLessThan(250 + 1.6 * key)
  }
  verifyTable(table)
})
