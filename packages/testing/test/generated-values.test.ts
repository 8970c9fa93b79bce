import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { createFactories } from '../src/factories/create-factories.ts'

const bound = fc.constantFrom(undefined, -(2 ** 31), -1001, -5, 0, 3, 2 ** 31 - 10)
const length = fc.constantFrom(undefined, 1, 2, 6, 40)
const present = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** As many entities as unique values are certain to exist for. */
const COUNT = 9

test(
  'generated numbers and texts obey every bound, and unique ones do not repeat',
  patience,
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom('long', 'long64', 'duration', 'number', 'string'),
        bound,
        fc.constantFrom(undefined, 8, 100, 2 ** 31),
        length,
        length,
        fc.boolean(),
        (type, low, reach, shortest, longest, unique) => {
          const high = reach === undefined ? undefined : (low ?? -2000) + reach
          fc.pre(high === undefined || high < 2 ** 31)
          fc.pre((shortest ?? 0) <= (longest ?? 99))
          const options =
            type === 'string'
              ? { minLength: shortest, maxLength: longest }
              : { min: low, max: high }
          const define = attribute[type] as typeof attribute.number
          const value = define({ ...(present(options) as object), unique })
          const Item = defineDataClass('Item', {
            ID: attribute.long({ key: true, autoSequence: true }),
            value,
          })
          const store = createDataStore({ name: 'generated', dataClasses: [Item] })
          createFactories(store).Item.createMany(COUNT)
          expect(store.Item.query('value != null').count).toBe(COUNT)
          store.verify()
        },
      ),
      runs(150),
    )
  },
)

test('unique texts of a fixed length do not repeat', () => {
  const Item = defineDataClass('Item', {
    code: attribute.string({ key: true, minLength: 12, maxLength: 12 }),
    slug: attribute.string({ unique: true, minLength: 7 }),
  })
  const store = createDataStore({ name: 'generated', dataClasses: [Item] })
  createFactories(store).Item.createMany(5000)
  expect(store.Item.count).toBe(5000)
})
