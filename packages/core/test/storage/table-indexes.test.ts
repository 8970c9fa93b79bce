import { describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { TextColumn, WordColumn } from '../../src/storage/column.ts'
import type { Table } from '../../src/storage/table.ts'
import {
  createIndex,
  dropIndex,
  rebuildIndexes,
  tidyTable,
  toPlainText,
} from '../../src/storage/table-load.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { dice, upTo } from './dice.ts'
import { columnOf, ordinalOf } from './people-table.ts'
import { firmTables, personRow, put, recordsOf, rowOf, tablesOf } from './plain-tables.ts'

function people(): Table {
  const table = firmTables()[1]
  const roll = dice(7)
  for (const key of upTo(60)) put(table, personRow(table, key + 1, roll), key + 1)
  for (const slot of [3, 20, 21, 59]) table.removeAt(slot, table.readAll(slot))
  return table
}

describe('an order', () => {
  const names = ['ID', 'name', 'email', 'pay', 'day', 'active', 'firmID', 'mentor']

  test.each(names)(
    'of %s is created and dropped, and other indexes of the attribute stay',
    (name) => {
      const table = people()
      const ordinal = ordinalOf(table, name)
      const { unique, key, relation } = table.model.storage[ordinal]
      const isNeeded = [relation !== null, unique && !key]
      const parts = () => {
        const index = table.indexes[ordinal]
        return [index?.isOrdered ?? false, index?.unique !== null && index !== null]
      }
      const before = recordsOf(table)
      dropIndex(table, ordinal)
      for (let turn = 0; turn < 2; turn++) {
        const { version } = table
        createIndex(table, ordinal)
        expect(table.version).toBe(version + 1)
        expect(parts()).toEqual([true, isNeeded[1]])
        const made = table.indexes[ordinal]
        if (isNeeded[0]) expect(made?.postings).not.toBeNull()
        verifyTable(table)
        createIndex(table, ordinal)
        expect([table.version, table.indexes[ordinal]]).toEqual([version + 1, made])
        dropIndex(table, ordinal)
        expect(table.version).toBe(version + 2)
        expect(parts()).toEqual([false, isNeeded[1]])
        const left = table.indexes[ordinal]
        expect(left !== null).toBe(isNeeded.includes(true))
        verifyTable(table)
        dropIndex(table, ordinal)
        expect([table.version, table.indexes[ordinal]]).toEqual([version + 2, left])
      }
      expect(recordsOf(table)).toEqual(before)
    },
  )

  test('is rebuilt from the columns, as all indexes are', () => {
    const table = people()
    for (const index of table.indexes) index?.build(new Int32Array(0))
    expect(() => verifyTable(table)).toThrow()
    rebuildIndexes(table)
    verifyTable(table)
  })
})

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true }),
  word: attribute.string({ indexed: true }),
  tag: attribute.relatedEntity('Tag'),
})
const Tag = defineDataClass('Tag', { code: attribute.string({ key: true }) })

/** Notes with these words; the last records, as many as given, are removed again. */
function notes(words: readonly string[], removed = 0, named = 'word'): Table {
  const [table] = tablesOf(Note, Tag)
  for (const [i, word] of words.entries())
    put(table, rowOf(table, { ID: i + 1, [named]: word }), i + 1)
  for (let slot = words.length - 1; slot >= words.length - removed; slot--)
    table.removeAt(slot, table.readAll(slot))
  return table
}
const different = (count: number) => upTo(count).map((i) => `W${i}`)

describe('a dictionary', () => {
  test.each<[what: string, words: readonly string[], removed: number, isKept: boolean]>([
    ['of 4096 words, each used once, is kept', different(4096), 0, true],
    ['of 4097 words, each used once, is replaced by plain text', different(4097), 0, false],
    [
      'of words that are used twice each is kept',
      [...different(4097), ...different(4097)],
      0,
      true,
    ],
    [
      'with one word more than half the records is replaced by plain text',
      [...different(4097), ...different(4096)],
      0,
      false,
    ],
  ])('%s', (_, words, removed, isKept) => {
    const table = notes(words, removed)
    const before = recordsOf(table)
    const { layout, version } = table
    tidyTable(table)
    const column = table.columns[ordinalOf(table, 'word')]
    expect(column instanceof WordColumn).toBe(isKept)
    expect([table.layout - layout, table.version - version]).toEqual(isKept ? [0, 0] : [1, 1])
    expect(recordsOf(table)).toEqual(before)
    verifyTable(table)
  })

  test('of mostly unused words drops these, and is kept', () => {
    for (const removed of [2100, 2101]) {
      const table = notes(different(4200), removed)
      const { layout } = table
      tidyTable(table)
      const column = table.columns[ordinalOf(table, 'word')]
      expect(column instanceof WordColumn).toBe(removed === 2101)
      if (column instanceof WordColumn) expect(column.dictionary.size).toBe(4200 - removed)
      expect(table.layout).toBe(layout + 1)
      expect(table.read(7, ordinalOf(table, 'word'))).toBe('W7')
      verifyTable(table)
    }
  })

  test('of foreign keys is kept, with any number of words', () => {
    const table = notes(different(4200), 0, 'tag')
    tidyTable(table)
    expect(table.columns[ordinalOf(table, 'tag')]).toBeInstanceOf(WordColumn)
    verifyTable(table)
  })
})

test('when words become plain text, the column keeps its index', () => {
  for (const isIndexed of [true, false]) {
    const table = people()
    const ordinal = ordinalOf(table, 'name')
    if (!isIndexed) dropIndex(table, ordinal)
    const before = recordsOf(table)
    const { layout, version, capacity } = table
    toPlainText(table, ordinal)
    expect([table.layout, table.version]).toEqual([layout + 1, version + 1])
    expect(columnOf<TextColumn>(table, 'name')).toBeInstanceOf(TextColumn)
    expect([
      table.indexes[ordinal]?.isOrdered ?? null,
      table.indexes[ordinal]?.unique ?? null,
    ]).toEqual([isIndexed ? true : null, null])
    expect(recordsOf(table)).toEqual(before)
    verifyTable(table)
    for (const slot of [3, 59, capacity - 1]) expect(table.read(slot, ordinal)).toBeNull()
    put(table, rowOf(table, { ID: 99, name: 'ada' }), 99)
    table.removeAt(7, table.readAll(7))
    verifyTable(table)
  }
})
