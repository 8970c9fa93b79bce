import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { updateMany } from '../../src/write/update-all.ts'
import { codeOf, firmStore, refusalOf, TestStore } from './firm-store.ts'

interface Change {
  readonly key: unknown
  readonly patch: unknown
  readonly stamp?: number
}

const updateAll = (store: TestStore, name: string, changes: readonly unknown[]): number =>
  updateMany(store.writer, store.table(name), changes)

function filled(): TestStore {
  const store = firmStore()
  for (let i = 1; i <= 5; i++) store.insert('Person', { name: `P${i}`, pay: i, email: `${i}@x` })
  return store
}

test('a batch of updates has the same effect as single updates in a transaction', () => {
  const changes: readonly Change[] = [
    { key: 1, patch: { pay: 10 }, stamp: 1 },
    { key: 2, patch: { email: 'free@x' } },
    { key: 3, patch: { email: '2@x', mentor: 4 } },
    { key: 4, patch: { name: 'P4!' }, stamp: 1 },
    // The stamp that the first update leads to.
    { key: 1, patch: { pay: 11 }, stamp: 2 },
    { key: 5, patch: { pay: 5 }, stamp: 1 },
  ]
  const batch = filled()
  const single = filled()
  expect(updateAll(batch, 'Person', changes)).toBe(6)
  single.writer.transact(() => {
    for (const { key, patch, stamp } of changes) single.update('Person', key, patch, stamp)
  })
  expect(batch.keys('Person').map((key) => batch.read('Person', key))).toEqual(
    single.keys('Person').map((key) => single.read('Person', key)),
  )
  expect(batch.writer.globalStamp).toBe(single.writer.globalStamp)
  batch.verify()
})

test.each<[string, Change]>([
  ['stampChanged', { key: 5, patch: { pay: 0 }, stamp: 4 }],
  ['stampChanged', { key: 5, patch: { pay: 0 }, stamp: 0 }],
  ['stampChanged', { key: 1, patch: { pay: 7 }, stamp: 3 }],
  ['argumentInvalid', { key: 5, patch: { pay: 0 }, stamp: Number.NaN }],
  ['entityNotFound', { key: 9, patch: { pay: 0 } }],
  ['valueInvalid', { key: 5, patch: { pay: 'much' } }],
  ['validationFailed', { key: 5, patch: { pay: -1 } }],
  ['uniqueViolation', { key: 5, patch: { email: '1@x' } }],
])('a batch that is refused changes nothing (%s: %j)', (code, last) => {
  const store = filled()
  const before = store.state()
  expect(codeOf(() => updateAll(store, 'Person', [{ key: 1, patch: { pay: 9 } }, last]))).toBe(code)
  expect(store.state()).toBe(before)
  expect(store.writer.globalStamp).toBe(5)
})

test('a stale stamp is found before values are checked, and leaves an open transaction as it was', () => {
  const store = filled()
  store.writer.transact(() => {
    store.update('Person', 2, { pay: 20 })
    const refused = refusalOf(() =>
      updateAll(store, 'Person', [
        { key: 1, patch: { pay: 'much' } },
        { key: 2, patch: { pay: 0 }, stamp: 1 },
      ]),
    )
    expect(refused.code).toBe('stampChanged')
    expect(refused.details).toMatchObject({ key: '2', given: 1, stored: 2 })
    expect(updateAll(store, 'Person', [{ key: 2, patch: { pay: 21 }, stamp: 2 }])).toBe(1)
  })
  expect(store.read('Person', 2)).toMatchObject({ pay: 21, stamp: 3 })
})

test('a batch that is refused after staging some updates prevents the commit of its transaction', () => {
  const store = filled()
  const before = store.state()
  expect(
    codeOf(() =>
      store.writer.transact(() => {
        codeOf(() =>
          updateAll(store, 'Person', [
            { key: 1, patch: { pay: 9 } },
            { key: 2, patch: { pay: 'much' } },
          ]),
        )
      }),
    ),
  ).toBe('valueInvalid')
  expect(store.state()).toBe(before)
})

test.each([
  [null],
  [7],
  [[]],
  [{}],
  [{ key: 1 }],
  [{ patch: undefined, key: 1 }],
  [{ patch: () => {}, key: 1 }],
])('an invalid update is refused: %j', (item) => {
  const store = filled()
  expect(codeOf(() => updateAll(store, 'Person', [{ key: 1, patch: { pay: 9 } }, item]))).toBe(
    'argumentInvalid',
  )
  expect(store.read('Person', 1)).toMatchObject({ pay: 1, stamp: 1 })
})

test('hooks run for each update, and their writes count for the stamps of later updates', () => {
  const Task = defineDataClass(
    'Task',
    { ID: attribute.long({ key: true }), rank: attribute.number() },
    {
      hooks: {
        beforeSave: (draft) => {
          if (draft.rank === 5) store.update('Task', 2, { rank: 6 }, 1)
        },
      },
    },
  )
  const store: TestStore = new TestStore([Task])
  for (const ID of [1, 2]) store.insert('Task', { ID, rank: 0 })
  expect(
    updateAll(store, 'Task', [
      { key: 1, patch: { rank: 5 }, stamp: 1 },
      { key: 2, patch: { rank: 7 }, stamp: 2 },
    ]),
  ).toBe(2)
  expect(store.read('Task', 2)).toMatchObject({ rank: 7, stamp: 3 })
})
