import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const SIZE = 200
/** Milliseconds that pass at each reading of the clock. */
function woodAt(pace: number) {
  let now = 5000
  let looks: (name: unknown) => void = () => undefined
  const Tree = defineDataClass('Tree', {
    ID: attribute.long({ key: true }),
    kind: attribute.string(),
    name: attribute.string(),
    height: attribute.number(),
    host: attribute.relatedEntity('Tree'),
    guests: attribute.relatedEntities('Tree', 'host'),
    loud: attribute.computed('string', {
      get: ({ name }: { readonly name: string | null }) => {
        looks(name)
        return name?.toUpperCase() ?? null
      },
    }),
    half: attribute.computed('number', {
      get: ({ height }: { readonly height: number | null }) => {
        looks(height)
        return height === null ? null : height / 2
      },
    }),
  })
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Tree],
    reading: { turnMilliseconds: 5, maxMilliseconds: 1e6, maxRowVisits: 1e8 },
    clock: { now: () => 1_700_000_000_000, monotonic: () => (now += pace) },
  })
  store.Tree.load(
    Array.from({ length: SIZE }, (_, at) => ({
      ID: at + 1,
      kind: ['oak', 'Ash', 'ash', 'ELM', 'elm'][(at * 7) % 5],
      name: at % 9 === 4 ? null : `tree ${(at * 131) % 60}`,
      height: at % 11 === 3 ? null : ((at * 79) % 200) / 4,
      host: at % 5 === 0 ? null : (at % 30) + 1,
    })),
  )
  return { store, look: (does: (name: unknown) => void) => void (looks = does) }
}
function finish<R>(reading: { advance(): boolean; readonly value: R }): {
  readonly value: R
  readonly turns: number
} {
  for (let turns = 1; ; turns++) if (reading.advance()) return { value: reading.value, turns }
}

describe('a read in time slices gives the same result as one at once', () => {
  const PATHS = ['name', 'kind', 'loud', 'half', 'host.name', 'host.half'] as const

  type Trees = ReturnType<ReturnType<typeof woodAt>['store']['Tree']['all']>
  const ASKS: readonly (readonly [string, (some: Trees) => readonly unknown[]])[] = [
    [
      'distinct values',
      (some) =>
        [...PATHS, 'guests.kind', 'guests.name'].map((path) => some.distinct(path as string)),
    ],
    ['aggregates', (some) => PATHS.map((path) => some.compute(path as 'name'))],
    [
      'aggregates of distinct values',
      (some) => PATHS.map((path) => some.compute(path as 'name', { distinct: true })),
    ],
    [
      'orders and filters',
      (some) => [
        some.orderBy('kind, name desc, height').page(3, 40).keys(),
        some.orderBy('name').keys(),
        some.orderBy('height desc').keys(),
        some.query("name = '@1@'").count,
        some.select('ID, host.name').length,
      ],
    ],
  ]
  test.each(ASKS)('%s: similar parts of one read do not share results', (_name, ask) => {
    const { store } = woodAt(3)
    const read = () =>
      [
        store.Tree.all(),
        store.Tree.query('ID > 50'),
        store.Tree.query('ID > 170').orderBy('name'),
      ].map(ask)
    const { value, turns } = finish(store.reading(read))
    expect(turns).toBeGreaterThan(3)
    expect(JSON.stringify(value)).toBe(JSON.stringify(read()))
  })

  test('equally many distinct values of another selection have their own order', () => {
    const { store } = woodAt(2)
    const halves = ['ID <= 60', 'ID > 60 and ID <= 120', 'ID > 120 and ID <= 180']
    const read = () => halves.map((filter) => store.Tree.query(filter).distinct('ID'))
    const numbers = (from: number) => Array.from({ length: 60 }, (_, at) => from + at)
    expect(finish(store.reading(read)).value).toEqual([1, 61, 121].map(numbers))
  })

  test('each caller gets its own list: changing it does not change the next result', () => {
    const { store } = woodAt(2)
    const expected = store.Tree.query('ID > 9').distinct('name')
    const read = () => {
      const first = store.Tree.query('ID > 9').distinct('name') as unknown[]
      first.length = 2
      return store.Tree.query('ID > 9').distinct('name')
    }
    expect(finish(store.reading(read)).value).toEqual(expected)
  })

  test.each([
    ['half', 'ID < 100'],
    ['loud', 'ID < 90'],
    ['half', 'ID > 120'],
  ] as const)(
    'aggregates of %s count a record once, even if a time slice ends while it is computed',
    (path, filter) => {
      const { store, look } = woodAt(0.7)
      const read = () => [
        store.Tree.query(filter).compute(path as 'loud'),
        store.Tree.query(filter).distinct(path),
        store.Tree.query(filter).compute(path as 'loud'),
      ]
      const expected = read()
      let depth = 0
      // Parameters are part of the memo key: another value is another query.
      look((name) => {
        if (depth > 0) return
        depth++
        try {
          void store.Tree.query(`name = '@${name}x@' and kind != '@x@'`).count
        } finally {
          depth--
        }
      })
      const { value, turns } = finish(store.reading(read))
      look(() => undefined)
      expect(turns).toBeGreaterThan(3)
      expect(value).toEqual(expected)
    },
  )
})

describe('a slice continues where the last one ended', () => {
  let now = 0
  const COUNT = 20_000
  const Sale = defineDataClass('Sale', {
    ID: attribute.long({ key: true }),
    day: attribute.date({ dateOnly: true }),
    at: attribute.date(),
    code: attribute.string({ indexed: true }),
    note: attribute.string(),
    price: attribute.number(),
    more: attribute.object(),
  })
  const store = createDataStore({
    name: 'sales',
    dataClasses: [Sale],
    reading: { turnMilliseconds: 1, maxMilliseconds: 8000, maxRowVisits: 1e7 },
    // Not the time of this machine, which may be slow: a millisecond is four readings.
    clock: { now: () => 1_700_000_000_000, monotonic: () => (now += 0.25) },
  })
  store.Sale.load(
    Array.from({ length: COUNT }, (_, ID) => {
      const at = new Date(Date.UTC(1950, 0, 1) + ((ID * 7919) % COUNT) * 86_400_000)
      return {
        ID,
        day: at,
        at,
        code: `${ID % 2 === 0 ? 'Ä' : 'a'}${(ID * 7919) % COUNT}`,
        note: `note ${(ID * 31) % COUNT}`,
        price: ((ID * 7919) % COUNT) / 3,
        more: { tags: [ID, `t${ID}`] },
      }
    }),
  )
  const { Sale: sales } = store
  type Sales = ReturnType<typeof sales.all>
  const READS: { readonly [name: string]: (some: Sales) => unknown } = {
    'groups of days': (some) => some.groupBy('day').toArray(),
    'groups of moments': (some) => some.groupBy('at').toArray(),
    'groups of texts': (some) => some.groupBy('code').toArray(),
    'groups of numbers with aggregates': (some) =>
      some.groupBy('price', { note: ['min', 'countDistinct'], ID: ['sum'] }).toArray(),
    'groups of two values': (some) => some.groupBy('note, price').toArray(),
    'groups with a condition and an order': (some) =>
      some
        .groupBy('code', { price: ['sum'] })
        .having('price.sum > :1', [100])
        .orderBy('price.sum desc')
        .page(0, 500)
        .toArray(),
    'distinct values': (some) => [
      some.distinct('at'),
      some.distinct('note'),
      some.distinct('code'),
    ],
    orders: (some) => some.orderBy('note desc, at').page(5000, 200).keys(),
    filters: (some) => some.query("note = '@9@' or more.tags[] = 't7'").keys(),
  }
  test.each(Object.entries(READS))('%s end in slices of a millisecond', (_name, read) => {
    const some = () => read(sales.query('ID < 19000'))
    const { value } = finish(store.reading(some))
    expect(JSON.stringify(value)).toBe(JSON.stringify(some()))
  })

  test('groups of all entities end in slices of a millisecond', () => {
    const all = () => sales.all().groupBy('code').toArray()
    expect(finish(store.reading(all)).value).toEqual(all())
  })
})
