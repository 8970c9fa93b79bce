const { createFactories, useDataStore } = require('@entia/testing/jest')
const { createRestHandler } = require('@entia/rest')
const { createShop } = require('./shop.js')

const shop = useDataStore(() => createShop())
const make = createFactories(shop)

describe('customers', () => {
  // Runs once. Each test below starts with these entities.
  make.Customer.createMany(20, (place) => ({ city: place < 5 ? 'Zürich' : 'Paris' }))

  test('removing everything does not affect the next test', () => {
    shop.Customer.all().remove()
    expect(shop.Customer.count).toBe(0)
  })

  test('a city is found by its index', () => {
    const found = shop.Customer.query('city === :1', ['zurich'])
    expect(found.count).toBe(5)
    expect(found).toUseIndex('Customer.city')
  })

  test('the store is served, as one class of stores for all packages', async () => {
    const { fetch } = createRestHandler(shop)
    const response = await fetch(new Request('http://localhost/rest/Customer?$top=1'))
    expect((await response.json()).__COUNT).toBe(20)
  })
})
