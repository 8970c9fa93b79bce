import { describe, expect, expectTypeOf, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const State = defineDataClass('State', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  towns: attribute.relatedEntities('Town', 'state'),
})
const Town = defineDataClass('Town', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ notNull: true }),
  size: attribute.long(),
  wealth: attribute.number(),
  founded: attribute.date({ dateOnly: true }),
  photo: attribute.image(),
  notes: attribute.object<{ tags: string[] }>(),
  count: attribute.long(),
  state: attribute.relatedEntity('State'),
  label: attribute.computed('string', {
    get: (town: { readonly state: { readonly name: string | null } | null }) =>
      town.state?.name ?? 'nowhere',
  }),
})

function country() {
  const store = createDataStore({ name: 'country', dataClasses: [State, Town] })
  store.State.load([
    { ID: 1, name: 'North' },
    { ID: 2, name: 'South' },
  ])
  store.Town.load(
    [1, 2, 3, 4, 5].map((ID) => ({
      ID,
      name: ['ada', 'Ada', 'Bo', 'bo', 'Cy'][ID - 1] as string,
      size: ID * 10,
      state: ID === 5 ? null : 1 + (ID % 2),
    })),
  )
  return store
}
type Towns = ReturnType<ReturnType<typeof country>['Town']['all']>
const byState = (towns: Pick<Towns, 'groupBy'>) =>
  towns.groupBy('state.name', { count: true, size: ['sum'] }).toArray()

describe('groups are of the members as they are now', () => {
  test('after a commit they are computed again; membership stays', () => {
    const store = country()
    const groups = store.Town.query('size >= 20').groupBy('state.name', { size: ['sum'] })
    expect(groups.toArray()).toEqual([
      { 'state.name': null, size: { sum: 50 } },
      { 'state.name': 'North', size: { sum: 60 } },
      { 'state.name': 'South', size: { sum: 30 } },
    ])
    store.Town.update(2, { size: 1000 })
    store.Town.update(1, { size: 1000 })
    store.Town.remove(3)
    expect(groups.toArray()).toEqual([
      { 'state.name': null, size: { sum: 50 } },
      { 'state.name': 'North', size: { sum: 1040 } },
    ])
    expect(groups.count).toBe(2)
  })

  test('a transaction sees its own writes, and a rollback undoes them', () => {
    const store = country()
    const groups = store.Town.all().groupBy('state.name', { count: true })
    const before = groups.toArray()
    expect(() =>
      store.transact((tx) => {
        tx.Town.insert({ ID: 9, name: 'Di', state: 2 })
        expect(tx.Town.all().groupBy('state.name', { count: true }).toArray()).toEqual([
          { 'state.name': null, count: 1 },
          { 'state.name': 'North', count: 2 },
          { 'state.name': 'South', count: 3 },
        ])
        tx.State.remove(2)
        expect(byState(tx.Town.query('size > 0')).map(({ count }) => count)).toEqual([3, 2])
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(groups.toArray()).toEqual(before)
  })

  test('an older global stamp has its own groups', () => {
    const store = country()
    const past = store.at(store.globalStamp)
    const before = byState(store.Town.all())
    store.Town.update(1, { size: 7, state: 1 })
    store.State.update(1, { name: 'Far north' })
    expect(byState(past.Town.all())).toEqual(before)
    expect(past.Town.all().groupBy('state.name', { count: true }).toArray()).toEqual(
      before.map(({ 'state.name': name, count }) => ({ 'state.name': name, count })),
    )
    expect(past.Town.all().groupBy('name', { count: true }).explain().root.operator).toBe(
      'groupByColumns',
    )
    past.dispose()
  })

  test('a page and an order of the selection decide the members only', () => {
    const store = country()
    const page = store.Town.all().orderBy('size desc').page(0, 2)
    expect(byState(page)).toEqual([
      { 'state.name': null, count: 1, size: { sum: 50 } },
      { 'state.name': 'North', count: 1, size: { sum: 40 } },
    ])
    expect(byState(store.Town.empty())).toEqual([])
  })
})

describe('a view', () => {
  test('hidden entities are in no group, and relations to them are empty', () => {
    const view = country().view({ rows: { State: 'name = North', Town: 'size < 50' } })
    const towns = view.dataClass('Town').all()
    const groups = towns.groupBy('state.name', { count: true, 'state.ID': ['max'] })
    expect(groups.toArray()).toEqual([
      { 'state.name': null, count: 2, 'state.ID': { max: null } },
      { 'state.name': 'North', count: 2, 'state.ID': { max: 1 } },
    ])
    expect(towns.groupBy('label', { count: true }).toArray()).toEqual([
      { label: 'North', count: 2 },
      { label: 'nowhere', count: 2 },
    ])
    expect(towns.groupBy('state.name', { count: true }).toArray()).toEqual([
      { 'state.name': null, count: 2 },
      { 'state.name': 'North', count: 2 },
    ])
    // An estimate would count the values of hidden entities.
    const { root } = groups.explain()
    expect([root.estimatedRows, root.actualRows, root.isExact]).toEqual([2, 2, true])
  })

  test('hidden attributes are unknown', () => {
    const view = country().view({ hides: ({ name }) => name === 'size' })
    const towns = view.dataClass('Town').all()
    expect(() => towns.groupBy('size')).toThrow('cannot be found')
    expect(() => towns.groupBy('name', { size: ['sum'] })).toThrow('cannot be found')
  })
})

describe('how groups are computed', () => {
  test('a dictionary or posting lists count whole dataclasses; the rest is one pass', () => {
    const store = country()
    const { Town } = store
    const operatorOf = (groups: { explain(): { root: { operator: string } } }) =>
      groups.explain().root.operator
    expect(operatorOf(Town.all().groupBy('state.name', { count: true }))).toBe(
      'groupByPostingLists',
    )
    expect(operatorOf(Town.query('size > 10').groupBy('state.name', { count: true }))).toBe(
      'groupByColumns',
    )
    expect(operatorOf(Town.all().groupBy('state.name', { size: ['sum'] }))).toBe('groupByColumns')
    // The spellings of "ada" are one group, whose first member decides what is shown.
    expect(operatorOf(Town.all().groupBy('name', { count: true }))).toBe('groupByColumns')
    expect(Town.all().groupBy('name', { count: true }).toArray()).toEqual([
      { name: 'ada', count: 2 },
      { name: 'Bo', count: 2 },
      { name: 'Cy', count: 1 },
    ])
    expect(operatorOf(store.State.all().groupBy('name', { count: true }))).toBe('groupByWords')
  })

  test('the plan is a tree with estimated and actual numbers', () => {
    const groups = country()
      .Town.query('size > 10')
      .groupBy('state.name', { count: true, size: ['average'] })
      .having('size.average > 20')
      .orderBy('count desc')
      .page(0, 1)
    expect(String(groups.explain()).replace(/, \d+\.\d+ ms/g, '')).toBe(
      [
        'Town: size > 10',
        'page  skip 0, top 1  (about 1 rows, found 1)',
        '└─ sort  count desc  (about 1 rows, found 3)',
        '   └─ having  size.average > 20  (about 1 rows, found 3)',
        '      └─ groupByColumns  Town by state.name: count, size.average  (about 2 rows, found 3)',
        '         └─ scan  Town.size > 10  (about 4 rows, found 4)',
      ].join('\n'),
    )
  })
})

test('a read in time slices has the same groups, of each selection its own', () => {
  let now = 0
  const store = createDataStore({
    name: 'slow',
    dataClasses: [State, Town],
    reading: { turnMilliseconds: 2, maxMilliseconds: 1e6, maxRowVisits: 1e8 },
    clock: { now: () => 1_700_000_000_000, monotonic: () => (now += 0.7) },
  })
  store.State.load(Array.from({ length: 9 }, (_, ID) => ({ ID, name: `S${ID % 4}` })))
  store.Town.load(
    Array.from({ length: 300 }, (_, ID) => ({
      ID,
      name: ['a', 'B', 'b'][ID % 3] as string,
      size: (ID * 7) % 50,
      wealth: ((ID * 13) % 40) / 10,
      founded: `20${10 + (ID % 9)}-0${1 + (ID % 7)}-1${ID % 10}`,
      notes: { tags: [`t${ID % 5}`, `t${ID % 2}`] },
      state: ID % 10 === 9 ? null : ID % 9,
    })),
  )
  const ask = (towns: Towns) =>
    [
      towns.groupBy('state.name', { count: true }),
      towns.groupBy('founded.quarter, state.name', { wealth: ['sum', 'average'], name: ['min'] }),
      towns.groupBy('label', { count: true, size: ['countDistinct', 'max'], name: ['max'] }),
      towns.groupBy('notes.tags', { count: true, 'state.name': ['countDistinct'] }),
      towns
        .groupBy('name', { wealth: ['sum'] })
        .having('wealth.sum > 1')
        .orderBy('wealth.sum'),
    ].map((groups) => groups.toArray())
  const all = () => ['', 'ID > 50', 'ID > 51'].map((text) => ask(store.Town.query(text)))
  const expected = all()
  const reading = store.reading(all)
  let turns = 1
  while (!reading.advance()) turns++
  expect(turns).toBeGreaterThan(10)
  expect(reading.value).toEqual(expected)
})

describe('names and aggregates', () => {
  test('rows are typed by their model', () => {
    const rows = country()
      .Town.all()
      .groupBy('name, founded.month', { count: true, size: ['sum', 'average', 'min'] })
      .toArray()
    expectTypeOf(rows).toEqualTypeOf<
      readonly {
        readonly name: string
        readonly 'founded.month': string | null
        readonly count: number
        readonly size: {
          readonly sum: number
          readonly average: number | null
          readonly min: number | null
        }
      }[]
    >()
    expect(rows).toHaveLength(3)
  })

  test('one aggregate needs no list', () => {
    const towns = country().Town.all()
    const rows = towns.groupBy('name', { size: 'sum', ID: ['max'] }).toArray()
    expect(rows).toEqual(towns.groupBy('name', { size: ['sum'], ID: ['max'] }).toArray())
    expectTypeOf(rows).toEqualTypeOf<
      readonly {
        readonly name: string
        readonly size: { readonly sum: number }
        readonly ID: { readonly max: number | null }
      }[]
    >()
  })

  const towns = country().Town.all()
  test.each<readonly [problem: string, run: () => unknown, message: string]>([
    // @ts-expect-error
    ['an unknown attribute', () => towns.groupBy('nam'), '"nam" attribute cannot be found'],
    // @ts-expect-error
    ['a second one', () => towns.groupBy('name, siz'), '"siz" attribute cannot be found'],
    // @ts-expect-error
    ['a span of a text', () => towns.groupBy('size.month'), '"size.month"'],
    ['a span of a text', () => towns.groupBy('name.month'), '"name.month"'],
    // @ts-expect-error
    ['a relation', () => towns.groupBy('state'), 'state.<attribute>'],
    // @ts-expect-error
    ['an image', () => towns.groupBy('photo'), 'cannot be used for groups'],
    // @ts-expect-error
    ['an object', () => towns.groupBy('notes'), 'cannot be used for groups'],
    ['an empty name', () => towns.groupBy('name,' as string), 'separated by commas'],
    // @ts-expect-error
    ['many entities', () => country().State.all().groupBy('towns.name'), 'to one'],
    ['no text', () => towns.groupBy(7 as never), 'must be text'],
    ['no object', () => towns.groupBy('name', null as never), 'must be an object'],
    // @ts-expect-error
    ['a sum of texts', () => towns.groupBy('size', { name: ['sum'] }), 'a sum or an average'],
    // @ts-expect-error
    ['an unknown function', () => towns.groupBy('size', { name: ['avg'] }), 'average, count'],
    // @ts-expect-error
    ['one sum of texts', () => towns.groupBy('size', { name: 'sum' }), 'a sum or an average'],
    // @ts-expect-error
    ['one unknown function', () => towns.groupBy('size', { name: 'avg' }), 'average, count'],
    ['no function', () => towns.groupBy('size', { name: [] }), 'or a list of: average'],
    // @ts-expect-error
    ['no list', () => towns.groupBy('size', { name: true }), 'or a list of: average'],
    // @ts-expect-error
    ['an extreme of images', () => towns.groupBy('size', { photo: ['max'] }), 'an aggregate'],
    ['a value and its aggregate', () => towns.groupBy('size', { size: ['max'] }), 'size.max'],
    ['two counts', () => towns.groupBy('count', { count: true }), '"count"'],
    ['the same twice', () => towns.groupBy('size, size'), '"size"'],
    ['a page', () => towns.groupBy('size').page(-1, 2), 'skip'],
    ['an order of members', () => towns.groupBy('size').orderBy('name'), '"name" attribute'],
    ['an order inside', () => towns.groupBy('size').having('size > 1 order by size'), 'orderBy'],
    ['a bare name', () => towns.groupBy('state.name').having('state = null'), '"state"'],
    ['a wrong value', () => towns.groupBy('size').having('size > x'), 'compared with a number'],
    ['a malformed one', () => towns.groupBy('size').having('size >'), 'character 7'],
  ])('%s is refused', (_problem, run, message) => {
    expect(run).toThrow(message)
  })

  test('images are counted, and an attribute may be called count', () => {
    const groups = towns.groupBy('count', { photo: ['count'], ID: ['count'] })
    expect(groups.toArray()).toEqual([{ count: null, photo: { count: 0 }, ID: { count: 5 } }])
  })

  test('conditions compare dates, texts and numbers as filters do', () => {
    const store = country()
    store.Town.update(1, { founded: '2001-05-20' })
    const groups = store.Town.all().groupBy('founded.month, name', { founded: ['max'] })
    expect(groups.having("founded.month = '2001-05-01'").count).toBe(1)
    expect(groups.having('founded.max > :1', ['2001-05-19']).count).toBe(1)
    expect(groups.having("name = 'B@' and founded.month = null").count).toBe(1)
    expect(groups.having("name in ['ADA', 'cy']").orderBy('name desc').first()?.name).toBe('Cy')
  })
})

test('sums are exact, whatever the order and the size of the numbers', () => {
  const store = country()
  store.Town.updateAll(
    [1e16, 1, -1e16, 1e300, 0.1].map((wealth, at) => ({ key: at + 1, patch: { wealth } })),
  )
  expect(
    store.Town.query('ID <= 3')
      .groupBy('label', { wealth: ['sum'] })
      .toArray(),
  ).toEqual([
    { label: 'North', wealth: { sum: 1 } },
    { label: 'South', wealth: { sum: 0 } },
  ])
  const one = store.Town.all().groupBy('count', { wealth: ['sum', 'average'] })
  expect(one.toArray()).toEqual([
    { count: null, wealth: { sum: 1e300, average: store.Town.all().average('wealth') } },
  ])
  store.Town.updateAll([1, 2, 3].map((key) => ({ key, patch: { wealth: 1.7e308 } })))
  store.Town.update(4, { wealth: -1.7e308 })
  store.Town.update(3, { wealth: -1.7e308 })
  expect(one.first()?.wealth.sum).toBe(store.Town.all().sum('wealth'))
})

test('another word behind a date is refused with the known ones', () => {
  expect(() =>
    country()
      .Town.all()
      .groupBy('founded.decade' as never, { count: true }),
  ).toThrow('Behind a date, write day, week, month, quarter or year.')
})
