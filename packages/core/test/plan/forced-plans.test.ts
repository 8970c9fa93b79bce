import { beforeAll, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { ExplainNode } from '../../src/model/explain-types.ts'
import { mustBeExact } from '../engine/office-store.ts'

const Shop = defineDataClass('Shop', {
  ID: attribute.long({ key: true }),
  town: attribute.string({ indexed: true }),
  sales: attribute.relatedEntities('Sale', 'shop'),
})
const Sale = defineDataClass('Sale', {
  ID: attribute.long({ key: true }),
  price: attribute.number({ indexed: true }),
  name: attribute.string({ indexed: true }),
  code: attribute.string({ indexed: true }),
  day: attribute.date({ dateOnly: true, indexed: true }),
  paid: attribute.bool(),
  weight: attribute.number(),
  notes: attribute.object(),
  shop: attribute.relatedEntity('Shop'),
})
const TOWNS = ['Ulm', 'Bern', null, 'ulm', 'Graz']
const NAMES = ['ash', 'Ash', 'asp', 'beech', 'birch', null, 'box']
const DAYS = ['2024-01-01', '2024-02-29', null, '2025-03-04']

interface Sold {
  readonly ID: number
  readonly price: number | null
  readonly name: string | null
  readonly code: string
  readonly day: string | null
  readonly paid: boolean | null
  readonly weight: number | null
  readonly notes: { readonly a: number } | null
  readonly shop: number | null
}

/**
 * 12 shops, and 400 sales with nulls, of which every seventh is removed again, so that record
 * numbers have gaps.
 */
function market() {
  const store = createDataStore({ name: 'market', dataClasses: [Shop, Sale] })
  const all = Array.from({ length: 400 }, (_, i): Sold => {
    const mixed = (i * 7919) % 401
    return {
      ID: i,
      price: i % 11 === 3 ? null : mixed % 40,
      name: NAMES[i % 7],
      code: `${'abcd'[mixed % 4]}${mixed}`,
      day: DAYS[mixed % 4],
      paid: [true, false, null][i % 3],
      weight: i % 5 === 0 ? null : mixed % 10,
      notes: i % 4 === 0 ? null : { a: mixed % 3 },
      shop: i % 6 === 0 ? null : mixed % 12,
    }
  })
  store.Shop.load(Array.from({ length: 12 }, (_, ID) => ({ ID, town: TOWNS[ID % 5] })))
  store.Sale.load(all)
  for (const { ID } of all) if (ID % 7 === 2) store.Sale.remove(ID)
  return { store, sales: all.filter(({ ID }) => ID % 7 !== 2) }
}

const townOf = ({ shop }: Sold): string | null =>
  shop === null ? null : (TOWNS[shop % 5]?.toLowerCase() ?? null)
const is = (value: number | null, holds: (value: number) => boolean): boolean =>
  value !== null && holds(value)
const begins = (text: string | null, head: string): boolean =>
  text?.toLowerCase().startsWith(head) === true

const FILTERS: readonly (readonly [text: string, isSelected: (sale: Sold) => boolean])[] = [
  ['ID = 7', ({ ID }) => ID === 7],
  ['ID in [1, 2, 3, 900]', ({ ID }) => ID === 1 || ID === 3],
  ['price = 5', ({ price }) => price === 5],
  ['price != 5', ({ price }) => is(price, (p) => p !== 5)],
  ['price = null', ({ price }) => price === null],
  ['price != null', ({ price }) => price !== null],
  ['price > 10 and price <= 12', ({ price }) => is(price, (p) => p > 10 && p <= 12)],
  [
    'price > 10 and price != 20 and price < 30',
    ({ price }) => is(price, (p) => p > 10 && p !== 20 && p < 30),
  ],
  ['price > 30 and price < 20', () => false],
  ['price < 0', () => false],
  ["name = 'ASH'", ({ name }) => name?.toLowerCase() === 'ash'],
  ["name begin 'as'", ({ name }) => begins(name, 'as')],
  ["name = 'b@h'", ({ name }) => begins(name, 'b') && name?.endsWith('h') === true],
  ["name >= 'asp' and name < 'birch'", ({ name }) => name === 'asp' || name === 'beech'],
  ["name in ['ash', 'box']", ({ name }) => begins(name, 'ash') || name === 'box'],
  ["day > '2024-01-01'", ({ day }) => day !== null && day > '2024-01-01'],
  ["day = '2024-02-29' or day = '2025-03-04'", ({ day }) => day !== null && day !== '2024-01-01'],
  ['paid = false', ({ paid }) => paid === false],
  ['weight > 3 and paid = true', ({ weight, paid }) => is(weight, (w) => w > 3) && paid === true],
  ['notes.a = 1', ({ notes }) => notes?.a === 1],
  [
    "price < 20 and code begin 'b'",
    ({ price, code }) => is(price, (p) => p < 20) && code.startsWith('b'),
  ],
  [
    "price < 20 and name begin 'b' and code begin 'b' and weight != 2 and notes.a = 1",
    ({ price, name, code, weight, notes }) =>
      is(price, (p) => p < 20) &&
      begins(name, 'b') &&
      code.startsWith('b') &&
      is(weight, (w) => w !== 2) &&
      notes?.a === 1,
  ],
  ['not (price = 5)', ({ price }) => price !== 5],
  [
    'not (price < 20 or weight > 3)',
    ({ price, weight }) => !is(price, (p) => p < 20) && !is(weight, (w) => w > 3),
  ],
  ["not (name = 'b@h')", ({ name }) => !(begins(name, 'b') && name?.endsWith('h') === true)],
  ["price = 5 or name = 'box'", ({ price, name }) => price === 5 || name === 'box'],
  ['price = 5 or price = 6', ({ price }) => price === 5 || price === 6],
  [
    "price = 5 or (name = 'box' and paid = true)",
    ({ price, name, paid }) => price === 5 || (name === 'box' && paid === true),
  ],
  ["shop.town = 'ULM'", (sale) => townOf(sale) === 'ulm'],
  [
    "shop.town = 'ulm' and price > 30",
    (sale) => townOf(sale) === 'ulm' && is(sale.price, (p) => p > 30),
  ],
  ["not (shop.town = 'ulm')", (sale) => townOf(sale) !== 'ulm'],
  ["shop.town = 'ulm' or price = 5", (sale) => townOf(sale) === 'ulm' || sale.price === 5],
  ['shop.town = null', (sale) => townOf(sale) === null],
  ['shop = null', ({ shop }) => shop === null],
  ['shop != null and price = 5', ({ shop, price }) => shop !== null && price === 5],
]

describe('every plan of a filter', () => {
  let store: ReturnType<typeof market>['store']
  let sales: readonly Sold[]
  beforeAll(() => {
    ;({ store, sales } = market())
  })
  const operators = ({ operator, inputs }: ExplainNode): readonly string[] => [
    operator,
    ...inputs.flatMap(operators),
  ]

  test.each(FILTERS)(
    '%s finds the same records as a scan, with true counts where they are exact',
    (text, isSelected) => {
      const expected = sales.filter(isSelected).map(({ ID }) => ID)
      expect(store.Sale.query(text).keys()).toEqual(expected)
      const plans = store.Sale.plans(text)
      for (let plan = 0; plan < plans.length; plan++) {
        const selection = store.Sale.query(text, [], { plan })
        expect(selection.keys(), String(plans[plan])).toEqual(expected)
        expect(selection.count).toBe(expected.length)
        const { root } = selection.explain()
        mustBeExact(root)
        expect(root.actualRows).toBe(expected.length)
        // A forced plan is the one listed in `plans`.
        expect(operators(root)).toEqual(operators(plans[plan].root))
      }
      // A number beyond the last plan is refused.
      expect(() => store.Sale.query(text, [], { plan: plans.length })).toThrow(
        `below ${plans.length}`,
      )
    },
  )

  test('covers each operator', () => {
    const asked = [...FILTERS.map(([text]) => text), 'shop.sales.price = 5']
    const met = new Set(
      asked.flatMap((text) => store.Sale.plans(text).flatMap(({ root }) => operators(root))),
    )
    for (const operator of [
      'keyLookup',
      'postingList',
      'indexRange',
      'semiJoinForward',
      'semiJoinBackward',
      'scan',
    ])
      expect(met).toContain(operator)
    for (const operator of ['intersect', 'union', 'complement', 'filter'])
      expect(met).toContain(operator)
    expect(operators(store.Sale.explain('').root)).toEqual(['all'])
  })

  test('of a to-many relation finds the records that a record refers to', () => {
    for (const [text, isSelected] of [
      ['sales.price = 5', ({ price }: Sold) => price === 5],
      ["sales.name = 'box'", ({ name }: Sold) => name === 'box'],
      ['sales.weight > 8', ({ weight }: Sold) => is(weight, (w) => w > 8)],
    ] as const) {
      const wanted = new Set(sales.filter(isSelected).map(({ shop }) => shop))
      const expected = Array.from({ length: 12 }, (_, ID) => ID).filter((ID) => wanted.has(ID))
      const plans = store.Shop.plans(text)
      expect(plans.length).toBeGreaterThan(1)
      for (let plan = 0; plan < plans.length; plan++)
        expect(store.Shop.query(text, [], { plan }).keys(), String(plans[plan])).toEqual(expected)
    }
  })

  test('is the same for given values as for written ones', () => {
    for (const [asked, values, written] of [
      ['price >= :1 and price < :2', [10, 12], 'price >= 10 and price < 12'],
      ['price = :1', [5], 'price = 5'],
      ['name begin :1', ['AS'], "name begin 'AS'"],
      ['day <= :1', ['2024-02-29'], "day <= '2024-02-29'"],
      ['ID > :1 and ID < :1', [7], 'ID > 7 and ID < 7'],
    ] as const) {
      const [given, literal] = [store.Sale.query(asked, [...values]), store.Sale.query(written)]
      expect(given.keys()).toEqual(literal.keys())
      const { operator, isExact, detail } = literal.explain().root
      expect(given.explain().root).toMatchObject({
        operator,
        isExact,
        detail,
        actualRows: given.count,
      })
    }
  })
})
