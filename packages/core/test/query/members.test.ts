import { beforeAll, describe, expect, test } from 'vitest'
import { type Goods, goodsStore } from './goods-store.ts'
import { FILTERS, MADE, mustBe, withOrders } from './kinds-of-members.ts'
import { MAKERS, plainGoods, without } from './plain-goods.ts'

const idsOf = (rows: readonly { readonly ID: number }[]) => rows.map(({ ID }) => ID)
const GOODS = plainGoods(70)
const GONE = [1, 8, 9, 10, 33, 40, 69]
const WHOLE = { makers: MAKERS, goods: GOODS }

const SHOPS = [
  ['with indexes', { indexed: true }, WHOLE],
  ['without indexes', { indexed: false }, WHOLE],
  ['with holes', { indexed: true, removed: GONE }, without(WHOLE, GONE)],
  ['with holes, without indexes', { indexed: false, removed: GONE }, without(WHOLE, GONE)],
] as const

describe.each(SHOPS)('in a store %s', (_name, options, shop) => {
  let goods: Goods
  beforeAll(() => {
    ;({ goods } = goodsStore(MAKERS, GOODS, options))
  })

  test('a filter has the same members as an array, in record order, on every page', () => {
    for (const kind of FILTERS) mustBe(() => kind.make(goods), idsOf(kind.rows(shop)))
  })

  test.each([0, 1, 2, 3])(
    'in every order the members are those of a sorted array, on every page (part %i)',
    (part) => {
      const kinds = FILTERS.flatMap((kind, at) =>
        withOrders(kind).filter((_, turn) => (at + turn) % 12 === part * 3),
      )
      for (const { make, rows } of kinds) mustBe(() => make(goods), idsOf(rows(shop)))
    },
  )

  test.each([0, 1, 2, 3])(
    'a derived selection has the same members as arrays (part %i)',
    (part) => {
      const kinds = MADE.filter((_, at) => at % 12 === (part * 3 + Math.floor(at / 12)) % 12)
      for (const { make, rows } of kinds) mustBe(() => make(goods), idsOf(rows(shop)))
    },
  )

  test('negative slice positions count from the end, and a slice stops at the last member', () => {
    for (const kind of [FILTERS[0], FILTERS[3], withOrders(FILTERS[19])[1]]) {
      const expected = idsOf(kind.rows(shop))
      for (const [start, end] of [
        [undefined, undefined],
        [2, undefined],
        [-3, undefined],
        [0, -1],
        [-5, -2],
        [-500, 3],
        [500, 600],
        [4, 500],
        [5, 2],
        [2, -500],
        [0, 0],
        [-1, 1],
      ] as const) {
        expect(kind.make(goods).slice(start, end).keys(), `${start} ${end}`).toEqual(
          expected.slice(start, end),
        )
        expect(kind.make(goods).slice(start, end).count).toBe(expected.slice(start, end).length)
      }
    }
  })
})
