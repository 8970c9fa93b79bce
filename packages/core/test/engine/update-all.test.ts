import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { createDataStore } from '../../src/store/create-store.ts'

const Part = defineDataClass('Part', {
  ID: attribute.long({ key: true }),
  stock: attribute.long({ indexed: true }),
})

function filled() {
  const store = createDataStore({ name: 'parts', dataClasses: [Part] })
  store.Part.load(Array.from({ length: 300 }, (_, i) => ({ ID: i + 1, stock: i % 10 })))
  return store
}

test('a batch of updates is one commit, and indexes have its values', () => {
  const store = filled()
  const { globalStamp } = store
  const older = store.Part.query('stock = 3')
  const changes = Array.from({ length: 200 }, (_, i) => ({
    key: i + 1,
    patch: { stock: 999 - i },
    stamp: 1,
  }))
  expect(store.Part.updateAll(changes)).toEqual({ count: 200 })
  expect(store.globalStamp).toBe(globalStamp + 1)
  expect(store.Part.query('stock >= 800').count).toBe(200)
  expect(store.Part.query('stock = 3').keys()).toEqual([
    204, 214, 224, 234, 244, 254, 264, 274, 284, 294,
  ])
  expect(older.count).toBe(30)
  expect(store.changes({ since: globalStamp })).toHaveLength(200)
  store.verify()
})

test('the lock of another session refuses the batch before stamps are compared', () => {
  const store = filled()
  store.locks.lock('Part', 2, store.sessions.open())
  const batch = [
    { key: 1, patch: { stock: 5 } },
    { key: 2, patch: { stock: 5 }, stamp: 9 },
  ]
  expect(() => store.Part.updateAll(batch)).toThrow(
    expect.objectContaining({ code: 'entityLocked' }),
  )
  expect(store.Part.get(1)?.stamp).toBe(1)
})

test('a value that is not a list is refused as a batch', () => {
  const store = filled()
  // @ts-expect-error one change is not a batch
  expect(() => store.Part.updateAll({ key: 1, patch: { stock: 5 } })).toThrow(
    /The changes of updateAll/,
  )
  expect(store.Part.updateAll([])).toEqual({ count: 0 })
})
