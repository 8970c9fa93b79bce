import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  assertUsesIndex,
  createFactories,
  createFakeClock,
  createFakeIds,
  useDataStore,
} from '@entia/testing/node-test'
import { createShop } from './shop.js'

const clock = createFakeClock()
const ids = createFakeIds()
const shop = useDataStore(() => createShop({ clock, ids }), { rewind: [clock, ids] })
const make = createFactories(shop)

describe('orders', () => {
  // Runs once. Each test below starts with these entities.
  make.Customer.createMany(20, (place) => ({ city: place < 5 ? 'Zürich' : 'Paris' }))
  make.Order.createMany(500)

  test('a customer with orders cannot be removed', () => {
    const { customer } = make.Order.create()
    assert.throws(() => shop.Customer.remove(customer.key), /restrict/)
  })

  test('removing everything does not affect the next test', () => {
    shop.Order.all().remove()
    shop.Customer.all().remove()
    assert.equal(shop.Customer.count, 0)
  })

  test('expensive orders are found by an index', () => {
    assert.equal(shop.Order.count, 500)
    const dear = shop.Order.query('total > 490')
    assertUsesIndex(dear, 'Order.total')
    assert.ok(dear.toArray().every(({ total }) => total > 490))
  })
})

test('an entity set expires two hours after its last use', () => {
  const id = shop.entitySets.create(shop.Customer.all())
  clock.advance('119m')
  assert.ok(shop.entitySets.get(id))
  clock.advance('2h')
  assert.equal(shop.entitySets.get(id), undefined)
})
