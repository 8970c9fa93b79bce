import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true }),
  height: attribute.number({ indexed: true }),
  age: attribute.long(),
  kind: attribute.string(),
})
const SIZE = 6000
/** 400 heights with 15 trees each; ages in random order; no index on age and kind. */
const trees = Array.from({ length: SIZE }, (_, i) => ({
  ID: i + 1,
  height: (i * 7919) % 400,
  age: (i * 131) % 997,
  kind: ['oak', 'ash', 'elm'][i % 3],
}))
type Row = (typeof trees)[number]

function wood(commits = 1000) {
  const store = createDataStore({ name: 'wood', dataClasses: [Tree], history: { commits } })
  store.Tree.load(trees)
  return store
}
const keysOf = (rows: readonly Row[]) => rows.map(({ ID }) => ID)

const FILTERS: readonly (readonly [filter: string, isSelected: (row: Row) => boolean])[] = [
  ['age < 500', ({ age }) => age < 500],
  ['age < 500 and kind = "oak"', ({ age, kind }) => age < 500 && kind === 'oak'],
  ['age = 3', ({ age }) => age === 3],
  // The sample predicts many matches, but trees of great height are few.
  ['kind != "oak" and age > 20', ({ kind, age }) => kind !== 'oak' && age > 20],
  ['age > 5000', () => false],
]
const ORDERS: readonly (readonly [order: string, compare: (a: Row, b: Row) => number])[] = [
  ['height', (a, b) => a.height - b.height || a.ID - b.ID],
  ['height desc', (a, b) => b.height - a.height || a.ID - b.ID],
  [
    'height desc, kind',
    (a, b) => b.height - a.height || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.ID - b.ID),
  ],
  ['age, height', (a, b) => a.age - b.age || a.height - b.height || a.ID - b.ID],
]
const PAGES: readonly (readonly [skip: number, top: number])[] = [
  [0, 1],
  [0, 20],
  [7, 31],
  [400, 50],
  [2900, 200],
  [0, SIZE],
]

describe('an ordered page, before the count is read', () => {
  const store = wood()
  test.each(FILTERS)('%s', (filter, isSelected) => {
    for (const [order, compare] of ORDERS) {
      const expected = keysOf(trees.filter(isSelected).sort(compare))
      for (const [skip, top] of PAGES) {
        const page = store.Tree.query(filter).orderBy(order).page(skip, top)
        expect(page.keys()).toEqual(expected.slice(skip, skip + top))
        expect(page.count).toBe(expected.slice(skip, skip + top).length)
      }
      const selection = store.Tree.query(filter).orderBy(order)
      expect(selection.page(3, 5).page(1, 2).keys()).toEqual(expected.slice(4, 6))
      expect(selection.first()?.ID).toBe(expected[0])
      expect(selection.count).toBe(expected.length)
      expect(selection.keys()).toEqual(expected)
    }
  })
})

/** Updates, removals and insertions, each a separate commit. */
function change(store: ReturnType<typeof wood>, [first, second]: readonly number[]): void {
  store.Tree.remove(first)
  store.Tree.update(second, { age: 5001, height: 1000, kind: 'fir' })
  store.Tree.insert({ ID: SIZE + 1, age: 3, height: 401, kind: 'oak' })
}

describe('membership is fixed at creation, whenever the scan runs', () => {
  test.each(FILTERS.slice(0, 4))('%s', (filter, isSelected) => {
    const store = wood()
    const [order, compare] = ORDERS[1]
    const expected = trees.filter(isSelected)
    const ordered = keysOf([...expected].sort(compare))
    const counted = store.Tree.query(filter)
    const read = store.Tree.query(filter)
    const paged = store.Tree.query(filter).orderBy(order)
    change(store, keysOf(expected))
    expect(counted.count).toBe(expected.length)
    expect(read.keys()).toEqual(keysOf(expected).slice(1))
    const gone = expected[0].ID
    expect(paged.page(0, 40).keys()).toEqual(ordered.slice(0, 40).filter((key) => key !== gone))
    expect(paged.count).toBe(expected.length)
  })

  test('many uncounted selections are correct after changes, those of a transaction too', () => {
    const store = wood()
    const [[filter, isSelected]] = FILTERS
    const expected = keysOf(trees.filter(isSelected))
    const held = Array.from({ length: 700 }, () => store.Tree.query(filter))
    store.transact((tx) => {
      held.push(tx.Tree.query(filter))
      tx.Tree.insert({ ID: SIZE + 2, age: 1, height: 1, kind: 'ash' })
    })
    change(store, expected)
    for (const selection of [...held.slice(0, 5), ...held.slice(-3)]) {
      expect(selection.count).toBe(expected.length)
      expect(selection.page(0, 3).keys()).toEqual(expected.slice(1, 3))
    }
  })

  test.each([
    ['a scan', 'age < 500'],
    ['a range', 'height >= 10'],
    ['all', 'ID > 0'],
  ])('%s needs the history until it is settled', (_, filter) => {
    const store = wood(2)
    const keys = store.Tree.query(filter).keys()
    const ordered = store.Tree.query(filter).orderBy('height desc, kind')
    const inOrder = ordered.keys()
    const settled = store.Tree.query(filter).settle()
    const settledOrder = store.Tree.query(filter).orderBy('height desc, kind').settle()
    const held = store.Tree.query(filter)
    change(store, keys)
    expect(() => held.keys()).toThrow(expect.objectContaining({ code: 'historyTrimmed' }))
    expect(settled.keys()).toEqual(keys.slice(1))
    expect(settled.count).toBe(keys.length)
    expect(settledOrder.keys()).toEqual(inOrder.filter((key) => key !== keys[0]))
    expect(ordered.keys()).toEqual(settledOrder.keys())
    // Settling it again, or storing it as an entity set, needs no history either.
    expect(settled.settle().keys()).toEqual(keys.slice(1))
    expect(settled.page(1, 3).settle().settle().count).toBe(3)
    expect(store.entitySets.get(store.entitySets.create(settled))?.count).toBe(keys.length)
  })
})

describe('the order of a deferred scan', () => {
  const [[filter, isSelected]] = FILTERS
  const [byHeight, byHeightDown] = ORDERS
  const members = trees.filter(isSelected)

  test.each([true, false])(
    'has the same members after changes (unordered selection read first: %s)',
    (isFoundFirst) => {
      const store = wood()
      const found = store.Tree.query(filter)
      const ordered = found.orderBy(byHeight[0])
      const other = ordered.orderBy(byHeightDown[0])
      change(store, keysOf(members))
      if (isFoundFirst) expect(found.count).toBe(members.length)
      // The order is that of the creation, although the second member has grown since.
      const isLeft = (key: number) => key !== members[0].ID
      expect(ordered.keys()).toEqual(keysOf([...members].sort(byHeight[1])).filter(isLeft))
      expect(other.keys()).toEqual(keysOf([...members].sort(byHeightDown[1])).filter(isLeft))
      expect([found.count, ordered.count, other.count]).toEqual([
        members.length,
        members.length,
        members.length,
      ])
    },
  )

  test('has the same members when only it is held, and when it was read before', () => {
    const store = wood()
    const paged = store.Tree.query(filter).orderBy(byHeight[0])
    const first = keysOf([...members].sort(byHeight[1])).slice(0, 20)
    expect(paged.page(0, 20).keys()).toEqual(first)
    store.Tree.update(first[0], { age: 999 })
    expect(paged.page(0, 20).keys()).toEqual(first)
    expect(paged.count).toBe(members.length)
  })
})
