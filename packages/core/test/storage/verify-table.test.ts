import { afterEach, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { setBit } from '../../src/storage/bitset.ts'
import type {
  BoolColumn,
  BoxedColumn,
  NumberColumn,
  TextColumn,
  WordColumn,
} from '../../src/storage/column.ts'
import { RowCache } from '../../src/storage/row-cache.ts'
import type { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { forgetStores } from '../every-store.ts'
import { firmStore, TestStore } from '../write/firm-store.ts'
import { columnOf, indexOf, ordinalOf, people } from './people-table.ts'

// This file damages stores, so they are not verified at its end.
afterEach(forgetStores)

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true, autoSequence: true }),
  long: attribute.long(),
  long64: attribute.long64(),
  date: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  duration: attribute.duration(),
  uuid: attribute.uuid(),
})

test.each<[broken: string, (table: Table) => void, message: RegExp]>([
  [
    'a value changed behind the index',
    (t) => void (columnOf<NumberColumn>(t, 'pay').data[7] = 99),
    /"Person.pay": entry/,
  ],
  [
    'an index entry gone',
    (t) => void indexOf(t, 'pay').ordered!.remove(1 as never, 1),
    /"Person.pay": the index holds/,
  ],
  ['two index entries changed over', (t) => swap(t), /"Person.pay": entry/],
  [
    'a word changed behind its list',
    (t) => void (columnOf<WordColumn>(t, 'name').codes[3] = 1),
    /"Person.name": word/,
  ],
  [
    'a word counted wrongly',
    (t) => void columnOf<WordColumn>(t, 'name').dictionary.counts[2]++,
    /"Person.name": word 2/,
  ],
  [
    'a comparison key changed',
    (t) => void (columnOf<WordColumn>(t, 'name').dictionary.keys[2] = 'x'),
    /"Person.name"/,
  ],
  ['an order label changed', (t) => relabel(t), /"Person.name": the order labels/],
  [
    'a posting gone',
    (t) => indexOf(t, 'firm' + 'ID').postings!.remove(indexOf(t, 'firmID').listOfValue(1), 0),
    /"Person.firmID"/,
  ],
  [
    'a posting too many',
    (t) => indexOf(t, 'mentor').postings!.insert(0, 39),
    /"Person.mentor": posting list 0/,
  ],
  [
    'a unique value gone',
    (t) => indexOf(t, 'email').unique!.delete('3@x'),
    /"Person.email": the unique value/,
  ],
  [
    'a unique value too many',
    (t) => indexOf(t, 'email').unique!.set('other', 3),
    /"Person.email": the unique hash/,
  ],
  ['a key gone', (t) => t.keys.delete(3), /"Person.ID": the key hash/],
  ['a key that leads elsewhere', (t) => t.keys.set(3, 9), /"Person.ID": the key of record 2/],
  ['a sequence below a key', (t) => void (t.sequence = 4), /"Person.ID": the sequence/],
  ['a live bit too many', (t) => setBit(t.live, 4), /"Person": the count/],
  [
    'a live bit beyond the end',
    (t) => {
      setBit(t.live, 50)
      t.liveCount++
    },
    /"Person": record 50/,
  ],
  ['a count that is wrong', (t) => void t.liveCount--, /"Person": the count/],
  ['a free record at the end', (t) => void t.length++, /"Person": the last record/],
  [
    'a free record that holds a value',
    (t) => columnOf<NumberColumn>(t, 'pay').write(4, 7),
    /"Person.pay": the free record 4/,
  ],
  ['a record without stamp', (t) => void (t.stamps[6] = 0), /"Person": record 6 has no stamp/],
  ['a birth number twice', (t) => void (t.births[6] = t.births[7]), /"Person": two records/],
  [
    'more records than room',
    (t) => void (t.capacity = 3),
    /"Person": there are more records than room/,
  ],
  [
    'a record without key',
    (t) => columnOf<NumberColumn>(t, 'ID').write(6, null),
    /"Person.ID": record 6 has no key/,
  ],
  ['a key too many', (t) => t.keys.set(999, 3), /"Person.ID": the key hash holds/],
  [
    'a key under two hashes',
    (t) => {
      t.keys.delete(7)
      t.keys.set(998, 6)
    },
    /"Person.ID": the key of record 6/,
  ],
  [
    'an index over another column',
    (t) => void ((indexOf(t, 'pay') as { column: unknown }).column = columnOf(t, 'active')),
    /"Person.pay": the index is over another column/,
  ],
  [
    'a value without posting list',
    (t) => indexOf(t, 'firmID').lists!.delete(1),
    /"Person.firmID": the value of record 0 has no posting list/,
  ],
  ['one posting list of two values', (t) => shareList(t), /"Person.mentor"/],
  [
    'a posting of another record',
    (t) => void (indexOf(t, 'firmID').postings!.data[indexOf(t, 'firmID').postings!.start(1)] = 1),
    /"Person.firmID": posting list 1 holds other records/,
  ],
  [
    'one list number of two values',
    (t) => indexOf(t, 'firmID').lists!.set(77, indexOf(t, 'firmID').listOfValue(1) - 1),
    /"Person.firmID": two values share a posting list/,
  ],
  [
    'a word in use that is not found',
    (t) => void (columnOf<WordColumn>(t, 'name').dictionary.spellings[2] = 'other'),
    /"Person.name": word 2 is in use and not found/,
  ],
  [
    'a code that is no word',
    (t) => {
      const { codes, dictionary } = columnOf<WordColumn>(t, 'name')
      dictionary.counts[codes[6]]--
      codes[6] = 999
    },
    /"Person.name": the value of record 6 is no string/,
  ],
  [
    'a word that its order has not',
    (t) => {
      const { dictionary } = columnOf<WordColumn>(t, 'name')
      dictionary.order().remove(dictionary.find('name 1'))
    },
    /"Person.name": the word order holds/,
  ],
  ['a text key changed', (t) => rekey(t), /"Person.email"/],
  [
    'an index entry under another number',
    (t) => void (blocksOf(t)[0].numbers![3] = 99),
    /"Person.pay": the index has record \d+ under 99/,
  ],
  [
    'another number at the head of a block',
    (t) => void (indexOf(t, 'pay').ordered!.heads[0] = 99),
    /"Person.pay": the first number of block 0/,
  ],
  [
    'an empty block',
    (t) => void blocksOf(t).push({ slots: new Int32Array(1), numbers: null, count: 0 }),
    /"Person.pay": block 1 of the index has 0 entries/,
  ],
  [
    'a time that is none',
    (t) => void (t.timestamps[6] = Number.NaN),
    /"Person": record 6 has no timestamp/,
  ],
  [
    'a time between two milliseconds',
    (t) => void (t.timestamps[6] += 0.5),
    /"Person": record 6 has no timestamp/,
  ],
  [
    'halves of other timestamps',
    (t) => void (t.timestampHalves = new Int32Array(128)),
    /"Person": the halves/,
  ],
  ['a record never born', (t) => void (t.births[6] = 0), /"Person": record 6 has no birth/],
  [
    'a place that another record has',
    (t) => t.occupancy.noteReturn(6, 998, 999, 1e6),
    /"Person": record 6 is not the/,
  ],
  [
    'a free record with a stamp',
    (t) => void (t.stamps[4] = 3),
    /"Person": the free record 4 has a stamp/,
  ],
  ['more texts kept than are allowed', (t) => keepText(t), /"Person": 3 characters/],
  [
    'neither true nor false',
    (t) => void (columnOf<BoolColumn>(t, 'active').data[3] = 3),
    /"Person.active": record 3/,
  ],
  [
    'a zero below zero',
    (t) => void (columnOf<NumberColumn>(t, 'pay').data[0] = -0),
    /"Person.pay": record 0 holds -0/,
  ],
  [
    'no number',
    (t) => void (columnOf<NumberColumn>(t, 'pay').data[0] = 1 / 0),
    /"Person.pay": .* is no number/,
  ],
  [
    'a fraction among whole numbers',
    (t) => void (columnOf<NumberColumn>(t, 'pay').data[0] = 2.5),
    /a fraction/,
  ],
  [
    'half a character',
    (t) => void (columnOf<WordColumn>(t, 'name').dictionary.spellings[2] = '\ud800'),
    /no string/,
  ],
  [
    'an object that can change',
    (t) => void (columnOf<BoxedColumn>(t, 'notes').values[1] = {}),
    /is no object/,
  ],
  [
    'an object that can change deep inside',
    (t) => thaw(t),
    /"Person.notes": the value of record 1 is no object/,
  ],
  [
    'bytes that can change',
    (t) => void (columnOf<BoxedColumn>(t, 'photo').values[1] = new Uint8Array(1) as never),
    /"Person.photo": the value of record 1 is no blob/,
  ],
  [
    'distinct values of another time',
    (t) => {
      const column = columnOf<WordColumn>(t, 'name')
      column.distinct = { version: t.version, codes: [], values: ['name 1'] }
      column.dictionary.changed = []
    },
    /"Person.name": the distinct values/,
  ],
  [
    'a unique attribute without hash',
    (t) => void (t.indexes[ordinalOf(t, 'email')] = null),
    /"Person.email": a unique/,
  ],
  [
    'a foreign key without lists',
    (t) => void (t.indexes[ordinalOf(t, 'firmID')] = null),
    /"Person.firmID": a foreign/,
  ],
])('verification reports %s', (_, damage, message) => {
  const table = people()
  verifyTable(table)
  damage(table)
  expect(() => verifyTable(table)).toThrow(message)
})

test.each<[type: string, name: string, value: StoredValue]>([
  ['a long', 'long', 0.5],
  ['a long that is too large', 'long', 2_147_483_648],
  ['a long64', 'long64', 2 ** 53],
  ['a date', 'date', 0.5],
  ['a late date', 'date', 8.64e15 + 2],
  ['a day', 'day', 1e8 + 1],
  ['a duration', 'duration', Number.POSITIVE_INFINITY],
  ['a UUID', 'uuid', 'abc'],
])('verification reports a value that is not %s', (_, name, value) => {
  const store = new TestStore([Thing])
  store.insert('Thing', {})
  const table = store.table('Thing')
  const column = columnOf<NumberColumn | TextColumn>(table, name)
  if (column.layout === 'number') column.data = new Float64Array(table.capacity).fill(Number.NaN)
  column.write(0, value)
  expect(() => verifyTable(table)).toThrow(`"Thing.${name}": the value of record 0 is no`)
})

const blocksOf = (table: Table) => indexOf(table, 'pay').ordered!.blocks
function keepText(table: Table): void {
  const rowCache = new RowCache(10)
  table.rowCache = rowCache
  const form = rowCache.open(null, 1)
  for (let i = 0; i < 2; i++) form?.offer(1, 'abc')
  rowCache.maxCharacters = 2
}
function thaw(table: Table): void {
  columnOf<BoxedColumn>(table, 'notes').values[1] = Object.freeze({ a: { b: 1 } })
}
function swap(table: Table): void {
  const { ordered } = indexOf(table, 'pay')
  ordered!.remove(1 as never, 1)
  ordered!.insert(3 as never, 1)
}
function relabel(table: Table): void {
  const { dictionary } = columnOf<WordColumn>(table, 'name')
  dictionary.order().labels[dictionary.find('name 1')] = 1e9
}
function rekey(table: Table): void {
  const column = columnOf<TextColumn>(table, 'email')
  column.keys = column.spellings.slice()
  column.keys[3] = 'zzz'
}
function shareList(table: Table): void {
  const index = indexOf(table, 'mentor')
  columnOf<NumberColumn>(table, 'mentor').write(9, 2)
  index.lists!.set(2, index.listOfValue(1) - 1)
}

test('verification accepts the distinct values of a column with nulls', () => {
  const store = firmStore()
  store.insert('Person', { name: 'Ada' })
  store.insert('Person', { name: null })
  const table = store.table('Person')
  const column = columnOf<WordColumn>(table, 'name')
  column.distinct = { version: table.version, codes: [], values: ['Ada'] }
  column.dictionary.changed = []
  verifyTable(table)
  column.distinct = { version: table.version, codes: [], values: ['Ada', ''] }
  expect(() => verifyTable(table)).toThrow(/"Person.name": the distinct values/)
})
