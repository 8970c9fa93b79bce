import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const Parcel = defineDataClass('Parcel', {
  ID: attribute.long({ key: true }),
  weight: attribute.number({ indexed: true }),
  shelf: attribute.long({ indexed: true }),
  street: attribute.string({ indexed: true }),
  label: attribute.string({ indexed: true, unique: true }),
})

const SIZE = 20_000

/**
 * Weights spread evenly, shelves that ascend with the record number, and 200 streets, some of them
 * at one end only.
 */
const parcels = Array.from({ length: SIZE }, (_, i) => ({
  ID: i + 1,
  weight: (i * 7919) % 10_007,
  shelf: SIZE - i,
  street: i < SIZE - 600 ? `main ${(i * 31) % 97}` : `mill ${i % 100}`,
  label: `${(i * 17) % SIZE}`,
}))

function depot() {
  const store = createDataStore({ name: 'depot', dataClasses: [Parcel] })
  store.Parcel.load(parcels)
  return store
}

type Row = (typeof parcels)[number]

/**
 * One index answers each filter: few or many records, spread or at one end, from one posting list
 * or several.
 */
const FILTERS: readonly (readonly [filter: string, isSelected: (row: Row) => boolean])[] = [
  ['weight >= 500 and weight < 520', ({ weight }) => weight >= 500 && weight < 520],
  ['weight >= 500 and weight <= 900', ({ weight }) => weight >= 500 && weight <= 900],
  ['weight > 5000 and weight < 7000', ({ weight }) => weight > 5000 && weight < 7000],
  ['shelf <= 700', ({ shelf }) => shelf <= 700],
  ['shelf > 9000 and shelf < 9900', ({ shelf }) => shelf > 9000 && shelf < 9900],
  ['shelf >= 18000', ({ shelf }) => shelf >= 18_000],
  ['street = "mill 7"', ({ street }) => street === 'mill 7'],
  ['street begin "mill"', ({ street }) => street.startsWith('mill')],
  ['street begin "main 1"', ({ street }) => street.startsWith('main 1')],
  [
    'street in ["main 3", "mill 3", "main 96"]',
    ({ street }) => ['main 3', 'mill 3', 'main 96'].includes(street),
  ],
  ['label begin "17"', ({ label }) => label.startsWith('17')],
  ['label in ["5", "19999", "17", "nobody"]', ({ label }) => ['5', '19999', '17'].includes(label)],
]
const PAGES: readonly (readonly [skip: number, top: number])[] = [
  [0, 1],
  [0, 100],
  [30, 20],
  [150, 100],
  [0, SIZE],
  [590, 100],
]

const keysOf = (rows: readonly Row[]) => rows.map(({ ID }) => ID)

describe('without an order, members come in record order', () => {
  const store = depot()

  test.each(FILTERS)('%s', (filter, isSelected) => {
    const expected = keysOf(parcels.filter(isSelected))
    expect(expected.length).toBeGreaterThan(0)
    for (const [skip, top] of PAGES) {
      const selection = store.Parcel.query(filter)
      expect(selection.page(skip, top).keys()).toEqual(expected.slice(skip, skip + top))
      expect(selection.count).toBe(expected.length)
      // The pages of one selection in turn, then all of it.
      expect(selection.page(skip + top, 10).keys()).toEqual(
        expected.slice(skip + top, skip + top + 10),
      )
      expect(selection.keys()).toEqual(expected)
    }
  })
})

describe('membership is fixed at creation', () => {
  test.each(FILTERS)(
    '%s, when members change, leave and enter between two pages',
    (filter, isSelected) => {
      const store = depot()
      const expected = keysOf(parcels.filter(isSelected))
      const early = store.Parcel.query(filter)
      const late = store.Parcel.query(filter)
      expect(early.page(0, 2).keys()).toEqual(expected.slice(0, 2))
      const [first, second] = expected
      store.Parcel.remove(first)
      store.Parcel.update(second, { weight: -1, shelf: -1, street: 'none', label: 'none' })
      store.Parcel.insert({ ID: SIZE + 1, weight: 510, shelf: 600, street: 'mill 7', label: '17x' })
      for (const selection of [early, late]) {
        expect(selection.count).toBe(expected.length)
        expect(selection.page(0, 50).keys()).toEqual(expected.slice(0, 50).slice(1))
        expect(selection.keys()).toEqual(expected.slice(1))
      }
    },
  )
})

test('a filter gives the same result the first time, the second time and after many others', () => {
  const store = depot()
  const filter = 'weight > :1 and street = "mill 7"'
  const ask = () => store.Parcel.query(filter, [5000]).keys()
  const expected = keysOf(
    parcels.filter(({ weight, street }) => weight > 5000 && street === 'mill 7'),
  )
  expect([ask(), ask(), ask()]).toEqual([expected, expected, expected])
  for (let i = 0; i < 1100; i++) {
    store.Parcel.query(`ID = ${i}`)
    if (i % 2 === 0) store.Parcel.query(`ID = ${i}`)
  }
  expect(ask()).toEqual(expected)
})
