import { describe, expect, test } from 'vitest'
import { createItems, type Store } from '../getter-items.ts'
import { codeOf } from '../write/firm-store.ts'

/** A store with two live queries over a getter that runs code, and listeners that apply changes. */
function createFollowed() {
  const { store, run } = createItems([1, 2, 3, 4])
  const noticed = new Map(
    store.Item.all()
      .toArray()
      .map(({ ID, rank }) => [ID, rank]),
  )
  store.on('commit', ({ changes }) => {
    for (const { key, after } of changes)
      if (after === null) noticed.delete(key as number)
      else noticed.set(key as number, after.rank as number)
  })
  const filters = ['seen > 1', 'seen > 2 and rank < 100']
  const followed = filters.map((filter) => {
    const rows = new Map<number, number>()
    const live = store.Item.query(filter).live(({ entered, changed, left }) => {
      for (const { ID, rank } of [...entered, ...changed]) rows.set(ID, rank)
      for (const key of left) rows.delete(key)
    })
    for (const { ID, rank } of live.initial) rows.set(ID, rank)
    return { filter, rows }
  })
  return { store, noticed, followed, run }
}

/** Writes that concern the entity of a key. */
const WRITES: { readonly [name: string]: (store: Store, key: number) => unknown } = {
  insert: (store) => store.Item.insert({ rank: 9 }),
  update: (store, key) => store.Item.update(key, { rank: 5 + key }),
  remove: (store, key) => store.Item.remove(key),
  load: (store) => store.Item.load([{ rank: 7 }, { rank: 200 }]),
  'update many': (store, key) =>
    store.Item.updateAll([key, 3].map((each) => ({ key: each, patch: { rank: key + 10 } }))),
  transaction: (store, key) =>
    store.transact((tx) => {
      tx.Item.remove(key)
      tx.Item.insert({ rank: 50 })
    }),
}

describe.each(Object.keys(WRITES))('beside a commit: %s', (outer) => {
  test.each(Object.keys(WRITES))('a getter of a live query cannot commit: %s', (inner) => {
    const { store, noticed, followed, run } = createFollowed()
    const errors: unknown[] = []
    store.on('error', (error) => errors.push(error))
    let code: string | undefined
    run(() => {
      code = codeOf(() => WRITES[inner](store, 2))
      throw new Error('refused')
    })
    WRITES[outer](store, 1)
    expect(code).toBe('notInTransaction')
    expect(errors.length).toBe(1)
    // The next commit evaluates the query again.
    store.Item.update(4, { rank: 4.5 })
    store.verify()
    const rows = store.Item.all()
      .toArray()
      .map(({ ID, rank }) => [ID, rank])
    expect([...noticed].sort()).toEqual(rows.sort())
    for (const { filter, rows } of followed)
      expect([...rows].sort()).toEqual(
        store.Item.query(filter)
          .toArray()
          .map(({ ID, rank }) => [ID, rank])
          .sort(),
      )
  })
})

test.each([
  ['seen', 'rank > 9', 0, 0],
  ['seen', 'rank > 0', 4, 0],
  ['rank, seen', 'rank > 0', 1, 2],
])('a live page by %s runs no getter before it is needed', (order, filter, skip, count) => {
  const { store, run } = createItems([1, 2, 3, 4])
  const page = store.Item.query(filter).orderBy(order).page(skip, 2)
  let runs = 0
  run(() => void runs++)
  expect(page.live(() => {}).initial.length).toBe(count)
  expect(runs).toBe(0)
})
