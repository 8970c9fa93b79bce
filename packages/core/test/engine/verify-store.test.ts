import { afterEach, expect, test } from 'vitest'
import { createDataStore, openDump } from '../../src/index.ts'
import type { ChangeList } from '../../src/storage/change-list.ts'
import { verifyStore } from '../../src/store/capability/persistence.ts'
import { forgetStores, heldStores, verifyEveryStore } from '../every-store.ts'
import { Badge, Firm, firmStore, Person, type TestStore } from '../write/firm-store.ts'

// This file damages stores, so they are not verified at its end.
afterEach(forgetStores)

test('every store of a test file is registered and verified at its end', () => {
  const dataClasses = [Firm, Person, Badge] as const
  const made = createDataStore({ name: 'firm', dataClasses })
  expect(heldStores()).toBe(1)
  openDump(made.dump(), { dataClasses })
  expect(heldStores()).toBe(2)
  const store = firmStore()
  expect(heldStores()).toBe(3)
  store.insert('Firm', {})
  verifyEveryStore()
  expect(heldStores()).toBe(0)

  const damaged = firmStore()
  damaged.insert('Firm', {})
  damaged.table('Firm').stamps[0] = 0
  expect(() => verifyEveryStore()).toThrow('record 0 has no stamp')
})

test.each<[rule: string, gone: 'Firm' | 'Person', relation: RegExp]>([
  ['cascade', 'Firm', /"Person.firm" \(onDelete: cascade\): record 0 leads to "1"/],
  ['null', 'Person', /"Firm.boss" \(onDelete: null\): record 0 leads to "1"/],
  ['restrict', 'Person', /"Badge.owner" \(onDelete: restrict\): record 0 leads to "1"/],
])('a key that dangles in spite of %s is found', (rule, gone, relation) => {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.insert('Person', { firm: 1 })
  if (rule === 'null') store.update('Firm', 1, { boss: 1 })
  if (rule === 'restrict') store.insert('Badge', { code: 'a', owner: 1 })
  verifyStore(store.writer)
  const table = store.table(gone)
  table.removeAt(0, table.readAll(0))
  expect(() => verifyStore(store.writer)).toThrow(relation)
})

test('a dangling key inside a transaction is not reported', () => {
  const store = firmStore()
  store.writer.transact((transaction) => {
    store.insert('Person', { firm: 1 })
    store.writer.enter()
    verifyStore(store.writer)
    transaction.insert(store.table('Firm'), { ID: 1 })
  })
  verifyStore(store.writer)
})

test.each<[broken: string, (store: TestStore) => void, message: RegExp]>([
  [
    'a birth to come',
    (s) => void (s.table('Firm').births[0] = 99),
    /record 0 of "Firm" was born after the last birth/,
  ],
  [
    'a commit too many',
    (s) => s.writer.history.push(commit(s, 3, 1)),
    /history holds 3 commits from 0 to 2/,
  ],
  ['a commit twice', (s) => twice(s), /commit 1 stands in the place of 2/],
  ['a commit of nothing', (s) => nothing(s), /commit 2 changed nothing/],
])('%s is found', (_, damage, message) => {
  const store = firmStore()
  store.insert('Firm', { name: 'a' })
  store.insert('Firm', { name: 'b' })
  verifyStore(store.writer)
  damage(store)
  expect(() => verifyStore(store.writer)).toThrow(message)
})

const commit = (store: TestStore, globalStamp: number, changes: number): ChangeList => {
  const [list] = store.writer.history.since(0)
  return { ...list, globalStamp, changes: list.changes.slice(0, changes), sequences: [] }
}
function twice({ writer: { history } }: TestStore): void {
  const lists = history.since(0)
  history.restart(0)
  for (const list of [lists[0], lists[0]]) history.push(list)
}
function nothing(store: TestStore): void {
  const { history } = store.writer
  const lists = [...history.since(0).slice(0, 1), commit(store, 2, 0)]
  history.restart(0)
  for (const list of lists) history.push(list)
}
