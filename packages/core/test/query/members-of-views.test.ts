import { beforeAll, describe, expect, test } from 'vitest'
import type { View } from '../../src/index.ts'
import { type Goods, goodsStore, type Selection } from './goods-store.ts'
import { FILTERS, MADE, mustBe, placesOf, withOrders } from './kinds-of-members.ts'
import {
  aggregatesAt,
  distinctAt,
  inOrder,
  MAKERS,
  type PlainShop,
  plainGoods,
  valuesAt,
} from './plain-goods.ts'

const GOODS = plainGoods(60)
const WHOLE = { makers: MAKERS, goods: GOODS }

/** The shop of a reader who sees only these rows: relations to other rows are empty. */
function seen(makers: PlainShop['makers'], goods: PlainShop['goods']): PlainShop {
  const codes = makers.map(({ code }) => code)
  const ids = goods.map(({ ID }) => ID)
  return {
    makers,
    goods: goods.map((good) => ({
      ...good,
      maker: codes.includes(good.maker ?? '') ? good.maker : null,
      part: ids.includes(good.part ?? 0) ? good.part : null,
    })),
  }
}
const VIEWS = [
  ['makers', { Maker: "land = 'peru'" }, seen(MAKERS.slice(0, 2), GOODS)],
  [
    'goods',
    { Good: 'size > 0 or size = null' },
    seen(
      MAKERS,
      GOODS.filter(({ size }) => size === null || size > 0),
    ),
  ],
  [
    'goods by an index',
    { Good: 'weight < 12' },
    seen(
      MAKERS,
      GOODS.filter(({ weight }) => weight !== null && weight < 12),
    ),
  ],
  ['both', { Good: 'ID > 9', Maker: "code != 'm1'" }, seen(MAKERS.slice(1), GOODS.slice(9))],
  ['all goods', { Good: false }, seen(MAKERS, [])],
] as const
const idsOf = (rows: readonly { readonly ID: number }[]) => rows.map(({ ID }) => ID)
const KINDS = [
  ...FILTERS,
  ...FILTERS.flatMap((kind, at) => withOrders(kind).slice(at % 12, (at % 12) + 1)),
  ...MADE.filter((_, at) => at % 6 === 1),
]

describe.each(VIEWS)('to a reader who may not see %s', (_name, rows, shop) => {
  let goods: Goods
  let view: View
  let table: Goods
  beforeAll(() => {
    const made = goodsStore(MAKERS, GOODS)
    goods = made.goods
    view = made.store.view({ rows } as never)
    table = view.dataClass('Good') as unknown as Goods
  })

  test('filters, orders and combinations have only visible members', () => {
    for (const kind of KINDS.filter((_, at) => at % 3 === 1))
      mustBe(() => kind.make(table), idsOf(kind.rows(shop)))
  })

  test('aggregates, distinct values and objects include only visible entities', () => {
    const selections = [table.all(), table.query('size > 4').orderBy('weight desc')]
    const members = [shop.goods, inOrder(shop, FILTERS[19].rows(shop), 'weight desc')]
    for (const [at, selection] of selections.entries()) {
      for (const path of [
        'size',
        'label',
        'maker.name',
        'makerName',
        'partSize',
        'part.label',
        'day',
        'half',
      ])
        expect(selection.compute(path), path).toEqual(aggregatesAt(shop, members[at], path))
      const inRecordOrder = [...members[at]].sort((a, b) => a.ID - b.ID)
      for (const path of [
        'label',
        'maker.land',
        'makerName',
        'part.label',
        'users.size',
        'users.maker.name',
        'part.part.name',
      ])
        expect(selection.distinct(path), path).toEqual(distinctAt(shop, inRecordOrder, path))
      const expected = members[at].map((good) => ({
        ID: good.ID,
        makerName: valuesAt(shop, good, 'makerName')[0] ?? null,
        part: good.part === null ? null : { size: valuesAt(shop, good, 'part.size')[0] },
        users: shop.goods.filter(({ part }) => part === good.ID).map(({ ID }) => ({ ID })),
      }))
      expect(selection.select('ID, makerName, part.size, users.ID')).toEqual(expected)
      for (let time = 0; time < 3; time++)
        expect(selection.json('ID, makerName, part.size, users.ID')).toBe(JSON.stringify(expected))
    }
  })

  test('selections of the store are shown without hidden members, in their order', () => {
    for (const { make, rows } of KINDS.filter((_, at) => at % 4 === 0)) {
      const visible = rows(WHOLE).flatMap(({ ID }) =>
        shop.goods.some((good) => good.ID === ID) ? [ID] : [],
      )
      mustBe(() => view.apply(make(goods) as never) as unknown as Selection, visible)
      const together = table.query('ID < 20').or(make(goods))
      const first = idsOf(shop.goods.filter(({ ID }) => ID < 20))
      expect(placesOf(together)).toEqual([
        ...first,
        ...visible.filter((key) => !first.includes(key)),
      ])
    }
  })

  test('explain shows the requested order and no plan', () => {
    expect(
      (view.apply(goods.all().orderBy('size') as never) as unknown as Selection).isSorted,
    ).toBe(true)
    expect((view.apply(goods.all() as never) as unknown as Selection).isSorted).toBe(false)
    const { root } = table.query('size > 3').explain()
    if ('Good' in rows && rows.Good !== undefined)
      expect(root).toMatchObject({
        operator: 'view',
        detail: 'entities of Good that can be seen',
        inputs: [],
      })
  })
})

describe('removed members', () => {
  const rows = { Good: 'size > 0 or size = null' }
  const REMOVED = [1, 4, 5, 30]
  const isSeen = ({ size }: { readonly size: number | null }) => size === null || size > 0
  const shop = seen(MAKERS, GOODS.filter(isSeen))

  test('keep their place for a reader with the same rule, and have none for others', () => {
    const { store, goods } = goodsStore(MAKERS, GOODS)
    const ofView = (given: object) => store.view({ rows: given } as never)
    const kinds = KINDS.filter((_, at) => at % 2 === 1)
    const own = kinds.map(({ make }) => make(ofView(rows).dataClass('Good') as unknown as Goods))
    const whole = kinds.map(({ make }) => make(goods))
    for (const ID of REMOVED) goods.remove(ID)
    const view = ofView(rows)
    for (const [at, kind] of kinds.entries()) {
      const places = idsOf(kind.rows(shop)).map((ID) => (REMOVED.includes(ID) ? undefined : ID))
      expect(placesOf(view.apply(own[at] as never) as unknown as Selection), kind.name).toEqual(
        places,
      )
      const visible = kind.rows(WHOLE).filter((good) => isSeen(good) && !REMOVED.includes(good.ID))
      expect(placesOf(view.apply(whole[at] as never) as unknown as Selection), kind.name).toEqual(
        idsOf(visible),
      )
    }
  })
})
