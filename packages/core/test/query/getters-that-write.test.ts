import { describe, expect, test } from 'vitest'
import { createItems, type Store } from '../getter-items.ts'

const WRITES: { readonly [name: string]: (store: Store) => unknown } = {
  'remove the first': (store) => store.Item.remove(1),
  'remove the last': (store) => store.Item.remove(3),
  'remove all': (store) => store.Item.all().remove(),
  'replace the last': (store) => {
    store.Item.remove(3)
    store.Item.insert({ rank: 7 })
  },
  'replace all': (store) => {
    store.Item.all().remove()
    store.Item.load([5, 6, 7].map((rank) => ({ rank })))
  },
  insert: (store) => store.Item.insert({ rank: 8 }),
  update: (store) => store.Item.update(3, { rank: 9 }),
}

const READS: {
  readonly [name: string]: (store: Store) => ReturnType<Store['Item']['all']>
} = {
  'a filter': (store) => store.Item.query('seen > 0'),
  'a filter in an order': (store) => store.Item.query('seen > 0 order by seen desc'),
  'a filter of an order': (store) => store.Item.all().orderBy('rank desc').query('seen > 0'),
  'a filter in a filter': (store) => store.Item.query('rank > 0').query('seen > 0 order by rank'),
  'a filter with an index': (store) => store.Item.query('rank > 0 and seen > 0'),
  'either of two': (store) => store.Item.query('seen > 0 or rank = 2'),
  'a page': (store) => store.Item.query('seen > 0').orderBy('rank').page(0, 2),
  'an entity set': (store) => {
    const id = store.entitySets.create(store.Item.query('seen > 0'))
    return store.entitySets.get(id) as ReturnType<Store['Item']['all']>
  },
  'a view': (store) =>
    store
      .view({ rows: { Item: 'seen > 0' } })
      .dataClass('Item')
      .all() as never,
}

describe.each(Object.keys(READS))('a getter that writes while it is read by %s', (read) => {
  test.each(Object.keys(WRITES))('%s: only entities that exist are shown', (write) => {
    const { store, run } = createItems([1, 2, 3])
    run(() => WRITES[write](store))
    const selection = READS[read](store)
    const keys = selection.toArray().map(({ ID }) => ID)
    expect(keys.filter((key) => !store.Item.has(key))).toEqual([])
    expect(JSON.parse(selection.json('ID')).map(({ ID }: { ID: number }) => ID)).toEqual(keys)
    expect([...selection.keys()]).toEqual(keys)
    const ranks = keys.map((key) => store.Item.get(key)?.rank ?? 0)
    expect(selection.sum('rank')).toBe(ranks.reduce((sum, rank) => sum + rank, 0))
    store.verify()
  })
})
