import type { Table } from '../../src/storage/table.ts'
import { firmStore } from '../write/firm-store.ts'

/** Thirty-eight people of one firm, with two free slots between them. */
export function people(): Table {
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

export const ordinalOf = (table: Table, name: string) =>
  table.model.storage.find((each) => each.name === name)!.ordinal
export const columnOf = <C>(table: Table, name: string) =>
  table.columns[ordinalOf(table, name)] as C
export const indexOf = (table: Table, name: string) => table.indexes[ordinalOf(table, name)]!
