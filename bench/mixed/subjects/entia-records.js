import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { fieldNames } from '../ycsb-data.js'
import { figuresOf } from './entia-figures.js'

/** A record of YCSB. */
export const Item = defineDataClass('Item', {
  key: attribute.string({ key: true }),
  ...Object.fromEntries(fieldNames.map((name) => [name, attribute.string()])),
})

/** The records of YCSB. @param {{ records: readonly object[] }} data */
export function entiaRecords({ records }) {
  const store = createDataStore({ name: 'ycsb', dataClasses: [Item] })
  const items = store.Item
  items.load(records)
  return {
    read: ({ key }) => items.get(key),
    update: ({ key, field, value }) => items.update(key, { [field]: value }),
    insert: ({ record }) => items.insert(record),
    scan: ({ key, length }) =>
      items.query('key >= :1', [key]).orderBy('key').page(0, length).toArray(),
    modify: ({ key, field, suffix }) => {
      const found = items.get(key)
      items.update(key, { [field]: found[field].slice(suffix.length) + suffix })
      return found
    },
    all: () => items.all().toArray(),
    verify: () => store.verify(),
    figures: () => figuresOf(store, items),
    close: () => store.close(),
  }
}
