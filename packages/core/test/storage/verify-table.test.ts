import { expect, test } from 'vitest'
import { setBit } from '../../src/storage/bitset.ts'
import type { NumberColumn, TextColumn, WordColumn } from '../../src/storage/column.ts'
import type { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { firmStore } from '../transaction/firm-store.ts'

function people(): Table {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  for (let i = 0; i < 40; i++) {
    store.insert('Person', {
      name: `name ${i % 7}`,
      email: `${i}@x`,
      pay: i % 5,
      active: i % 2 === 0,
      firm: i % 3 === 0 ? 1 : null,
      mentor: i === 0 ? null : 1,
    })
  }
  store.remove('Person', 5)
  store.remove('Person', 40)
  return store.table('Person')
}
const ordinalOf = (table: Table, name: string) => table.model.storage.find((each) => each.name === name)!.ordinal
const columnOf = <C>(table: Table, name: string) => table.columns[ordinalOf(table, name)] as C
const indexOf = (table: Table, name: string) => table.indexes[ordinalOf(table, name)]!

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
  ['a word changed behind its list', (t) => void (columnOf<WordColumn>(t, 'name').codes[3] = 1), /"Person.name": word/],
  [
    'a word counted wrongly',
    (t) => void columnOf<WordColumn>(t, 'name').dictionary.counts[2]++,
    /"Person.name": word 2/,
  ],
  ['a comparison key changed', (t) => void (columnOf<WordColumn>(t, 'name').dictionary.keys[2] = 'x'), /"Person.name"/],
  ['an order label changed', (t) => relabel(t), /"Person.name": the order labels/],
  [
    'a posting gone',
    (t) => indexOf(t, 'firm' + 'ID').postings!.remove(indexOf(t, 'firmID').listOfValue(1), 0),
    /"Person.firmID"/,
  ],
  ['a posting too many', (t) => indexOf(t, 'mentor').postings!.insert(0, 39), /"Person.mentor": posting list 0/],
  ['a unique value gone', (t) => indexOf(t, 'email').unique!.delete('3@x'), /"Person.email": the unique value/],
  ['a unique value too many', (t) => indexOf(t, 'email').unique!.set('other', 3), /"Person.email": the unique hash/],
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
  ['a text key changed', (t) => rekey(t), /"Person.email"/],
])('%s is found', (_, damage, message) => {
  const table = people()
  verifyTable(table)
  damage(table)
  expect(() => verifyTable(table)).toThrow(message)
})

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
