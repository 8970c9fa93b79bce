import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type LiveDelta,
  type TextForm,
} from '../../src/index.ts'

// Everything that starts from the selections of a view, such as writes, functions, live queries and
// text, stays within the view.

const Shop = defineDataClass('Shop', {
  ID: attribute.long({ key: true }),
  town: attribute.string(),
  tills: attribute.relatedEntities('Till', 'shop'),
})
const Till = defineDataClass(
  'Till',
  {
    ID: attribute.long({ key: true }),
    sum: attribute.number(),
    queue: attribute.long({ indexed: true }),
    shop: attribute.relatedEntity('Shop', { onDelete: 'null' }),
  },
  {
    functions: {
      keys: { on: 'selection', run: ({ selection }, more: number) => [...selection.keys(), more] },
    },
  },
)

/** Of four tills, the second is hidden, and so is the shop of the third. */
function market() {
  const store = createDataStore({ name: 'market', dataClasses: [Shop, Till] })
  store.Shop.load([
    { ID: 1, town: 'Oslo' },
    { ID: 2, town: 'Rome' },
  ])
  store.Till.load([
    { ID: 1, sum: 10, shop: 1 },
    { ID: 2, sum: 99, shop: 1 },
    { ID: 3, sum: 30, shop: 2 },
    { ID: 4, sum: 5 },
  ])
  const view = store.view({ rows: { Till: 'sum < 50', Shop: "town = 'Oslo'" } })
  return { store, view, tills: view.dataClass('Till') }
}

describe('a selection of a view that hides entities', () => {
  test('removes its visible members and returns their number', () => {
    const { store, tills } = market()
    expect(tills.query('sum > :1', [8]).remove()).toBe(2)
    expect(store.Till.all().keys()).toEqual([2, 4])
    expect(tills.all().keys()).toEqual([4])
  })

  test('passes its visible members and the arguments to a function', () => {
    const { tills } = market()
    expect(tills.query('sum > 8').call('keys', 7)).toEqual([1, 3, 7])
  })

  test('has live deltas of visible entities only', () => {
    const { store, tills } = market()
    const reported: LiveDelta[] = []
    const live = tills.query('sum > 8').live((delta) => {
      reported.push(delta as LiveDelta)
    })
    store.Till.update(4, { sum: 9 })
    store.Till.update(1, { sum: 60 })
    store.Till.update(2, { sum: 100 })
    store.Till.update(2, { sum: 40 })
    live.stop()
    store.Till.update(3, { sum: 1 })
    expect(
      reported.map(({ entered, changed, left }) => [
        entered.map(({ key }) => key),
        changed.length,
        left,
      ]),
    ).toEqual([
      [[4], 0, []],
      [[], 0, [1]],
      [[2], 0, []],
    ])
  })

  test('is written as text without hidden values', () => {
    const { store, tills } = market()
    const rows = (found: { json(paths: string): string }) =>
      JSON.parse(found.json('ID, shop.town')) as unknown
    expect(rows(tills.query('sum > 8'))).toEqual([
      { ID: 1, shop: { town: 'Oslo' } },
      { ID: 3, shop: null },
    ])
    const shops: TextForm = {
      pieces: [{ kind: 'relatedKey', head: '', relation: 'shop', write: String }],
      end: '',
    }
    expect(tills.query('sum > 8').texts(shops)).toEqual(['1', 'null'])
    expect(store.Till.query('sum = 30').texts(shops)).toEqual(['2'])
    expect(rows(store.Till.query('sum = 30'))).toEqual([{ ID: 3, shop: { town: 'Rome' } }])
  })

  test('has its members from its creation, whatever was written before they are read', () => {
    const { store, tills } = market()
    const names = store.view({ hides: ({ name }) => name === 'town' }).dataClass('Till')
    const [seen, whole] = [tills.query('sum > 8'), names.query('sum > 8')]
    store.Till.update(4, { sum: 20 })
    store.Till.update(1, { sum: 70 })
    store.Till.update(2, { sum: 1 })
    expect([seen.keys(), seen.count]).toEqual([[1, 3], 2])
    expect([whole.keys(), whole.count]).toEqual([[1, 2, 3], 3])
    expect([tills.query('sum > 8').keys(), names.query('sum > 8').keys()]).toEqual([
      [3, 4],
      [1, 3, 4],
    ])
  })

  test('created in a transaction that is rolled back has the members of that time', () => {
    const { store, tills } = market()
    const names = store.view({ hides: ({ name }) => name === 'town' }).dataClass('Till')
    const made: ReturnType<typeof tills.query>[] = []
    expect(() =>
      store.transact((tx) => {
        tx.Till.update(4, { sum: 20, queue: 4 })
        made.push(tills.query('sum > 8'), names.query('sum > 8'), names.query('queue = 4'))
        throw new Error('given up')
      }),
    ).toThrow('given up')
    expect(made.map((selection) => selection.keys())).toEqual([[1, 3, 4], [1, 2, 3, 4], [4]])
    expect(tills.query('sum > 8').keys()).toEqual([1, 3])
  })
})

test('a plan of a view has durations by the clock of the store', () => {
  let time = 100
  const clock = { now: () => 1000, monotonic: () => (time += 3) }
  const store = createDataStore({ name: 'market', dataClasses: [Shop, Till], clock })
  store.Till.load([{ ID: 1, sum: 10 }])
  const tills = store.view({ hides: ({ name }) => name === 'town' }).dataClass('Till')
  const { root } = tills.query('sum > 8').explain()
  expect([Number(root.milliseconds) % 3, Number(root.milliseconds) > 0]).toEqual([0, true])
})

test('a selection of a view over many records has its members from its creation, counted before or after a write', () => {
  const store = createDataStore({ name: 'market', dataClasses: [Shop, Till] })
  store.Till.load(
    Array.from({ length: 3000 }, (_, i) => ({ ID: i + 1, sum: (i * 7) % 100, queue: i % 10 })),
  )
  for (const options of [
    { rows: { Till: 'ID < 2001' } },
    { hides: ({ name }: { name: string }) => name === 'town' },
  ]) {
    const tills = store.view(options).dataClass('Till')
    const of = () => [
      tills.query('sum < 50 and sum != 7'),
      tills.query('queue = 3'),
      tills.query('sum = 7'),
    ]
    const [now, later] = [of(), of()]
    const keys = now.map((selection) => selection.keys())
    for (const ID of [1, 2, 3, 4, 1500, 1999])
      store.Till.update(ID, { sum: ID % 2 === 0 ? 7 : 99, queue: 3 })
    expect(later.map((selection) => selection.keys())).toEqual(keys)
    expect(later.map((selection) => selection.count)).toEqual(keys.map(({ length }) => length))
    for (const ID of [1, 2, 3, 4, 1500, 1999])
      store.Till.update(ID, { sum: ((ID - 1) * 7) % 100, queue: (ID - 1) % 10 })
  }
})
