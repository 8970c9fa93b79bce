import { expect } from 'vitest'
import type { Goods, Selection } from './goods-store.ts'
import { type Good, inOrder, type PlainShop, valuesAt } from './plain-goods.ts'

/** A way to create a selection, and the rows that it must have. */
export interface Kind {
  readonly name: string
  readonly make: (goods: Goods) => Selection
  readonly rows: (shop: PlainShop) => readonly Good[]
}

const filter = (text: string, isKept: (good: Good, shop: PlainShop) => boolean): Kind => ({
  name: text,
  make: (goods) => goods.query(text),
  rows: (shop) => shop.goods.filter((good) => isKept(good, shop)),
})
const within = (value: number | null, low: number, high: number): boolean =>
  value !== null && value >= low && value <= high
const fold = (text: string | null): string | null =>
  text?.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase() ?? null

/** All, none, keys, and filters that one index, several indexes, a scan or a relation answers. */
export const FILTERS: readonly Kind[] = [
  { name: 'all', make: (goods) => goods.all(), rows: ({ goods }) => goods },
  { name: 'empty', make: (goods) => goods.empty(), rows: () => [] },
  filter('weight > 1000', () => false),
  filter('weight > 15', ({ weight }) => within(weight, 15.1, 99)),
  filter('weight >= 4 and weight <= 9', ({ weight }) => within(weight, 4, 9)),
  filter('weight != 7', ({ weight }) => weight !== null && weight !== 7),
  filter('weight = null', ({ weight }) => weight === null),
  filter('stock = 3', ({ stock }) => stock === 3),
  filter('stock < 0', ({ stock }) => within(stock, -99, -1)),
  filter('stock in [1, 5, 8]', ({ stock }) => [1, 5, 8].includes(stock ?? 0)),
  filter("label = 'blue'", ({ label }) => label === 'blue'),
  filter("label = 'red'", ({ label }) => fold(label) === 'red'),
  filter("label = 'r@'", ({ label }) => label?.[0].toLowerCase() === 'r'),
  filter("label > 'h'", ({ label }) => (fold(label) ?? '') > 'h'),
  filter('label = null', ({ label }) => label === null),
  filter('ID = 4', ({ ID }) => ID === 4),
  filter('ID = 900000', () => false),
  filter('ID in [9, 2, 900000, 5]', ({ ID }) => [2, 5, 9].includes(ID)),
  filter("day >= '1970-01-05'", ({ day }) => (day ?? '') >= '1970-01-05'),
  filter('size > 4', ({ size }) => within(size, 5, 99)),
  filter(
    'size > 2 and isOpen = true',
    ({ size, isOpen }) => within(size, 3, 99) && isOpen === true,
  ),
  filter('size = null', ({ size }) => size === null),
  filter(
    'weight > 8 and size < 9',
    ({ weight, size }) => within(weight, 8.1, 99) && within(size, -99, 8),
  ),
  filter(
    'weight < 2 or stock > 7',
    ({ weight, stock }) => within(weight, 0, 1.9) || within(stock, 8, 99),
  ),
  filter(
    "maker.land = 'peru'",
    (good, shop) => fold(valuesAt(shop, good, 'maker.land')[0] as string) === 'peru',
  ),
  filter("maker = 'm3'", ({ maker }) => maker === 'm3'),
  filter('users.size > 9', (good, shop) =>
    valuesAt(shop, good, 'users.size').some((size) => (size as number) > 9),
  ),
  filter('notes.grade = 2', ({ notes }) => notes?.grade === 2),
  filter('half > 3', ({ size }) => within(size, 7, 99)),
  {
    name: 'from keys, mixed',
    make: (goods) => goods.from([12, 3, 900_000, 7, 3, 1, 30]),
    rows: ({ goods }) =>
      [12, 3, 7, 1, 30].flatMap((wanted) => goods.find(({ ID }) => ID === wanted) ?? []),
  },
]

const ORDERS: readonly string[] = [
  'weight',
  'weight desc',
  'label',
  'label desc, price',
  'stock desc, weight',
  'size',
  'name desc, size',
  'isOpen, day desc',
  'serial',
  'maker.name, ID desc',
  'partSize desc',
  'notes.grade, upper desc',
]

const orderedKind = (kind: Kind, order: string): Kind => ({
  name: `${kind.name}, by ${order}`,
  make: (goods) => kind.make(goods).orderBy(order),
  rows: (shop) => inOrder(shop, kind.rows(shop), order),
})
export const withOrders = (kind: Kind, orders: readonly string[] = ORDERS): readonly Kind[] =>
  orders.map((order) => orderedKind(kind, order))

const [all] = FILTERS
const byName = (name: string): Kind => FILTERS.find((kind) => kind.name === name) ?? all
const open = byName('size > 4')
const heavy = byName('weight > 15')

/** Derived selections: pages, parts and combinations of two. */
export const MADE: readonly Kind[] = [
  ...FILTERS.flatMap((kind, at): Kind[] => {
    const base = at % 2 === 0 ? kind : orderedKind(kind, ORDERS[at % ORDERS.length])
    return [
      {
        name: `page of ${base.name}`,
        make: (goods) => base.make(goods).page(2, 9),
        rows: (shop) => base.rows(shop).slice(2, 11),
      },
      {
        name: `page of a page of ${base.name}`,
        make: (goods) => base.make(goods).page(1, 12).page(3, 20),
        rows: (shop) => base.rows(shop).slice(4, 13),
      },
      {
        name: `query within ${base.name}`,
        make: (goods) => base.make(goods).query('price > 6'),
        rows: (shop) => base.rows(shop).filter(({ price }) => (price ?? 0) > 6),
      },
      {
        name: `query with an order within ${base.name}`,
        make: (goods) => base.make(goods).query('price > 6 order by name desc'),
        rows: (shop) =>
          inOrder(
            shop,
            base.rows(shop).filter(({ price }) => (price ?? 0) > 6),
            'name desc',
          ),
      },
      {
        name: `${base.name} or size > 4`,
        make: (goods) => base.make(goods).or(open.make(goods)),
        rows: (shop) => [...new Set([...base.rows(shop), ...open.rows(shop)])],
      },
      {
        name: `heavy ones, ordered, and ${base.name}`,
        make: (goods) => heavy.make(goods).orderBy('weight desc').and(base.make(goods)),
        rows: (shop) =>
          inOrder(shop, heavy.rows(shop), 'weight desc').filter((row) =>
            base.rows(shop).includes(row),
          ),
      },
      {
        name: `${base.name} except heavy ones`,
        make: (goods) => base.make(goods).except(heavy.make(goods)),
        rows: (shop) => base.rows(shop).filter((row) => !heavy.rows(shop).includes(row)),
      },
      {
        name: `${base.name}, by price`,
        make: (goods) => base.make(goods).orderBy('price'),
        rows: (shop) => inOrder(shop, base.rows(shop), 'price'),
      },
    ]
  }),
]

/** Keys of members in their places; undefined for removed ones. */
export const placesOf = (selection: Selection): readonly unknown[] =>
  selection.members().map((entity) => entity?.key)

const borders = (count: number): readonly (readonly [skip: number, top: number])[] => [
  [0, 1],
  [0, count],
  [0, count + 5],
  [1, 2],
  [Math.max(0, count - 1), 3],
  [count, 4],
  [Math.floor(count / 2), 3],
  [3, 0],
]
/** How often `mustBe` creates a selection. */
export const TIMES = 12

/**
 * Asserts that every way to read members gives these keys in their places (undefined: removed).
 * Each page is read from a selection that `make` creates, and then all of them from one selection.
 */
export function mustBe(make: () => Selection, places: readonly (number | undefined)[]): void {
  const alive = (keys: readonly (number | undefined)[]) => keys.filter((key) => key !== undefined)
  const living = alive(places)
  const asked = [...living.slice(0, 3), 2, 5, 900_000]
  const pages = borders(places.length).map(([skip, top]) => {
    const page = make().page(skip, top)
    return [page.keys(), page.count, placesOf(page)]
  })
  const [first, counted, listed, selection] = [make(), make(), make(), make()]
  expect({
    pages,
    first: first.first()?.key,
    count: counted.count,
    keys: listed.keys(),
    places: placesOf(selection),
    array: selection.toArray().map(({ key }) => key),
    visited: [...selection].map(({ key }) => key),
    again: selection.keys(),
    page: selection.page(1, 3).keys(),
    clean: [selection.clean().keys(), selection.clean().count],
    has: asked.map((key) => selection.has(key)),
  }).toEqual({
    pages: borders(places.length).map(([skip, top]) => {
      const page = places.slice(skip, skip + top)
      return [alive(page), page.length, page]
    }),
    first: living[0],
    count: places.length,
    keys: living,
    places,
    array: living,
    visited: living,
    again: living,
    page: alive(places.slice(1, 4)),
    clean: [living, living.length],
    has: asked.map((key) => living.includes(key)),
  })
}
