import { expect, test } from 'vitest'
import { encodeCommit, replayCommit } from '../../src/store/dump/journal-record.ts'
import { joined } from '../../src/store/dump/line-writer.ts'
import { checkUnique } from '../../src/store/dump/read-dump.ts'
import { codeOf, firmStore, type TestStore } from '../write/firm-store.ts'

const [FIRM, PERSON] = [0, 1]
const HEAD = [9, 1000, []]

/** One firm with two people. */
function filled(): TestStore {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.insert('Person', { name: 'Ada', email: 'a@x', firm: 1 })
  store.insert('Person', { name: 'Bob', email: 'b@x', firm: 1 })
  return store
}

function replay(store: TestStore, ...lines: readonly unknown[]): number {
  const text = lines
    .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    .join('')
  return replayBytes(store, new TextEncoder().encode(text))
}

/**
 * Within `replace`, as a journal does it: after a partial replay a store refuses every further
 * call.
 */
function replayBytes({ writer }: TestStore, bytes: Uint8Array): number {
  let globalStamp = 0
  writer.replace((tables, nextBirth) => {
    globalStamp = replayCommit(tables, bytes, nextBirth)
    tables.forEach(checkUnique)
    return globalStamp
  })
  return globalStamp
}

test('a commit is replayed with changed, removed and new entities, and sequences', () => {
  const store = filled()
  const lines = [
    [9, 1000, [[FIRM, 7]]],
    [PERSON, 1],
    [PERSON, 0, 2, 1000, ['Eve'], [1]],
    [FIRM, 3, 1, 1000, [5, 'Byte', null]],
  ]
  expect(replay(store, ...lines)).toBe(9)
  expect(store.read('Person', 1)).toMatchObject({ name: 'Eve', email: 'a@x', stamp: 2 })
  expect([store.keys('Person'), store.keys('Firm'), store.table('Firm').sequence]).toEqual([
    [1],
    [1, 5],
    7,
  ])
  store.verify()
})

test('unique values may move between entities in one commit', () => {
  const store = filled()
  replay(store, HEAD, [PERSON, 0, 2, 1000, ['b@x'], [2]], [PERSON, 1, 2, 1000, ['a@x'], [2]])
  expect([store.read('Person', 1)?.email, store.read('Person', 2)?.email]).toEqual(['b@x', 'a@x'])
  store.verify()
})

test.each<[claim: string, ...lines: unknown[]]>([
  ['no JSON', '[1,'],
  ['no list', '{}'],
  ['a global stamp that is none', [-1, 0, []]],
  ['sequences that are none', [9, 1000, 7]],
  ['the sequence of no dataclass', [9, 1000, [[9, 1]]]],
  ['no dataclass', HEAD, [9, 0]],
  ['half a dataclass', HEAD, [0.5, 0]],
  ['a record number that no store could hold', HEAD, [PERSON, 2 ** 31]],
  ['a stamp of 0', HEAD, [PERSON, 0, 0, 1000, ['Eve'], [1]]],
  ['a time that is text', HEAD, [PERSON, 0, 2, 'now', ['Eve'], [1]]],
  ['a time that is no whole number', HEAD, [PERSON, 0, 2, 0.5, ['Eve'], [1]]],
  ['values that are no list', HEAD, [PERSON, 0, 2, 1000, 'Eve', [1]]],
  ['a whole entity that lacks values', HEAD, [FIRM, 3, 1, 1000, [5, 'Byte']]],
  ['a changed entity that is not there', HEAD, [PERSON, 7, 2, 1000, ['Eve'], [1]]],
  ['fewer values than columns', HEAD, [PERSON, 0, 2, 1000, ['Eve'], [1, 2]]],
  ['a column that is not there', HEAD, [PERSON, 0, 2, 1000, ['Eve'], [99]]],
  ['a value of another type', HEAD, [PERSON, 0, 2, 1000, [7], [1]]],
  [
    'one record twice',
    HEAD,
    [FIRM, 3, 1, 1000, [5, 'B', null]],
    [FIRM, 3, 1, 1000, [6, 'C', null]],
  ],
  ['one key twice', HEAD, [FIRM, 3, 1, 1000, [1, 'B', null]]],
  ['a unique value twice', HEAD, [FIRM, 3, 1, 1000, [5, 'ACME', null]]],
])('a commit with %s is refused', (_, ...lines) => {
  expect(codeOf(() => replay(filled(), ...lines))).toBe('dumpInvalid')
})

test('columns changed by several writes of one commit are recorded together, and so is an entity that was inserted and changed', () => {
  const store = filled()
  const other = filled()
  store.writer.transact((transaction) => {
    store.update('Person', 1, { name: 'Eve' })
    transaction.apply()
    store.update('Person', 1, { email: 'e@x' })
    store.insert('Person', { name: 'Cyd' })
    transaction.apply()
    store.update('Person', 3, { name: 'Dan' })
  })
  const [list] = store.writer.history.since(store.writer.globalStamp - 1)
  replayBytes(other, joined(encodeCommit(list)))
  expect(other.state()).toBe(store.state())
  other.verify()
})
