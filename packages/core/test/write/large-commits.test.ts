import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { loadMany } from '../../src/write/load.ts'
import { TestStore } from './firm-store.ts'

// Commits that change most entries of an index.
const sorted = {
  ID: attribute.long({ key: true, autoSequence: true }),
  size: attribute.number({ indexed: true }),
  rank: attribute.long({ indexed: true }),
}
const Left = defineDataClass('Left', sorted)
const Right = defineDataClass('Right', sorted)
const COUNT = 150

function filled(): TestStore {
  const store = new TestStore([Left, Right])
  for (const name of ['Left', 'Right']) {
    const rows = Array.from({ length: COUNT }, (_, i) => ({ size: (i * 37) % 50, rank: i % 11 }))
    loadMany(store.writer, store.table(name), rows)
  }
  return store
}
/**
 * Alternating writes to two dataclasses: entities that stay, that are removed, and that are
 * inserted and removed.
 */
function change(store: TestStore): void {
  for (let i = 1; i <= COUNT; i++) {
    const name = i % 2 === 0 ? 'Left' : 'Right'
    store.update(name, i, { size: (i * 11) % 60 })
    if (i % 3 === 0) store.update('Left', i, { rank: 20 - (i % 7) })
    const key = 1000 + i
    store.insert(name, { ID: key, size: i % 13, rank: null })
    if (i % 4 === 0) store.update(name, key, { size: -1 })
    if (i % 5 !== 0) store.remove(name, key)
    if (i % 10 === 0) store.remove('Right', i)
  }
}
/** The entities by dataclass and key. */
const contents = (store: TestStore): unknown[] =>
  ['Left', 'Right'].map(
    (name) => new Map(store.keys(name).map((key) => [key, store.read(name, key)])),
  )

test('a commit of many changes to two dataclasses keeps both in order', () => {
  const together = filled()
  const single = filled()
  together.writer.transact(() => change(together))
  together.verify()
  change(single)
  single.verify()
  expect(contents(together)).toEqual(contents(single))
})

test('entities that a commit inserts and removes are in no index afterwards', () => {
  const store = filled()
  const before = contents(store)
  store.writer.transact(() => {
    for (let i = 1; i <= COUNT; i++) store.insert('Left', { ID: 1000 + i, size: i })
    for (let i = 1; i <= COUNT; i++) store.remove('Left', 1000 + i)
    for (let i = 1; i <= COUNT; i++) store.update('Right', i, { size: 7 })
  })
  store.verify()
  expect(contents(store)[0]).toEqual(before[0])
  expect(store.read('Right', 9)).toMatchObject({ size: 7, rank: 8, stamp: 2 })
})
