import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

test('attributes called as the marks of an entity are called hide them, and nothing else changes', () => {
  const Thing = defineDataClass('Thing', {
    ID: attribute.long({ key: true, autoSequence: true }),
    key: attribute.string(),
    stamp: attribute.string(),
    timestamp: attribute.string(),
    toJSON: attribute.string(),
  })
  const store = createDataStore({ name: 'things', dataClasses: [Thing] })
  const values = { key: 'k', stamp: 's', timestamp: 't', toJSON: 'j' }
  const thing = store.Thing.insert(values)
  expect({ ...thing }).toEqual({ ID: 1, ...values })
  expect(store.Thing.all().keys()).toEqual([1])
  expect(store.Thing.all().select('key, stamp')).toEqual([{ key: 'k', stamp: 's' }])
  expect(store.Thing.update(1, { stamp: 'x' }, { stamp: 1 }).stamp).toBe('x')
})

test('a computed attribute that comes later is refused by its name', () => {
  const Late = defineDataClass('Late', {
    ID: attribute.long({ key: true }),
    soon: attribute.computed('number', { get: (() => Promise.reject(new Error('late'))) as never }),
    never: attribute.computed('number', { get: () => undefined as never }),
  })
  const store = createDataStore({ name: 'late', dataClasses: [Late] })
  const late = store.Late.insert({ ID: 1 })
  expect(() => late.soon).toThrow(expect.objectContaining({ code: 'promiseReturned' }))
  expect(() => late.soon).toThrow(/"soon" of dataclass "Late"/)
  expect(late.never).toBe(null)
})
