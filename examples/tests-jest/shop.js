import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Customer = defineDataClass('Customer', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  email: attribute.string({ unique: true, collation: 'exact' }),
  city: attribute.string({ indexed: true }),
  orders: attribute.relatedEntities('Order', 'customer'),
})
const Order = defineDataClass('Order', {
  ID: attribute.long({ key: true, autoSequence: true }),
  total: attribute.number({ notNull: true, indexed: true, min: 0, max: 500 }),
  placed: attribute.date({ notNull: true }),
  customer: attribute.relatedEntity('Customer', { onDelete: 'restrict', notNull: true }),
})

/**
 * The shop's data.
 * @param {Partial<Pick<import('@entia/core').DataStoreOptions, 'clock' | 'ids'>>} [ports]
 */
export function createShop(ports) {
  return createDataStore({ name: 'shop', dataClasses: [Customer, Order], ...ports })
}
