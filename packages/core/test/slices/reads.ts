import type * as Core from '../../src/index.ts'

const KINDS = ['oak', 'Ash', 'ash', 'ELM', 'elm', 'fir', 'yew', 'box']
const WORDS = ['red', 'green', 'blue', 'gold', 'grey', 'pink', 'teal', 'plum']

/** A dataclass with a column of each layout, with and without indexes, and its relations. */
export function forest(core: typeof Core, size: number, monotonic: () => number, turn: number) {
  const { attribute, createDataStore, defineDataClass } = core
  const Plot = defineDataClass('Plot', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
    tag: attribute.string({ unique: true }),
    size: attribute.number(),
    trees: attribute.relatedEntities('Tree', 'plot'),
    region: attribute.relatedEntity('Plot'),
    parts: attribute.relatedEntities('Plot', 'region'),
    regionName: attribute.alias('region.name'),
    half: attribute.computed('number', {
      get: ({ size }: { readonly size: number | null }) => (size ?? 0) / 2,
    }),
  })
  const Tree = defineDataClass('Tree', {
    ID: attribute.long({ key: true }),
    kind: attribute.string({ indexed: true }),
    name: attribute.string(),
    note: attribute.string(),
    exact: attribute.string({ collation: 'exact' }),
    code: attribute.string({ unique: true }),
    sorted: attribute.string({ unique: true, indexed: true }),
    guid: attribute.uuid(),
    text: attribute.string({ words: true }),
    plain: attribute.string(),
    age: attribute.long(),
    height: attribute.number(),
    width: attribute.number({ indexed: true }),
    rank: attribute.long({ indexed: true }),
    day: attribute.date({ dateOnly: true }),
    planted: attribute.date(),
    felled: attribute.date({ indexed: true }),
    span: attribute.duration(),
    isOld: attribute.bool(),
    data: attribute.object<{ tags: (string | number)[]; depth: { n: number } }>(),
    photo: attribute.blob(),
    plot: attribute.relatedEntity('Plot'),
    host: attribute.relatedEntity('Tree'),
    guests: attribute.relatedEntities('Tree', 'host'),
    plotName: attribute.alias('plot.name'),
    loud: attribute.computed('string', {
      get: ({ name }: { readonly name: string | null }) => name?.toUpperCase() ?? null,
    }),
    ratio: attribute.computed('number', {
      get: ({ age, height }: { readonly age: number | null; readonly height: number | null }) =>
        (age ?? 0) * 2 + (height ?? 0),
    }),
  })
  const store = createDataStore({
    name: 'forest',
    dataClasses: [Plot, Tree],
    reading: { turnMilliseconds: turn, maxMilliseconds: 1e15, maxRowVisits: 1e15 },
    clock: { now: () => 1_700_000_000_000, monotonic },
  })
  const plots = Math.floor(size / 4)
  const mixed = (at: number): number => (at * 7919) % size
  store.transact(() => {
    store.Plot.load(
      Array.from({ length: plots }, (_, ID) => ({
        ID,
        name: ID % 17 === 3 ? null : `plot ${(ID * 31) % 211}`,
        tag: `tag ${(ID * 7919) % plots}`,
        size: ID % 13 === 5 ? null : ((ID * 37) % 500) / 4,
        region: ID % 5 === 0 ? null : (ID * 3) % plots,
      })),
    )
    store.Tree.load(
      Array.from({ length: size }, (_, ID) => ({
        ID,
        kind: ID % 29 === 7 ? null : KINDS[(ID * 7) % 8],
        name: ID % 19 === 4 ? null : `${ID % 2 === 0 ? 'T' : 't'}ree ${(ID * 131) % 300}`,
        note: `note ${mixed(ID)}`,
        exact: `${'Xx'[ID % 2]} ${mixed(ID) % 1000}`,
        code: `${'abcd'[(ID * 7) % 4]}${mixed(ID)}`,
        sorted: ID % 11 === 2 ? null : `${'Aa'[ID % 2]}${mixed(ID)}`,
        guid: `${(mixed(ID) + 0x10000000).toString(16)}-0000-4000-8000-${'0'.repeat(12)}`,
        text: `${WORDS[ID % 8]} ${WORDS[(ID >> 3) % 8]} ${WORDS[(ID >> 5) % 8]} word${mixed(ID) % 900}`,
        plain: `${WORDS[ID % 8]} ${WORDS[(ID >> 3) % 8]} ${mixed(ID) % 2000}`,
        age: ID % 23 === 5 ? null : (ID * 131) % 997,
        height: ID % 21 === 3 ? null : mixed(ID) / 7,
        width: ID % 31 === 8 ? null : mixed(ID) / 3,
        rank: (ID * 57) % 400,
        day: day(mixed(ID)),
        planted: ID % 37 === 9 ? null : new Date(Date.UTC(1950, 0, 1) + mixed(ID) * 8_000_000),
        felled: new Date(Date.UTC(1990, 0, 1) + mixed(ID) * 3_600_000),
        span: (ID * 77) % 5000,
        isOld: ID % 3 === 0 ? null : ID % 2 === 0,
        data: { tags: [`t${ID % 50}`, ID % 300], depth: { n: mixed(ID) % 700 } },
        photo: ID % 4 === 0 ? Uint8Array.of(ID % 256) : null,
        plot: ID % 27 === 6 ? null : mixed(ID) % plots,
        host: ID % 6 === 0 ? null : mixed(ID + 1),
      })),
    )
    // Gaps in the record numbers: not every read may take the whole table for its members.
    for (let ID = 5; ID < size; ID += 97) store.Tree.remove(ID)
  })
  return store
}
const day = (at: number): string =>
  new Date(Date.UTC(1960, 0, 1) + at * 86_400_000).toISOString().slice(0, 10)

export type Forest = ReturnType<typeof forest>
type Trees = ReturnType<Forest['Tree']['all']>

/** Members of different kinds: all entities, an index range, a scan, a word, a page, an order. */
const SELECTIONS: { readonly [name: string]: (store: Forest) => Trees } = {
  all: ({ Tree }) => Tree.all(),
  range: ({ Tree }) => Tree.query('width > 30'),
  scan: ({ Tree }) => Tree.query('age > 100'),
}

const FILTERS = [
  'age = 7',
  'age != 7',
  'age > 500',
  'age <= 500 and age > 20',
  'age in [1, 5, 9, 700]',
  'age = null',
  'age != null',
  'height < 300',
  'width < 300',
  'width > 900 or width < 10',
  'width = null',
  'rank = 7',
  'rank in [1, 5, 9, 399]',
  'rank != 8',
  'not(rank < 300)',
  'span > 1000',
  'isOld = true',
  'isOld = null',
  'kind = elm',
  "kind = 'e@'",
  "kind != '@e@'",
  'kind in [oak, fir]',
  "name = 'tree 7'",
  "name = '@7@'",
  "name === 'tree 7'",
  "name begin 'tree 2'",
  "name end '9'",
  "name >= 'tree 2'",
  'name = null',
  "note = '@99@'",
  "note in ['note 1', 'note 17', '@888@']",
  "note > 'note 5'",
  "note === 'note 17'",
  "note != 'note 17'",
  "exact = 'X 7'",
  "exact begin 'x'",
  "code = 'a1@'",
  "code = '@7'",
  "code in ['a17', 'b25', '@99@']",
  "code > 'c'",
  'code != null',
  "sorted = 'a1@'",
  "sorted > 'a5'",
  'sorted = null',
  "sorted = '@77@'",
  "guid = '10000007-0000-4000-8000-000000000000'",
  "guid in ['10000007-0000-4000-8000-000000000000', '10000009-0000-4000-8000-000000000000']",
  "text % 'red'",
  "text % 'red green word7@'",
  "text % 'word@'",
  "text % 'w@ g@ p@'",
  "not(text % 'red')",
  "text = '@red@'",
  "plain % 'red'",
  "plain % 'red 1@'",
  'day > 1965-01-01',
  'day = 1965-01-01',
  'planted > 1960-01-01',
  'felled > 1990-03-01',
  'felled < 1990-02-01 and felled != null',
  "data.tags[] = 't7'",
  'data.depth.n > 100',
  'data = null',
  'photo != null',
  "plot.name = 'plot 7'",
  "plot.name = '@7@'",
  'plot.size > 100',
  'plot.half > 50',
  "plot.tag = 'tag 1@'",
  'plot = null',
  "plot.region.name = 'plot 7'",
  "plotName = '@7@'",
  'plot.trees.age > 990',
  'guests.age > 900',
  'guests.age < 10 and guests.kind = elm',
  'host.host.age > 500',
  'guests.guests.age > 990',
  "loud = '@7@'",
  'ratio > 900',
  "age > 100 and name = '@7@' and plot.size > 20",
  "age > 900 or name = '@77@' or plot.size > 120",
  'width > 100 and age > 100 and plot.half > 20',
] as const

const ORDERS = [
  'age',
  'age desc',
  'height',
  'width',
  'width desc, age',
  'rank, height desc',
  'kind, age',
  'kind',
  'name desc',
  'note',
  'code',
  'code desc, age',
  'sorted',
  'sorted desc',
  'guid',
  'day desc',
  'planted',
  'felled',
  'span, isOld',
  'isOld, note',
  'plot.name',
  'plot.size desc, name',
  'plot.tag',
  'plot.tag desc',
  'plot.half',
  'plot.region.name, age',
  'plotName, age desc',
  'host.sorted',
  'host.code',
  'data.depth.n',
  'loud',
  'ratio desc',
] as const

const PATHS = [
  'ID',
  'age',
  'height',
  'width',
  'rank',
  'kind',
  'name',
  'note',
  'exact',
  'code',
  'sorted',
  'guid',
  'day',
  'planted',
  'felled',
  'span',
  'isOld',
  'data.tags',
  'data.depth.n',
  'plot.name',
  'plot.tag',
  'plot.size',
  'plot.half',
  'plot.region.name',
  'plotName',
  'host.note',
  'host.data.tags',
  'loud',
  'ratio',
] as const

const GROUPS = [
  ...PATHS,
  'planted.month',
  'day.year',
  'day.week',
  'plot.region.size',
  'kind, age',
  'note, height',
  'data.tags, kind',
  'kind, plot.name, isOld',
  'planted.day, name',
] as const

const AGGREGATES = [
  { count: true },
  { age: ['sum', 'average', 'min', 'max', 'count'] },
  { height: ['sum', 'average', 'countDistinct'] },
  { note: ['min', 'max', 'countDistinct'], code: ['max'] },
  { name: ['min', 'countDistinct'], isOld: ['count', 'max'] },
  { 'plot.size': ['sum', 'min', 'countDistinct'], 'plot.tag': ['max'] },
  { 'data.depth.n': ['sum', 'max'], 'data.tags': ['countDistinct', 'min'] },
  { data: ['count'], photo: ['count'] },
  { felled: ['min', 'max'], day: ['max'], ratio: ['sum', 'average'], loud: ['min'] },
] as const

/** A read of each kind, by what it reads. */
export function readsOf(): [name: string, read: (store: Forest) => unknown][] {
  const reads: [string, (store: Forest) => unknown][] = []
  const add = (name: string, read: (store: Forest) => unknown): void =>
    void reads.push([name, read])
  // Each read has one kind of members, in turn.
  const kinds = Object.entries(SELECTIONS)
  let next = 0
  const of = (name: string, read: (some: Trees) => unknown): void => {
    const [kind, make] = kinds[next++ % kinds.length]
    add(`${kind}: ${name}`, (store) => read(make(store)))
  }
  for (const filter of FILTERS) {
    add(`keys of ${filter}`, ({ Tree }) => Tree.query(filter).keys())
    const others: [string, (store: Forest) => unknown][] = [
      [`count of ${filter}`, ({ Tree }) => Tree.query(filter).count],
      [`narrowed by ${filter}`, ({ Tree }) => Tree.query('age > 100').query(filter).keys()],
      [`first page of ${filter}`, ({ Tree }) => Tree.query(filter).page(0, 20).keys()],
      [
        `page of ${filter} in an order`,
        ({ Tree }) => Tree.query(filter).orderBy('width').page(10, 20).keys(),
      ],
    ]
    reads.push(others[reads.length % others.length])
  }
  for (const order of ORDERS) {
    of(`ordered by ${order}`, (some) => some.orderBy(order).keys())
    of(`first by ${order}`, (some) => some.orderBy(order).page(0, 20).keys())
    of(`page by ${order}`, (some) =>
      some
        .orderBy(order)
        .page(Math.floor(some.count / 2), 50)
        .keys(),
    )
    of(`last by ${order}`, (some) => some.orderBy(order).slice(-30).keys())
  }
  for (const path of PATHS) {
    of(`distinct ${path}`, (some) => some.distinct(path as string))
    of(`aggregates of ${path}`, (some) => some.compute(path as 'age'))
    of(`aggregates of distinct ${path}`, (some) => some.compute(path as 'age', { distinct: true }))
  }
  of('distinct to many', (some) => [some.distinct('guests.age'), some.distinct('guests.kind')])
  of('distinct of a page', (some) => some.page(100, 3000).distinct('note'))
  of('count of boxed values', (some) => [some.countOf('photo'), some.countOf('data')])
  of('sums', (some) => [some.sum('height'), some.average('age'), some.min('day'), some.max('note')])
  for (const path of GROUPS)
    of(`groups by ${path}`, (some) => some.groupBy(path as string).toArray())
  for (const each of AGGREGATES) {
    const name = JSON.stringify(each)
    of(`groups by kind with ${name}`, (some) => some.groupBy('kind', each as never).toArray())
    of(`groups by planted with ${name}`, (some) => some.groupBy('planted', each as never).toArray())
    of(`groups by plot.name with ${name}`, (some) =>
      some.groupBy('plot.name', each as never).toArray(),
    )
  }
  of('groups with a condition, an order and a page', (some) =>
    some
      .groupBy('note', { age: ['sum'], name: ['max'] })
      .having('age.sum > :1 and name.max != null', [100])
      .orderBy('name.max desc, age.sum')
      .page(10, 100)
      .toArray(),
  )
  of('explained groups', (some) => some.groupBy('note', { age: ['sum'] }).explain().root.actualRows)
  of('number of groups', (some) => some.groupBy('note').count)
  of('and, or, except', (some) => {
    const old = some.query('age > 500')
    const high = some.query('height > 100')
    return [
      old.and(high).keys(),
      old.or(high).keys(),
      old.except(high).keys(),
      old.intersects(high),
    ]
  })
  of('and, or, except in an order', (some) => {
    const old = some.query('age > 500').orderBy('note')
    const high = some.query('height > 100').orderBy('plot.name')
    return [old.and(high).keys(), old.or(high).keys(), old.except(high).keys()]
  })
  of('orders of orders', (some) => some.orderBy('note').query("name = '@7@'").orderBy('age').keys())
  of('keys', (some) => some.keys())
  of('some members', (some) => [some.first(), some.page(500, 5).toArray(), some.has(77)])
  of('select', (some) => some.select('ID, note, plot.name, host.plot.size'))
  of('select of to many', (some) => some.page(0, 500).select('ID, guests.ID'))
  of('JSON', (some) => some.json('ID, note, plot.name'))
  of('entities', (some) => some.toArray().length)
  of('members', (some) => some.members().length)
  of('an entity set', (some) => {
    const kept = some.orderBy('note') as unknown as { kept(): Trees }
    return kept.kept().page(10, 10).keys()
  })
  add('words by relevance', ({ Tree }) =>
    Tree.query("text % 'red word7@'").orderBy('relevance desc').page(0, 50).keys(),
  )
  add('words by relevance of prefixes', ({ Tree }) =>
    Tree.query("text % 'w@ g@ p@'").orderBy('relevance desc').page(0, 50).keys(),
  )
  add('words by relevance, all', ({ Tree }) =>
    Tree.query("text % 'red' or text % 'blue'").orderBy('relevance desc').keys(),
  )
  add('related entities', ({ Plot }) => Plot.query('trees.age > 990').keys())
  add('related selection', ({ Plot }) => Plot.get(7)?.trees.orderBy('note').keys())
  add(
    'explain',
    ({ Tree }) =>
      Tree.query("note = '@9@' and plot.size > 3").orderBy('note').explain().root.actualRows,
  )
  add('condition', ({ Tree }) => Tree.query("note = '@9@' and rank > 3").condition())
  add('trace', ({ Tree }) => Tree.trace("note = '@9@' and rank > 3 or plot.size > 9").root?.found)
  add('from keys', ({ Tree }) =>
    Tree.from(Array.from({ length: 100 }, (_, at) => at * 7))
      .orderBy('note')
      .keys(),
  )
  return reads
}
