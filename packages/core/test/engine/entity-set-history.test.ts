import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  size: attribute.long({ indexed: true }),
})

test('a set keeps its members and order when the history since its creation is trimmed', () => {
  const store = createDataStore({
    name: 'items',
    dataClasses: [Item],
    history: { commits: 2, bytes: 1_000_000 },
  })
  for (const size of [3, 1, 2]) store.Item.insert({ size })
  const all = store.Item.all()
  const kept = [
    all,
    store.Item.query('size > 1'),
    all.orderBy('size'),
    all.orderBy('size').page(1, 2),
    all.orderBy('size').clean(),
    all.orderBy('size').or(store.Item.query('size > 1')),
  ].map((selection) => store.entitySets.create(selection))
  for (let n = 0; n < 5; n++) store.Item.update(2, { size: 10 + n })
  expect(kept.map((id) => store.entitySets.get(id)?.keys())).toEqual([
    [1, 2, 3],
    [1, 3],
    [2, 3, 1],
    [3, 1],
    [2, 3, 1],
    [2, 3, 1],
  ])
})
