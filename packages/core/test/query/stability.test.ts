import { describe, expect, test } from 'vitest'
import { type Goods, goodsStore, type Selection } from './goods-store.ts'
import {
  FILTERS,
  type Kind,
  MADE,
  mustBe,
  placesOf,
  TIMES,
  withOrders,
} from './kinds-of-members.ts'
import { type Good, inOrder, MAKERS, type PlainShop, plainGoods, without } from './plain-goods.ts'

const GOODS = plainGoods(48)
const HOLES = [6, 20, 21]
const BEFORE = without({ makers: MAKERS, goods: GOODS }, HOLES)
const REMOVED = [2, 12, 30, 31, 44, 48]
const CHANGED: readonly (readonly [number, Partial<Good>])[] = [
  [1, { weight: 18, label: 'blue', size: 17, stock: 3, isOpen: true }],
  [5, { weight: null, label: null, size: null, stock: null, day: null }],
  [7, { weight: 7, label: 'RED', size: -5, stock: 8, price: 0, maker: 'm3' }],
  [9, { weight: 0.5, label: 'aa', size: 9, stock: 1, name: 'a0', notes: { grade: 2 } }],
  [40, { weight: 5, label: 'rose', size: 5, stock: -9, serial: 'A', part: 1 }],
]
const NEWCOMERS = [101, 102, 103, 104, 105, 106, 107, 108, 109, 110]

/** Removals, updates and insertions, some into slots of removed records. Each is a commit. */
function write(goods: Goods): void {
  for (const ID of REMOVED.slice(0, 4)) goods.remove(ID)
  for (const [ID, change] of CHANGED) goods.update(ID, change)
  const [like] = plainGoods(1)
  for (const ID of NEWCOMERS)
    goods.insert({ ...like, ID, serial: null, weight: 16, label: 'red', stock: 3, size: 9 })
  for (const ID of REMOVED.slice(4)) goods.remove(ID)
}
/** The shop that `write` leaves, without inserted goods. */
function afterwards(): PlainShop {
  const { makers, goods } = without(BEFORE, REMOVED)
  const changes = new Map(CHANGED)
  return { makers, goods: goods.map((good) => ({ ...good, ...changes.get(good.ID) })) }
}
const places = (rows: readonly Good[]) =>
  rows.map(({ ID }) => (REMOVED.includes(ID) ? undefined : ID))

const KINDS: readonly Kind[] = [
  ...FILTERS,
  ...FILTERS.flatMap((kind, at) => withOrders(kind).filter((_, turn) => (at + turn) % 6 === 0)),
  ...MADE.filter((_, at) => at % 5 < 2),
]
const HABITS: readonly (readonly [string, (selection: Selection) => unknown])[] = [
  ['nothing was read before', () => null],
  ['a page was read before', (selection) => selection.page(1, 2).keys()],
  ['they were counted before', (selection) => selection.count],
  ['they were all read before', (selection) => selection.keys()],
  ['they were settled before', (selection) => selection.settle()],
]

describe.each(HABITS)('members are those at creation, where %s', (_name, read) => {
  test.each([0, 1, 2, 3, 4])('(part %i)', (part) => {
    const { goods } = goodsStore(MAKERS, GOODS, { removed: HOLES, indexed: part % 2 === 0 })
    const made = KINDS.filter((_, at) => at % 5 === part).map(({ make, rows }) => {
      const selections = Array.from({ length: TIMES }, () => make(goods))
      for (const selection of selections) read(selection)
      return { selections, expected: places(rows(BEFORE)) }
    })
    write(goods)
    for (const { selections, expected } of made) {
      let turn = 0
      mustBe(() => selections[turn++], expected)
    }
  })
})

test('adding or dropping indexes does not change members or their order', () => {
  for (const indexed of [true, false]) {
    const { goods } = goodsStore(MAKERS, GOODS, { removed: HOLES, indexed })
    const made = KINDS.filter((_, at) => at % 3 === 0).map(({ make, rows }) => ({
      selection: make(goods),
      expected: places(rows(BEFORE)),
    }))
    write(goods)
    for (const name of ['weight', 'label', 'stock', 'day'])
      if (indexed) goods.dropIndex(name)
      else goods.createIndex(name)
    for (const { selection, expected } of made) mustBe(() => selection, expected)
  }
})

const after = afterwards()
const OF_OLD: readonly (readonly [
  string,
  (one: Selection, goods: Goods) => Selection,
  (old: readonly Good[]) => readonly unknown[],
])[] = [
  [
    'in an order: the living by their values of now, then those that are gone as they stood',
    (one) => one.orderBy('weight desc, name'),
    (old) => [
      ...inOrder(after, nowOf(old), 'weight desc, name').map(({ ID }) => ID),
      ...places(old).filter((key) => key === undefined),
    ],
  ],
  [
    'filtered: by values of now',
    (one) => one.query('weight > 6'),
    (old) => nowOf(old).flatMap(({ ID, weight }) => ((weight ?? 0) > 6 ? [ID] : [])),
  ],
  ['a page: places stay', (one) => one.page(1, 20), (old) => places(old).slice(1, 21)],
  [
    'cleaned: without those that are gone',
    (one) => one.clean(),
    (old) => nowOf(old).map(({ ID }) => ID),
  ],
  [
    'together with newcomers: these come last',
    (one, goods) => one.or(goods.query('ID > 100')),
    (old) => [...nowOf(old).map(({ ID }) => ID), ...NEWCOMERS],
  ],
  ['common with newcomers: none', (one, goods) => one.and(goods.query('ID > 100')), () => []],
  [
    'without newcomers: the living',
    (one, goods) => one.except(goods.query('ID > 100')),
    (old) => nowOf(old).map(({ ID }) => ID),
  ],
]
const nowOf = (old: readonly Good[]) =>
  old.flatMap(({ ID }) => after.goods.find((good) => good.ID === ID) ?? [])

describe('a selection derived after changes', () => {
  test.each(OF_OLD)('%s', (_name, make, expected) => {
    for (const indexed of [true, false]) {
      const { goods } = goodsStore(MAKERS, GOODS, { removed: HOLES, indexed })
      const made = KINDS.filter((_, at) => at % 4 === 2 * Number(indexed)).map((kind) => ({
        old: kind.make(goods),
        rows: kind.rows(BEFORE),
        name: kind.name,
      }))
      write(goods)
      const newcomers = goods.query('ID > 100')
      for (const { old, rows, name } of made) {
        const [part, whole] = [make(old, goods).page(1, 3), make(old, goods)]
        const found = [placesOf(part), placesOf(whole), old.intersects(newcomers)]
        const wanted = expected(rows)
        expect(found, name).toEqual([wanted.slice(1, 4), wanted, false])
      }
    }
  })
})

describe('within a transaction', () => {
  test('staged writes are visible at once, and stay after the commit', () => {
    const { store, goods } = goodsStore(MAKERS, GOODS, { removed: HOLES })
    const kinds = KINDS.filter((_, at) => at % 3 === 1)
    const removed = without(BEFORE, REMOVED)
    const made = store.transact(() => {
      for (const ID of REMOVED) goods.remove(ID)
      const selections = kinds.map(({ make }) => make(goods))
      goods.remove(1)
      return selections
    })
    for (const [at, { name, rows }] of kinds.entries())
      expect(placesOf(made[at]), name).toEqual(
        rows(removed).map(({ ID }) => (ID === 1 ? undefined : ID)),
      )
  })

  test('selections from before it and from a rolled back transaction keep their members', () => {
    const { store, goods } = goodsStore(MAKERS, GOODS, { removed: HOLES })
    const kinds = KINDS.filter((_, at) => at % 3 === 2)
    const before = kinds.map(({ make }) => make(goods))
    expect(() =>
      store.transact(() => {
        write(goods)
        for (const [at, { rows }] of kinds.entries())
          if (at % 2 === 0) expect(placesOf(before[at])).toEqual(places(rows(BEFORE)))
        throw new Error('enough')
      }),
    ).toThrow('enough')
    for (const [at, { rows }] of kinds.entries())
      mustBe(
        () => before[at],
        rows(BEFORE).map(({ ID }) => ID),
      )
  })
})

test('beyond the history, listed members stay, and other selections throw', () => {
  const { goods } = goodsStore(MAKERS, GOODS, { commits: 2 })
  const kinds = withOrders(FILTERS[3]).concat(FILTERS)
  const made = kinds.map(({ make }) => [make(goods), make(goods)] as const)
  const shop = { makers: MAKERS, goods: GOODS }
  for (const [kept] of made) kept.settle()
  write(goods)
  for (const [at, { rows }] of kinds.entries()) {
    const [kept, other] = made[at]
    expect(placesOf(kept)).toEqual(places(rows(shop)))
    expect(other.count).toBe(rows(shop).length)
    try {
      expect(placesOf(other)).toEqual(places(rows(shop)))
    } catch (error) {
      expect(error).toMatchObject({ code: 'historyTrimmed' })
    }
  }
})
