import { afterEach, expect, test } from 'vitest'
import type { WordColumn } from '../../src/storage/column.ts'
import type { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { forgetStores } from '../every-store.ts'
import { columnOf, indexOf, people } from './people-table.ts'

// The stored values are right here, and the indexes that lead to them are damaged.

afterEach(forgetStores)

test.each<[broken: string, (table: Table) => void, message: RegExp]>([
  [
    'a free place that would not be given out first',
    (t) => {
      const nextSlots = t.nextSlots.bind(t)
      t.nextSlots = (count) => nextSlots(count + 1).slice(1)
    },
    /"Person": the lowest free record number is 4, not/,
  ],
  [
    'a rank that leads to another entry',
    (t) => {
      const ordered = indexOf(t, 'pay').ordered!
      const slotAt = ordered.slotAt.bind(ordered)
      ordered.slotAt = (rank) => slotAt(rank + 1)
    },
    /"Person.pay": the counts of the index blocks are wrong before entry 0/,
  ],
  [
    'an index that counts more entries than its blocks hold',
    (t) => void indexOf(t, 'pay').ordered!.blocks[0].count--,
    /"Person.pay": .*(entries|entry)/,
  ],
  [
    'a number entered twice in a hash',
    (t) => {
      const entries = t.keys.entries.bind(t.keys)
      t.keys.entries = function* () {
        yield* entries()
        yield [1, 0]
      }
    },
    /"Person.ID": the hash counts 38 entries and has 39/,
  ],
  [
    'a hash entry that another record answers for',
    (t) => {
      const entries = t.keys.entries.bind(t.keys)
      t.keys.entries = function* () {
        for (const [value] of entries()) yield [value, 0]
      }
    },
    /"Person.ID": a hash entry is not found by its value/,
  ],
  [
    'a word that its comparison key does not lead to',
    (t) => {
      const { dictionary } = columnOf<WordColumn>(t, 'name')
      dictionary.codesOfKey = () => []
    },
    /"Person.name": word 1 is not found by its comparison key/,
  ],
  [
    'a word that is known and has no spelling',
    (t) => {
      const { dictionary } = columnOf<WordColumn>(t, 'name')
      dictionary.spellings[dictionary.admit('twin')] = ''
    },
    /"Person.name": the dictionary counts 8 words and has 7/,
  ],
  [
    'words that are in the wrong order',
    (t) => {
      const order = columnOf<WordColumn>(t, 'name').dictionary.order()
      const some = order.some.bind(order)
      order.some = (descending, visit) => some(!descending, visit)
    },
    /"Person.name": words \d and \d are in the wrong order/,
  ],
  [
    'a word that its order has twice',
    (t) => {
      const order = columnOf<WordColumn>(t, 'name').dictionary.order()
      const some = order.some.bind(order)
      let last = 0
      order.some = (descending, visit) => {
        some(descending, (code) => {
          last = code
          return visit(code)
        })
        return visit(last)
      }
    },
    /"Person.name": the word order counts 7 words and has 8/,
  ],
])('verification reports %s', (_, damage, message) => {
  const table = people()
  verifyTable(table)
  damage(table)
  expect(() => verifyTable(table)).toThrow(message)
})
