import {
  createFactories,
  createFakeClock,
  createFakeIds,
  useDataStore,
} from '@entia/testing/vitest'
import { describe, expect, test } from 'vitest'
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
    expect(() => shop.Customer.remove(customer.key)).toThrow('restrict')
  })

  test('removing everything does not affect the next test', () => {
    shop.Order.all().remove()
    shop.Customer.all().remove()
    expect(shop.Customer.count).toBe(0)
  })

  test('expensive orders are found by an index', () => {
    expect(shop.Order.count).toBe(500)
    const dear = shop.Order.query('total > 490')
    expect(dear).toUseIndex('Order.total')
    expect(dear.toArray().every(({ total }) => total > 490)).toBe(true)
  })
})

test('an entity set expires two hours after its last use', () => {
  const id = shop.entitySets.create(shop.Customer.all())
  clock.advance('119m')
  expect(shop.entitySets.get(id)).toBeDefined()
  clock.advance('2h')
  expect(shop.entitySets.get(id)).toBeUndefined()
})
