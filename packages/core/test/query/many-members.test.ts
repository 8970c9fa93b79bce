import { beforeAll, describe, expect, test } from 'vitest'
import type { Goods } from './goods-store.ts'
import { SIZE, TREES, type Tree, woodStore } from './wood-store.ts'

function folded(text: string | null): string {
  return text?.toLowerCase() ?? ''
}
const between = (value: number | null, low: number, high: number): boolean =>
  value !== null && value >= low && value <= high

const FILTERS: readonly (readonly [filter: string, isKept: (tree: Tree) => boolean])[] = [
  ['height >= 100 and height <= 200', ({ height }) => between(height, 100, 200)],
  ['height < 30', ({ height }) => between(height, 0, 29.9)],
  ['height != 30', ({ height }) => height !== null && height !== 30],
  ['height = null', ({ height }) => height === null],
  ['height in [1, 30, 77.5, 400]', ({ height }) => [1, 30, 77.5, 400].includes(height ?? -1)],
  ['height = 60', ({ height }) => height === 60],
  ['born > 2300', ({ born }) => born > 2300],
  ['born < 300', ({ born }) => born < 300],
  ['born >= 1000 and born < 1300', ({ born }) => between(born, 1000, 1299)],
  ['rank < 400', ({ rank }) => between(rank, 0, 399)],
  ['rank = null', ({ rank }) => rank === null],
  ["kind = 'kind 7'", ({ kind }) => folded(kind) === 'kind 7'],
  ["kind begin 'kind 1'", ({ kind }) => folded(kind).startsWith('kind 1')],
  [
    "kind in ['kind 3', 'kind 4', 'kind 30']",
    ({ kind }) => ['kind 3', 'kind 4', 'kind 30'].includes(folded(kind)),
  ],
  ['kind = null', ({ kind }) => kind === null],
  ["plot = 'field'", ({ plot }) => plot === 'field'],
  ["plot begin 'plot'", ({ plot }) => plot.startsWith('plot')],
  ["plot = 'plot 3'", ({ plot }) => plot === 'plot 3'],
  ["code begin 'c'", ({ code }) => folded(code).startsWith('c')],
  ["code > 'd4'", ({ code }) => folded(code) > 'd4'],
  ['code = null', ({ code }) => code === null],
  ['age < 500', ({ age }) => between(age, 0, 499)],
  ['age < 4', ({ age }) => between(age, 0, 3)],
  [
    "age < 800 and kind begin 'kind 2'",
    ({ age, kind }) => between(age, 0, 799) && folded(kind).startsWith('kind 2'),
  ],
  [
    'height > 250 and age < 300',
    ({ height, age }) => between(height, 250.1, 999) && between(age, 0, 299),
  ],
  [
    'area > 60 and height < 400',
    ({ area, height }) => between(area, 60.1, 999) && between(height, 0, 399.9),
  ],
  ['ID > 0', () => true],
]

const byNumber = (of: (tree: Tree) => number | null) => (a: Tree, b: Tree) =>
  (of(a) ?? -1) - (of(b) ?? -1)
const byText = (of: (tree: Tree) => string | null) => (a: Tree, b: Tree) => {
  const [left, right] = [folded(of(a)), folded(of(b))]
  return left < right ? -1 : left > right ? 1 : 0
}
type Compare = (a: Tree, b: Tree) => number
const down =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(b, a)
const chain =
  (...all: readonly Compare[]): Compare =>
  (a, b) =>
    all.reduce((found, compare) => found || compare(a, b), 0) || a.ID - b.ID
const height = byNumber((tree) => tree.height)
const kind = byText((tree) => tree.kind)

const ORDERS: readonly (readonly [order: string, compare: Compare])[] = [
  ['height', chain(height)],
  [
    'height desc, code',
    chain(
      down(height),
      byText(({ code }) => code),
    ),
  ],
  ['kind, height desc', chain(kind, down(height))],
  ['kind desc', chain(down(kind))],
  ['code', chain(byText(({ code }) => code))],
  ['born desc', chain(down(byNumber(({ born }) => born)))],
  [
    'age, area',
    chain(
      byNumber(({ age }) => age),
      byNumber(({ area }) => area),
    ),
  ],
]
const PAGES: readonly (readonly [skip: number, top: number])[] = [
  [0, 1],
  [0, 7],
  [5, 20],
  [60, 13],
  [200, 60],
  [1100, 9],
]
const idsOf = (rows: readonly Tree[]) => rows.map(({ ID }) => ID)
const REMOVED = [1, 2, 63, 64, 65, 2500, 4711, SIZE]

describe.each([
  ['without holes', [], 0],
  ['with holes', REMOVED, 1],
] as const)('pages of thousands of records, %s', (_name, removed, turn) => {
  const half = FILTERS.filter((_, at) => at % 2 === turn)
  let trees: Goods
  beforeAll(() => {
    ;({ trees } = woodStore(removed))
  })
  const living = TREES.filter(({ ID }) => !(removed as readonly number[]).includes(ID))

  test('in record order equal those of an array, up to the last page', () => {
    for (const [filter, isKept] of half) {
      const expected = idsOf(living.filter(isKept))
      const found = [...PAGES, [expected.length - 3, 5] as const].map(([skip, top]) => {
        const page = trees.query(filter).page(skip, top)
        return [page.keys(), page.count]
      })
      const wanted = [...PAGES, [expected.length - 3, 5] as const].map(([skip, top]) => {
        const keys = expected.slice(skip, skip + top)
        return [keys, keys.length]
      })
      expect(found, filter).toEqual(wanted)
      expect(trees.query(filter).count).toBe(expected.length)
      expect(trees.query(filter).keys().join(), filter).toBe(expected.join())
    }
    for (const [skip, top] of PAGES)
      expect(trees.all().page(skip, top).keys()).toEqual(idsOf(living.slice(skip, skip + top)))
  })

  test.each(ORDERS)('by %s equal those of a sorted array', (order, compare) => {
    const sorted = [...living].sort(compare)
    for (const [filter, isKept] of [...half, ['', () => true] as const]) {
      const expected = idsOf(sorted.filter(isKept))
      const last = expected.length - 2
      const pages = [...PAGES, [last, 4] as const, [last - 30, 8] as const].filter(
        ([skip]) => skip >= 0,
      )
      const found = pages.map(([skip, top]) =>
        trees.query(filter).orderBy(order).page(skip, top).keys(),
      )
      expect(found, filter).toEqual(pages.map(([skip, top]) => expected.slice(skip, skip + top)))
      const counted = trees.query(filter)
      expect(counted.count).toBe(expected.length)
      expect(counted.orderBy(order).page(2, 6).keys()).toEqual(expected.slice(2, 8))
    }
  })

  test('of some ordered members equal those of an array', () => {
    for (const [order, compare] of ORDERS) {
      const sorted = [...living].sort(compare)
      const expected = idsOf(
        sorted.filter(({ age, area }) => between(age, 0, 499) && between(area, 20, 140)),
      )
      const some = trees.query('age < 500').query('area >= 20 and area <= 140')
      for (const [skip, top] of [...PAGES, [expected.length - 2, 9]])
        expect(some.orderBy(order).page(skip, top).keys(), `${order} ${skip}`).toEqual(
          expected.slice(skip, skip + top),
        )
    }
  })

  test('aggregates of whole columns and of parts equal those of the values', () => {
    for (const name of ['height', 'born', 'rank', 'age', 'area'] as const)
      for (const [filter, isKept] of [['', () => true] as const, ...half.slice(0, 4)]) {
        const values = living.filter(isKept).flatMap((tree) => tree[name] ?? [])
        const sum = values.reduce((total, value) => total + value, 0)
        expect(trees.query(filter).compute(name), `${name} ${filter}`).toEqual({
          count: values.length,
          sum,
          average: values.length === 0 ? null : sum / values.length,
          min: values.length === 0 ? null : Math.min(...values),
          max: values.length === 0 ? null : Math.max(...values),
        })
      }
  })
})

test('thousands of members stay the same while records are inserted, updated and removed', () => {
  const { trees } = woodStore(REMOVED)
  const living = TREES.filter(({ ID }) => !REMOVED.includes(ID))
  const gone = [10, 64, 200, 2600, 4800, 4990].filter((ID) => !REMOVED.includes(ID))
  const made = FILTERS.map(([filter, isKept], at) => {
    const [order, compare] = ORDERS[at % ORDERS.length]
    const rows = living.filter(isKept)
    return {
      plain: trees.query(filter),
      paged: trees.query(filter),
      ordered: trees.query(filter).orderBy(order),
      rows: idsOf(rows),
      sorted: idsOf([...rows].sort(compare)),
    }
  })
  for (const ID of gone) trees.remove(ID)
  const changed = {
    height: 150,
    born: 2400,
    rank: 3,
    kind: 'kind 7',
    plot: 'plot 3',
    age: 2,
    area: 100,
  }
  for (const ID of [11, 34, 88, 300, 4000]) trees.update(ID, changed)
  trees.update(301, {
    height: null,
    born: 1,
    rank: null,
    kind: null,
    plot: 'none',
    code: null,
    age: null,
    area: null,
  })
  for (let i = 0; i < 20; i++) trees.insert({ ID: SIZE + 1 + i, ...changed })
  const left = (keys: readonly number[]) => keys.filter((key) => !gone.includes(key))
  for (const [at, { plain, paged, ordered, rows, sorted }] of made.entries()) {
    const [filter] = FILTERS[at]
    expect(paged.page(3, 15).keys(), filter).toEqual(left(rows.slice(3, 18)))
    expect(ordered.page(3, 15).keys(), filter).toEqual(left(sorted.slice(3, 18)))
    expect([plain.count, plain.clean().count], filter).toEqual([rows.length, left(rows).length])
    expect(plain.keys().join(), filter).toBe(left(rows).join())
    expect(ordered.keys().join(), filter).toBe(left(sorted).join())
    expect([SIZE + 1, 11, 301].map((key) => plain.has(key))).toEqual(
      [SIZE + 1, 11, 301].map((key) => rows.includes(key)),
    )
  }
})
