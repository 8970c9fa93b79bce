import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Customer = defineDataClass('Customer', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string(),
  orders: attribute.relatedEntities('Order', 'customer'),
  visits: attribute.relatedEntities('Visit', 'customer'),
})
const Order = defineDataClass('Order', {
  code: attribute.string({ key: true }),
  total: attribute.number({ notNull: true, min: 0 }),
  note: attribute.string(),
  placed: attribute.date(),
  status: attribute.string({ notNull: true, maxLength: 9 }),
  scan: attribute.blob(),
  customer: attribute.relatedEntity('Customer', { onDelete: 'cascade' }),
})
const Visit = defineDataClass('Visit', {
  ID: attribute.long({ key: true, autoSequence: true }),
  day: attribute.date({ dateOnly: true }),
  customer: attribute.relatedEntity('Customer'),
})

/**
 * Three customers, 90 orders over three years, which a removed customer takes along, and visits.
 */
export function createOrders() {
  const store = createDataStore({ name: 'orders', dataClasses: [Customer, Order, Visit] })
  store.Customer.load([
    { ID: 1, name: 'Ada Byron', city: 'London' },
    { ID: 2, name: "O'Neill & Sons", city: '' },
    { ID: 3, name: 'Zoë', city: null },
  ])
  store.Order.load(
    Array.from({ length: 90 }, (_, at) => ({
      code: `A-${String(at + 1).padStart(3, '0')}`,
      total: (at * 37) % 500,
      note: [null, '', '=1+1', 'fragile, "glass"'][at % 4] ?? null,
      placed: new Date(Date.UTC(2021 + (at % 3), (at * 5) % 12, 1 + (at % 28), at % 24)),
      status: ['new', 'paid', 'sent'][at % 3] ?? 'new',
      customer: 1 + (at % 3 === 0 ? 0 : 1),
    })),
  )
  store.Visit.load([
    { ID: 1, day: '2024-02-29', customer: 1 },
    { ID: 2, day: '2024-03-01', customer: 1 },
    { ID: 3, day: null, customer: 3 },
  ])
  return store
}

export type Orders = ReturnType<typeof createOrders>
