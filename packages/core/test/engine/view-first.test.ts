import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, keyOf, stampOf } from '../../src/index.ts'

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})

function storeOfTwo() {
  const store = createDataStore({ name: 'first', dataClasses: [Person] })
  store.Person.load([
    { ID: 1, name: 'a' },
    { ID: 2, name: 'b' },
  ])
  return store
}

test('the first entity of a store may come from a view: it has its key', () => {
  const entity = storeOfTwo()
    .view({ rows: { Person: 'ID = 2' } })
    .dataClass('Person')
    .get(2)!
  expect([keyOf(entity), stampOf(entity), entity.name]).toEqual([2, 1, 'b'])
})

test('the first entity of a store may be one changed in an open transaction', () => {
  const store = storeOfTwo()
  store.transact(() => {
    const entity = store.Person.update(2, { name: 'c' })
    expect([keyOf(entity), entity.name]).toEqual([2, 'c'])
  })
})
