import { describe, expect, test } from 'vitest'
import type { HashIndex } from '../../src/storage/hash-index.ts'
import { loadMany } from '../../src/write/load.ts'
import { firmStore, refusalOf, type TestStore } from './firm-store.ts'

/**
 * Limits how many more values a hash accepts. The real limit of 16 777 216 is too large for a test.
 */
const leave = (hash: HashIndex, room: number): void => {
  hash.canHold = (extra) => extra <= room
}
const hashes: readonly (readonly [string, (store: TestStore) => HashIndex])[] = [
  ['keys', (store) => store.table('Person').keys],
  ['a unique attribute', (store) => store.table('Person').indexes[2]?.unique as HashIndex],
]
const ways: readonly (readonly [string, (store: TestStore, rows: readonly object[]) => void])[] = [
  [
    'an insertion alone',
    (store, rows) => {
      for (const row of rows) store.insert('Person', row)
    },
  ],
  [
    'a transaction',
    (store, rows) =>
      store.writer.transact(() => {
        for (const row of rows) store.insert('Person', row)
      }),
  ],
  ['a load', (store, rows) => void loadMany(store.writer, store.table('Person'), rows)],
]

describe.each(hashes)('if the hash of %s is full,', (_, hashOf) => {
  test.each(ways)(
    '%s is refused with the limit of the language, and changes nothing',
    (name, write) => {
      const store = firmStore()
      store.insert('Person', { email: 'a' })
      const before = store.state()
      const rows = [{ email: 'b' }, { email: 'c' }]
      leave(hashOf(store), name.includes('alone') ? 0 : 1)
      const { code, details, message } = refusalOf(() => write(store, rows))
      expect([code, details]).toMatchObject(['budgetExceeded', { limit: 16_777_216 }])
      expect(message).toMatch(/values of the "Person" dataclass/)
      expect(message).toMatch(/limit of the language/)
      expect(store.state()).toBe(before)
      store.verify()
      leave(hashOf(store), 2)
      write(store, rows)
      expect(store.keys('Person')).toEqual([1, 2, 3])
      store.verify()
    },
  )
})

test('updates and removals need no room in a hash', () => {
  const store = firmStore()
  store.insert('Person', { email: 'a' })
  leave(store.table('Person').keys, 0)
  store.writer.transact(() => store.update('Person', 1, { email: 'b' }))
  store.update('Person', 1, { email: 'c' })
  store.remove('Person', 1)
  expect(store.keys('Person')).toEqual([])
})
