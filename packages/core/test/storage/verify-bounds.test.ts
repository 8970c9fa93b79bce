import { afterEach, describe, expect, test } from 'vitest'
import { BLOCK, type IndexBlock } from '../../src/storage/block-index.ts'
import type { NumberColumn, TextColumn, WordColumn } from '../../src/storage/column.ts'
import { RowCache } from '../../src/storage/row-cache.ts'
import type { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { verifyBlocks } from '../../src/storage/verify-values.ts'
import { forgetStores } from '../every-store.ts'
import { upTo } from './dice.ts'
import { columnOf, indexOf, people } from './people-table.ts'
import { admitAll, firmTables, put, rowOf } from './plain-tables.ts'

// Values at the bounds, and values just beyond them.

afterEach(forgetStores)

describe('verification of index blocks', () => {
  const blockOf = (count: number, first: number): IndexBlock => ({
    slots: Int32Array.from({ length: BLOCK + 1 }, (_, i) => first + i),
    numbers: Float64Array.from({ length: BLOCK + 1 }, (_, i) => (first + i) / 2),
    count,
  })
  const verify = (
    blocks: readonly IndexBlock[],
    size: number,
    heads = blocks.map(({ numbers }) => numbers?.[0] ?? 0),
  ) =>
    verifyBlocks(
      { blocks, heads: Float64Array.from(heads), size },
      (slot) => slot / 2,
      (invariant) => {
        throw new Error(invariant)
      },
    )

  test('accepts full blocks and blocks with one entry', () => {
    verify([blockOf(BLOCK, 0), blockOf(1, 600)], BLOCK + 1)
    verify([], 0)
    verify([{ slots: new Int32Array(3), numbers: null, count: 2 }], 2, [7])
  })

  test.each<[what: string, run: () => void, message: RegExp]>([
    [
      'with one entry too many',
      () => verify([blockOf(BLOCK + 1, 0)], BLOCK + 1),
      /block 0 .* has 513 entries/,
    ],
    [
      'without entries',
      () => verify([blockOf(2, 0), blockOf(0, 600)], 2),
      /block 1 .* has 0 entries/,
    ],
    ['with fewer entries than counted', () => verify([blockOf(2, 0)], 3), /hold 2 entries of 3/],
    [
      'with more entries than counted',
      () => verify([blockOf(2, 0), blockOf(2, 9)], 3),
      /hold 4 entries of 3/,
    ],
    [
      'with a wrong first number',
      () => verify([blockOf(2, 0), blockOf(2, 8)], 4, [0, 5]),
      /first number of block 1/,
    ],
    [
      'with a record under another number',
      () => verify([{ ...blockOf(2, 0), slots: Int32Array.of(0, 3) }], 2),
      /record 3 under 0.5/,
    ],
  ])('reports blocks %s', (_, run, message) => {
    expect(run).toThrow(message)
  })
})

describe('verification of the cached distinct values', () => {
  const started = (): [Table, WordColumn] => {
    const table = firmTables()[1]
    for (const [i, name] of ['Ada', 'ada', 'Bob', null].entries())
      put(table, rowOf(table, { ID: i + 1, name }), i + 1)
    return [table, columnOf<WordColumn>(table, 'name')]
  }

  test.each<[values: readonly string[], isRight: boolean]>([
    [['Ada', 'Bob'], true],
    [['BOB', 'ada'], true],
    [['Ada'], false],
    [['Ada', 'Cid'], false],
    [['Ada', 'ada', 'Bob'], false],
    [['Ada', 'Bob', 'Cid'], false],
    [[], false],
  ])('of %j: accepted %s', (values, isRight) => {
    const [table, column] = started()
    column.distinct = { version: table.version, codes: [], values: [...values] }
    column.dictionary.changed = []
    if (isRight) verifyTable(table)
    else expect(() => verifyTable(table)).toThrow(/"Person.name": the distinct values/)
    // Values cached before the last write are not verified.
    column.distinct = { version: table.version - 1, codes: [], values: [...values] }
    verifyTable(table)
  })
})

describe('verification of a table', () => {
  test.each([8.64e15, -8.64e15, 0])('accepts a record with the timestamp %d', (time) => {
    const table = people()
    table.timestamps[6] = time
    verifyTable(table)
  })

  test('accepts a full table', () => {
    const table = firmTables()[1]
    table.reserve(64)
    const { capacity } = table
    for (const i of upTo(capacity)) {
      const row = rowOf(table, { ID: i + 1 })
      admitAll(table, row)
      table.insertAt(i, row, 1, 0, i + 1)
    }
    table.sequence = capacity + 1
    expect(table.length).toBe(table.capacity)
    verifyTable(table)
  })

  test.each<[what: string, damage: (table: Table) => void, message: RegExp]>([
    [
      'a late time',
      (t) => void (t.timestamps[6] = 8.64e15 + 2),
      /"Person": record 6 has no timestamp/,
    ],
    [
      'an early time',
      (t) => void (t.timestamps[6] = -8.64e15 - 2),
      /"Person": record 6 has no timestamp/,
    ],
    ['a birth below zero', (t) => void (t.births[6] = -1), /"Person": record 6 has no birth/],
    ['a sequence that is the last key', (t) => void (t.sequence = 39), /"Person.ID": the sequence/],
    [
      'fewer characters kept than none',
      (t) => {
        t.rowCache = new RowCache(0)
        Object.defineProperty(t.rowCache, 'characters', { value: -1 })
      },
      /"Person": -1 characters/,
    ],
    [
      'another record at the head of an order',
      (t) => {
        const { ordered } = indexOf(t, 'pay')
        const block = ordered?.blocks[0] as IndexBlock
        ;[block.slots[0], block.slots[1]] = [block.slots[1], block.slots[0]]
      },
      /"Person.pay": entry 0 of the index is record \d+, not 0/,
    ],
    [
      'a comparison key that is not that of its text',
      (t) => {
        const column = columnOf<TextColumn>(t, 'email')
        column.keys = column.spellings.slice()
        column.keys[3] = '3@y'
      },
      /"Person.email": the comparison key of record 3/,
    ],
    [
      'a comparison key without a text',
      (t) => {
        const column = columnOf<TextColumn>(t, 'email')
        column.keys = column.spellings.slice()
        column.spellings[3] = null
      },
      /"Person.email": the comparison key of record 3/,
    ],
    [
      'a value at the last place there is room for',
      (t) => columnOf<NumberColumn>(t, 'pay').write(t.capacity - 1, 7),
      /"Person.pay": the free record 63 holds a value/,
    ],
    [
      'a stamp at the last place there is room for',
      (t) => void (t.stamps[t.capacity - 1] = 1),
      /"Person": the free record 63 has a stamp/,
    ],
    [
      'a posting list that is longer than its value is frequent',
      (t) => indexOf(t, 'firmID').postings?.insert(1, 62),
      /"Person.firmID": posting list 1 is not as long/,
    ],
    [
      'records in a posting list of no value',
      (t) => indexOf(t, 'firmID').postings?.insert(9, 62),
      /"Person.firmID": posting list 9 is not as long/,
    ],
  ])('reports %s', (_, damage, message) => {
    const table = people()
    verifyTable(table)
    damage(table)
    expect(() => verifyTable(table)).toThrow(message)
  })
})
