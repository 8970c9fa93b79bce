import { beforeEach, describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  type TextForm,
} from '../../src/index.ts'

const SIZE = 2000
/** Enough records that a scan does not run before its result is needed. */
const MANY = 4500
let computed = 0
const Plot = defineDataClass('Plot', {
  ID: attribute.long({ key: true }),
  code: attribute.string(),
  trees: attribute.relatedEntities('Tree', 'plot'),
  area: attribute.computed('number', {
    get: ({ ID }: { readonly ID: number }) => {
      computed++
      return ID % 5
    },
  }),
})
const Zone = defineDataClass('Zone', {
  code: attribute.string({ key: true }),
  trees: attribute.relatedEntities('Tree', 'zone'),
  rank: attribute.computed('number', {
    get: ({ code }: { readonly code: string }) => {
      computed++
      return code.length
    },
  }),
})
const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true }),
  height: attribute.number({ indexed: true }),
  kind: attribute.string({ indexed: true }),
  name: attribute.string(),
  age: attribute.long(),
  day: attribute.date({ dateOnly: true }),
  isOld: attribute.bool(),
  plot: attribute.relatedEntity('Plot'),
  zone: attribute.relatedEntity('Zone'),
})

function slowClock() {
  let now = 1000
  return { now: () => 1_700_000_000_000, monotonic: () => (now += 0.001) }
}

function woodStore(maxRowVisits = 1e9, size = SIZE, clock = slowClock()) {
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Plot, Zone, Tree],
    reading: { turnMilliseconds: 1e6, maxMilliseconds: 1e9, maxRowVisits },
    clock,
  })
  store.transact(() => {
    store.Plot.load(Array.from({ length: 12 }, (_, ID) => ({ ID, code: `p${ID % 3}` })))
    store.Zone.load(Array.from({ length: 7 }, (_, at) => ({ code: 'z'.repeat(at + 1) })))
    store.Tree.load(
      Array.from({ length: size }, (_, at) => ({
        ID: at,
        height: (at * 7919) % 503,
        kind: `kind ${at % 20}`,
        name: `n${at % 30}`,
        age: (at * 131) % 997,
        day: `2000-01-${String(1 + (at % 28)).padStart(2, '0')}`,
        isOld: at % 3 === 0 ? null : at % 2 === 0,
        plot: at % 12,
        zone: 'z'.repeat(1 + (at % 7)),
      })),
    )
  })
  return store
}
type Store = ReturnType<typeof woodStore>

/** True if a read visits at most `visits` records. */
function isWithin(visits: number, read: (store: Store) => unknown, size = SIZE): boolean {
  const store = woodStore(visits, size)
  try {
    const reading = store.reading(() => void read(store))
    while (!reading.advance());
    return true
  } catch (error) {
    if (isEntiaError(error, 'budgetExceeded')) return false
    throw error
  }
}

beforeEach(() => {
  computed = 0
})

describe('a read visits', () => {
  test.each<[string, (store: Store) => unknown]>([
    ['aggregates of a column of numbers', ({ Tree }) => Tree.all().compute('age')],
    ['aggregates of a column of days', ({ Tree }) => Tree.all().max('day')],
    [
      'aggregates of numbers of some members',
      ({ Tree }) => Tree.query('height < 100').compute('age'),
    ],
    ['distinct words', ({ Tree }) => [Tree.all().distinct('name'), Tree.all().distinct('kind')]],
    ['a page of all', ({ Tree }) => Tree.all().page(700, 20).keys()],
    ['a page of one word', ({ Tree }) => Tree.query("kind = 'kind 7'").page(10, 20).keys()],
    ['all keys of one word', ({ Tree }) => Tree.query("kind = 'kind 7'").keys()],
    ['an ordered page of all', ({ Tree }) => Tree.all().orderBy('height').page(700, 20).keys()],
    [
      'an ordered page of a range',
      ({ Tree }) => Tree.query('height < 100').orderBy('height desc').page(7, 20).keys(),
    ],
    ['counts', ({ Tree }) => [Tree.all().count, Tree.query('height < 100').count]],
  ])('no records one by one for %s', (_name, read) => {
    expect(isWithin(1, read)).toBe(true)
  })

  test('only the records that fill an ordered page, if most records are members', () => {
    const isLess = (read: (store: Store) => unknown) => isWithin(MANY / 4, read, MANY)
    expect(isLess(({ Tree }) => Tree.query('age < 900').orderBy('height').page(0, 9).keys())).toBe(
      true,
    )
    expect(isLess(({ Tree }) => Tree.query('age < 900').orderBy('height').first())).toBe(true)
    expect(isLess(({ Tree }) => Tree.query('age < 900').orderBy('height').count)).toBe(false)
  })

  test('each record once for a page far from the beginning', () => {
    const read = ({ Tree }: Store) =>
      Tree.query('age < 900').orderBy('height').page(3000, 900).keys()
    expect([isWithin(MANY - 1, read, MANY), isWithin(MANY, read, MANY)]).toEqual([false, true])
  })

  test('each member once for the distinct values of a text', () => {
    const read = ({ Tree }: Store) => Tree.query('height < 100').compute('name')
    const { count } = woodStore().Tree.query('height < 100')
    expect([isWithin(count - 1, read), isWithin(count, read)]).toEqual([false, true])
    const words = ({ Tree }: Store) => Tree.query('height < 100').distinct('name')
    expect([isWithin(count - 1, words), isWithin(count, words)]).toEqual([false, true])
  })
})

describe('both ends of an order are found without sorting it', () => {
  const size = 20_000
  /** A sliced read looks at the clock after each block of records. */
  const blocksOf = (order: string, skip: number): number => {
    let blocks = 0
    const clock = { now: () => 1_700_000_000_000, monotonic: () => ++blocks }
    const store = woodStore(1e9, size, clock)
    blocks = 0
    const reading = store.reading(() => store.Tree.all().orderBy(order).page(skip, 20).keys())
    while (!reading.advance());
    return blocks
  }
  test.each([
    ['isOld', 0.5], // a third of the records have none
    ['isOld desc', 0.5],
    ['name desc', 0.5],
    ['name, age', 0.5],
    ['age', 0.5],
    // The values of all records are read first, and distributed by counting.
    ['zone.code', 0.8],
    ['zone.code desc, isOld', 0.8],
  ])('by %s', (order, part) => {
    const sorted = blocksOf(order, size / 2)
    expect(blocksOf(order, 0)).toBeLessThan(sorted * part)
    expect(blocksOf(order, size - 20)).toBeLessThan(sorted * part)
  })
  test.each(['zone.code', 'zone.code desc, isOld'])(
    'by %s, and a page in the middle reads each record three times for each term',
    (order) => {
      const terms = order.split(',').length
      const reads = (size / 64) * (terms + 2)
      expect(blocksOf(order, size / 2)).toBeLessThan(reads * 1.2)
    },
  )
})

describe('a computed attribute behind a relation is computed once', () => {
  test('for each related entity, however many records lead there', () => {
    const { Tree } = woodStore()
    expect([Tree.all().distinct('plot.area'), computed]).toEqual([[0, 1, 2, 3, 4], 12])
    computed = 0
    expect([Tree.query('ID < 4').distinct('plot.area'), computed]).toEqual([[0, 1, 2, 3], 4])
    computed = 0
    expect([Tree.all().distinct('zone.rank'), computed]).toEqual([[1, 2, 3, 4, 5, 6, 7], 7])
  })
})

describe('a text form calls the writer of a value', () => {
  let calls = 0
  const form = (attribute: string): TextForm => ({
    pieces: [
      {
        kind: 'value',
        head: '',
        attribute,
        write: (value) => `${value}${++calls > 0 ? '' : '!'};`,
      },
    ],
    end: '',
  })
  const asked = (store: Store, one: TextForm, skip: number, top: number): number => {
    calls = 0
    const page = store.Tree.all().page(skip, top)
    const { pieces } = one
    const { attribute } = pieces[0] as { readonly attribute: 'name' }
    expect(page.texts(one).join('')).toBe(
      page
        .toArray()
        .map((tree) => `${tree[attribute]};`)
        .join(''),
    )
    return calls
  }

  test('once for each word, each day and each boolean', () => {
    for (const [attribute, differing] of [
      ['name', 30],
      ['kind', 20],
      ['day', 28],
    ] as const) {
      const store = woodStore()
      const one = form(attribute)
      expect([asked(store, one, 0, SIZE), asked(store, one, 3, 900)]).toEqual([differing, 0])
    }
    const store = woodStore()
    const one = form('isOld')
    calls = 0
    store.Tree.all().texts(one)
    expect(calls).toBe(3)
  })

  test('not again for records that are read repeatedly, until they change', () => {
    const store = woodStore()
    const one = form('height')
    expect([1, 2, 3, 4, 5].map(() => asked(store, one, 10, 20))).toEqual([20, 20, 20, 0, 0])
    store.Tree.update(12, { height: 1 })
    store.Tree.update(13, { age: 1 })
    expect([1, 2].map(() => asked(store, one, 10, 20))).toEqual([2, 0])
    expect([1, 2].map(() => asked(store, one, 25, 10))).toEqual([5, 5])
    expect(asked(store, one, 25, 10)).toBe(0)
  })

  test('each time for very large reads, which are not cached', () => {
    const store = woodStore()
    const one = form('height')
    expect([1, 2, 3, 4, 5].map(() => asked(store, one, 0, 1025))).toEqual([
      1025, 1025, 1025, 1025, 1025,
    ])
    expect([1, 2, 3, 4].map(() => asked(store, one, 0, 1024))).toEqual([1024, 1024, 1024, 0])
  })
})
