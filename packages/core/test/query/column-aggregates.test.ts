import { beforeAll, describe, expect, test } from 'vitest'
import { type Goods, goodsStore, type Selection } from './goods-store.ts'
import { FILTERS, MADE, withOrders } from './kinds-of-members.ts'
import {
  aggregatesAt,
  aggregatesOf,
  distinctAt,
  type Good,
  MAKERS,
  NUMERIC,
  type PlainShop,
  plainGoods,
  without,
} from './plain-goods.ts'

const GOODS = plainGoods(70)
const GONE = [1, 8, 9, 10, 33, 40, 69]
const SHOP = without({ makers: MAKERS, goods: GOODS }, GONE)
const KINDS = [
  ...FILTERS,
  ...FILTERS.slice(3, 9).flatMap((kind) => withOrders(kind, ['weight desc'])),
  ...MADE.filter((_, at) => at % 9 === 2),
]

const ONE = [
  ...NUMERIC,
  ...[
    'name',
    'label',
    'serial',
    'isOpen',
    'day',
    'seen',
    'upper',
    'makerName',
    'maker.land',
    'maker.founded',
  ],
  ...['notes.grade', 'notes.box.side', 'notes.nowhere', 'part.maker.name'],
]
const MANY = ['users.size', 'users.label', 'users.day', 'part.users.stock', 'users.isOpen']

/** Aggregates, and the shortcuts to each of them, equal those of the values. */
function mustCompute(
  selection: Selection,
  shop: PlainShop,
  rows: readonly Good[],
  path: string,
): void {
  const expected = aggregatesAt(shop, rows, path)
  expect(selection.compute(path), path).toEqual(expected)
  expect([selection.min(path), selection.max(path), selection.countOf(path)]).toEqual([
    expected.min,
    expected.max,
    expected.count,
  ])
  if (expected.sum === null) return
  expect([selection.sum(path), selection.average(path)]).toEqual([expected.sum, expected.average])
}

/** Distinct values, and aggregates of them. */
function mustDiffer(
  selection: Selection,
  shop: PlainShop,
  rows: readonly Good[],
  path: string,
): void {
  const expected = distinctAt(shop, rows, path)
  expect(selection.distinct(path), path).toEqual(expected)
  if (!MANY.includes(path))
    expect(selection.compute(path, { distinct: true })).toEqual(aggregatesOf(path, expected))
}

describe.each([true, false])('in a store with removed records (indexes: %s)', (indexed) => {
  let goods: Goods
  beforeAll(() => {
    ;({ goods } = goodsStore(MAKERS, GOODS, { indexed, removed: GONE }))
  })

  test.each([0, 1, 2])(
    'aggregates of all and of some members equal those of arrays (part %i)',
    (part) => {
      for (const [at, { make, rows }] of KINDS.entries())
        for (const [turn, path] of ONE.entries())
          if ((at + turn) % 9 === part * 3) mustCompute(make(goods), SHOP, rows(SHOP), path)
      for (const [turn, path] of ONE.entries())
        if (turn % 3 === part) mustCompute(goods.all(), SHOP, SHOP.goods, path)
    },
  )

  test.each([0, 1, 2])(
    'distinct values equal those of arrays, in order and in the first spelling (part %i)',
    (part) => {
      const paths = [...ONE, ...MANY]
      for (const [at, { make, rows }] of KINDS.entries())
        for (const [turn, path] of paths.entries())
          if ((at + turn) % 9 === part * 3) {
            // In record order, independent of the members' order.
            const inRecordOrder = [...rows(SHOP)].sort((a, b) => a.ID - b.ID)
            mustDiffer(make(goods), SHOP, inRecordOrder, path)
          }
      for (const [turn, path] of paths.entries())
        if (turn % 3 === part) mustDiffer(goods.all(), SHOP, SHOP.goods, path)
    },
  )

  test('after changes, aggregates and distinct values use the old members and their current values', () => {
    const fresh = goodsStore(MAKERS, GOODS, { indexed, removed: GONE }).goods
    const before = [
      fresh.all(),
      fresh.query('size > 4'),
      fresh.query('weight > 3').orderBy('weight'),
    ]
    const members = [SHOP.goods, ...[FILTERS[19], FILTERS[3]].map(({ rows }) => rows(SHOP))].slice(
      0,
      2,
    )
    for (const one of before) one.distinct('label')
    fresh.remove(2)
    fresh.update(3, { label: 'Blue', size: 400, weight: 0.25, price: null, isOpen: null })
    fresh.update(4, { label: 'yellow', size: null, name: 'new' })
    const changed = without(SHOP, [2])
    const shop = {
      ...changed,
      goods: changed.goods.map((good) =>
        good.ID === 3
          ? { ...good, label: 'Blue', size: 400, weight: 0.25, price: null, isOpen: null }
          : good.ID === 4
            ? { ...good, label: 'yellow', size: null, name: 'new' }
            : good,
      ),
    }
    for (const [at, rows] of members.entries()) {
      const now = shop.goods.filter(({ ID }) => rows.some((row) => row.ID === ID))
      for (const path of [
        'label',
        'size',
        'weight',
        'price',
        'isOpen',
        'name',
        'partSize',
        'makerName',
      ]) {
        mustCompute(before[at], shop, now, path)
        mustDiffer(before[at], shop, now, path)
      }
    }
    for (const path of ['label', 'name', 'size', 'isOpen'])
      mustDiffer(fresh.all(), shop, shop.goods, path)
  })
})

describe('rare values', () => {
  const storeOf = (values: readonly Partial<Good>[], removed: readonly number[] = []): Goods => {
    const nothing = Object.fromEntries(
      Object.keys(GOODS[0]).map((name) => [name, null]),
    ) as unknown as Good
    return goodsStore(
      [],
      values.map((value, at) => ({ ...nothing, ...value, ID: at + 1 })),
      { removed },
    ).goods
  }
  const NOTHING = { count: 0, sum: null, average: null, min: null, max: null }

  test('without values the sum of numbers is 0 and the other aggregates are null', () => {
    for (const goods of [
      storeOf([]),
      storeOf([{}]),
      storeOf([{}, {}, { size: 3, day: '2020-01-01' }], [3]),
    ])
      for (const selection of [
        goods.all(),
        goods.query('ID > 0'),
        goods.empty(),
        goods.all().orderBy('price'),
      ])
        for (const path of ONE.filter((path) => path !== 'ID')) {
          const isNumber = NUMERIC.includes(path) || path.startsWith('notes')
          const expected = { ...NOTHING, sum: isNumber ? 0 : null }
          expect(selection.compute(path), path).toEqual(expected)
          expect(selection.compute(path, { distinct: true }), path).toEqual(expected)
          expect(selection.distinct(path)).toEqual([])
          if (isNumber) expect([selection.sum(path), selection.average(path)]).toEqual([0, null])
        }
  })

  test('a single value is minimum and maximum, below and above zero, at any place', () => {
    for (const value of [-7, -0.25, 0, 0.5, -(2 ** 31), 2 ** 40])
      for (const at of [0, 1, 4, 31, 32]) {
        const name = Number.isInteger(value)
          ? Math.abs(value) > 2 ** 31 - 1
            ? 'total'
            : 'size'
          : 'price'
        const goods = storeOf(
          Array.from({ length: 36 }, (_, place) => (place === at ? { [name]: value } : {})),
        )
        const expected = { count: 1, sum: value, average: value, min: value, max: value }
        const some = goods.from([at + 1, ((at + 1) % 36) + 1])
        for (const selection of [goods.all(), goods.query('ID > 0'), some])
          expect(selection.compute(name)).toEqual(expected)
      }
  })

  test('every way to a sum of fractions or large numbers rounds once', () => {
    for (const [values, sum] of [
      [[0.1, 0.2, 0.3, -0.6], 2.7755575615628914e-17],
      [[1e16, 1, -1e16], 1],
      [[1e16, 1, 1], 1e16 + 2],
      [[1e308, 1e308, -1e308], 1e308],
      [[2 ** 53, 1, 2 ** -60], 2 ** 53 + 2],
      [[-(2 ** 53), -1, -(2 ** -60)], -(2 ** 53) - 2],
      [[2 ** 53, 1], 2 ** 53],
      [[2 ** 53, 3], 2 ** 53 + 4],
      [[2 ** 53, 1, -(2 ** -60)], 2 ** 53],
      [[-(2 ** 53), -1, 2 ** -60], -(2 ** 53)],
      [[2 ** 53, -1], 2 ** 53 - 1],
    ] as const) {
      const goods = storeOf([...values.map((price) => ({ price })), {}])
      const expected = { count: values.length, sum, average: sum / values.length }
      const ids = values.map((_, at) => values.length - at)
      for (const selection of [
        goods.all(),
        goods.query('ID > 0'),
        goods.from(ids),
        goods.query('price != null'),
      ])
        expect(selection.compute('price'), String(values)).toMatchObject(expected)
    }
    const large = 2 ** 53 - 1
    const goods = storeOf([
      { total: large },
      { total: large },
      { total: 3 },
      { total: -large },
      { total: null },
    ])
    const whole = (...values: readonly number[]) =>
      Number(values.reduce((total, value) => total + BigInt(value), 0n))
    expect(goods.all().sum('total')).toBe(whole(large, large, 3, -large))
    expect(goods.from([1, 3, 2]).sum('total')).toBe(whole(large, large, 3))
    expect(goods.query('ID < 4').sum('total')).toBe(whole(large, large, 3))
    expect(goods.from([4]).sum('total')).toBe(-large)
  })

  test('dates have a minimum and maximum and no sum, also before 1970', () => {
    const goods = storeOf([
      { day: '1969-12-30', seen: '1969-12-31T23:59:59.999Z' },
      {},
      { day: '2024-02-29', seen: '2024-02-29T00:00:00.000Z' },
    ])
    for (const selection of [
      goods.all(),
      goods.query('ID > 0'),
      goods.from([3, 2, 1]),
      goods.query('day != null'),
    ]) {
      expect(selection.compute('day')).toEqual({
        count: 2,
        sum: null,
        average: null,
        min: '1969-12-30',
        max: '2024-02-29',
      })
      expect(selection.compute('seen')).toMatchObject({
        sum: null,
        average: null,
        min: '1969-12-31T23:59:59.999Z',
        max: '2024-02-29T00:00:00.000Z',
      })
      expect(selection.distinct('day')).toEqual(['1969-12-30', '2024-02-29'])
      expect(selection.distinct('seen')).toEqual([
        '1969-12-31T23:59:59.999Z',
        '2024-02-29T00:00:00.000Z',
      ])
    }
  })

  test('properties have a sum if all are numbers, and only a count otherwise', () => {
    const grades = (...all: readonly unknown[]) =>
      storeOf(all.map((grade) => ({ notes: { grade } }))).all()
    expect(grades(1, 2.5, null).compute('notes.grade')).toEqual({
      count: 2,
      sum: 3.5,
      average: 1.75,
      min: 1,
      max: 2.5,
    })
    expect(grades(1, 'b', 'A').compute('notes.grade')).toMatchObject({
      count: 3,
      sum: null,
      average: null,
    })
    expect(grades('b', 'A', 'c').compute('notes.grade')).toMatchObject({
      sum: null,
      min: 'A',
      max: 'c',
    })
    expect(grades(true, false).compute('notes.grade')).toEqual({
      count: 2,
      sum: null,
      average: null,
      min: false,
      max: true,
    })
    expect(grades({ a: 1 }, [2], 4).compute('notes.grade')).toMatchObject({
      count: 2,
      sum: 6,
      min: 2,
      max: 4,
    })
    expect(grades({ a: 1 }, [2], 4, 4, 'x').distinct('notes.grade')).toEqual(['x', 2, 4])
    // Text that looks like a date is text inside an object.
    expect(grades('2020-01-01', '10000-01-01').distinct('notes.grade')).toEqual([
      '10000-01-01',
      '2020-01-01',
    ])
  })

  test('of equal spellings that of the first living record shows, also after that record is removed', () => {
    const goods = storeOf(
      ['b', 'Red', 'RED', 'a', 'réd', 'B'].map((label) => ({ label, name: label, serial: null })),
    )
    const all = goods.all()
    expect([all.distinct('label'), all.distinct('name')]).toEqual([
      ['a', 'b', 'Red'],
      ['a', 'b', 'Red'],
    ])
    expect(goods.query('ID > 2').distinct('label')).toEqual(['a', 'B', 'RED'])
    goods.remove(1)
    goods.remove(2)
    expect([goods.all().distinct('label'), goods.all().distinct('name')]).toEqual([
      ['a', 'B', 'RED'],
      ['a', 'B', 'RED'],
    ])
    const labels = goods.all().distinct('label') as unknown[]
    labels.push('mine')
    expect(goods.all().distinct('label')).toEqual(['a', 'B', 'RED'])
    goods.remove(4)
    goods.update(3, { label: 'B' })
    expect(goods.all().distinct('label')).toEqual(['B', 'réd'])
    goods.insert({ ID: 40, label: 'zoo' })
    expect(goods.all().distinct('label')).toEqual(['B', 'réd', 'zoo'])
  })

  test('objects and images have a count and no other aggregate', () => {
    const goods = storeOf([{ notes: {} }, {}, { notes: { grade: 1 } }, { notes: {} }], [4])
    expect([
      goods.all().countOf('notes'),
      goods.from([2]).countOf('notes'),
      goods.from([3, 1]).countOf('notes'),
    ]).toEqual([2, 0, 2])
    expect(goods.all().countOf('notes.grade')).toBe(1)
  })
})
