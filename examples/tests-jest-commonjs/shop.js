const { attribute, createDataStore, defineDataClass } = require('@entia/core')

const Customer = defineDataClass('Customer', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  city: attribute.string({ indexed: true }),
})

/** @param {Partial<Pick<import('@entia/core').DataStoreOptions, 'clock' | 'ids'>>} [ports] */
exports.createShop = (ports) => createDataStore({ name: 'shop', dataClasses: [Customer], ...ports })
