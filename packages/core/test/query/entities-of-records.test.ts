import { beforeAll, describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  dataClassOf,
  defineDataClass,
  foreignKeyOf,
  isEntity,
  keyOf,
  stampOf,
  timestampOf,
} from '../../src/index.ts'

const Town = defineDataClass('Town', {
  name: attribute.string({ key: true }),
  region: attribute.string(),
  people: attribute.relatedEntities('Person', 'town'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  email: attribute.string({ unique: true }),
  score: attribute.number(),
  age: attribute.long(),
  serial: attribute.long64(),
  isIn: attribute.bool(),
  born: attribute.date({ dateOnly: true }),
  seen: attribute.date(),
  notes: attribute.object(),
  town: attribute.relatedEntity('Town'),
  bossID: attribute.long(),
  boss: attribute.relatedEntity('Person', { foreignKey: 'bossID' }),
  team: attribute.relatedEntities('Person', 'boss'),
  region: attribute.alias('town.region'),
  bossRegion: attribute.alias('boss.town.region'),
  loud: attribute.computed('string', {
    get: ({ name }: { readonly name: string | null }) => name?.toUpperCase() as never,
  }),
})
const OWN = [
  'ID',
  'name',
  'email',
  'score',
  'age',
  'serial',
  'isIn',
  'born',
  'seen',
  'notes',
  'bossID',
]

const ROWS = [
  {
    ID: 1,
    name: 'Ann',
    email: 'a@x',
    score: 0.5,
    age: 0,
    serial: 2 ** 53 - 1,
    isIn: true,
    born: '1970-01-01',
    seen: '1970-01-01T00:00:00.000Z',
    notes: { a: [1] },
    town: 'Bern',
    bossID: null,
  },
  {
    ID: 2,
    name: null,
    email: null,
    score: null,
    age: null,
    serial: null,
    isIn: null,
    born: null,
    seen: null,
    notes: null,
    town: null,
    bossID: 1,
  },
  {
    ID: 3,
    name: 'ann',
    email: 'A@y',
    score: -1e300,
    age: -(2 ** 31) + 1,
    serial: -(2 ** 53) + 1,
    isIn: false,
    born: '1969-12-31',
    seen: '1969-12-31T23:59:59.999Z',
    notes: [],
    town: 'Nowhere',
    bossID: 2,
  },
  {
    ID: 4,
    name: '',
    email: '',
    score: 0,
    age: 2 ** 31 - 1,
    serial: 0,
    isIn: false,
    born: '9999-12-31',
    seen: '2024-02-29T01:02:03.004Z',
    notes: {},
    town: 'Bern',
    bossID: 3,
  },
]
const ownOf = ({ town: _, ...own }: (typeof ROWS)[number]) =>
  Object.fromEntries(OWN.map((name) => [name, own[name as 'ID']]))

function townStore() {
  let now = 1_700_000_000_000.25
  const store = createDataStore({
    name: 'town',
    dataClasses: [Town, Person],
    clock: { now: () => Math.floor((now += 1000)), monotonic: () => now },
  })
  store.Town.load([{ name: 'Bern', region: 'BE' }, { name: 'Nowhere' }])
  store.Person.load(ROWS)
  return store
}

describe('an entity', () => {
  let store: ReturnType<typeof townStore>
  beforeAll(() => {
    store = townStore()
  })

  test('has its stored values as own properties, in their order, and nothing else', () => {
    for (const [at, entity] of store.Person.all().toArray().entries()) {
      expect(Object.entries(entity)).toEqual(Object.entries(ownOf(ROWS[at])))
      expect(JSON.stringify(entity)).toBe(JSON.stringify(ownOf(ROWS[at])))
      expect([isEntity(entity), keyOf(entity), stampOf(entity), dataClassOf(entity).name]).toEqual([
        true,
        at + 1,
        1,
        'Person',
      ])
      expect([entity.key, entity.stamp, entity.timestamp]).toEqual([at + 1, 1, timestampOf(entity)])
      expect(
        Object.prototype.toString.call((entity as unknown as { toJSON: unknown }).toJSON),
      ).toBe('[object Function]')
      const inherited: string[] = []
      for (const name in entity) if (!Object.hasOwn(entity, name)) inherited.push(name)
      expect(inherited).toEqual([])
    }
  })

  test('reaches related entities, and null where a relation is empty', () => {
    const [ann, none, other, last] = store.Person.all().toArray()
    expect(
      [ann, none, other, last].map((one) => [
        one.town?.name,
        one.boss?.ID,
        one.region,
        one.bossRegion,
        one.loud,
      ]),
    ).toEqual([
      ['Bern', undefined, 'BE', null, 'ANN'],
      [undefined, 1, null, 'BE', null],
      ['Nowhere', 2, null, null, 'ANN'],
      ['Bern', 3, 'BE', null, ''],
    ])
    expect([none.town, ann.boss]).toEqual([null, null])
    expect([ann, none, last].map((one) => one.team.keys())).toEqual([[2], [3], []])
    expect(store.Town.get('Bern')?.people.keys()).toEqual([1, 4])
    expect(
      [ann, none, other].map((one) => [foreignKeyOf(one, 'town'), foreignKeyOf(one, 'boss')]),
    ).toEqual([
      ['Bern', null],
      [null, 1],
      ['Nowhere', 2],
    ])
  })

  test('is a copy: assignments to it do not change the store, and writes to the store do not change it', () => {
    const fresh = townStore()
    const [before] = fresh.Person.all().toArray()
    const saved = timestampOf(before)
    ;(before as { name: string }).name = 'mine'
    fresh.Person.update(1, { name: 'new', town: 'Nowhere', age: 7 })
    const after = fresh.Person.get(1)!
    expect([
      before.name,
      before.age,
      stampOf(before),
      timestampOf(before),
      foreignKeyOf(before, 'town'),
    ]).toEqual(['mine', 0, 1, saved, 'Bern'])
    expect([
      after.name,
      after.age,
      stampOf(after),
      foreignKeyOf(after, 'town'),
      after.region,
    ]).toEqual(['new', 7, 2, 'Nowhere', null])
    expect(Date.parse(timestampOf(after))).toBeGreaterThan(Date.parse(saved))
    fresh.Person.remove(1)
    expect([after.name, before.ID]).toEqual(['new', 1])
  })

  test('is the same whether it is read, returned by a write, previewed, staged or found', () => {
    const fresh = townStore()
    const values = {
      ID: 9,
      name: 'Zoë',
      born: '2000-02-29',
      seen: '2000-02-29T00:00:00.000Z',
      score: 1.5,
      isIn: true,
      town: 'Bern',
      boss: 1,
    }
    const shape = (one: object) => [
      Object.entries(one),
      foreignKeyOf(one, 'town'),
      foreignKeyOf(one, 'boss'),
      keyOf(one),
    ]
    const previewed = fresh.Person.preview(null, values)
    const inserted = fresh.Person.insert(values)
    const stored = fresh.Person.get(9)!
    expect(shape(previewed)).toEqual(shape(stored))
    expect(shape(inserted)).toEqual(shape(stored))
    expect([stampOf(inserted), timestampOf(inserted)]).toEqual([
      stampOf(stored),
      timestampOf(stored),
    ])
    expect(shape(fresh.Person.findBy('name', 'zoe')!)).toEqual(shape(stored))
    expect(shape(fresh.Person.query("name = 'zoe'").first()!)).toEqual(shape(stored))
    const change = { name: null, town: null, age: 3, born: null, boss: 2 }
    const planned = fresh.Person.preview(9, change)
    fresh.transact(() => {
      const updated = fresh.Person.update(9, change)
      expect(shape(updated)).toEqual(shape(planned))
      expect(shape(fresh.Person.get(9)!)).toEqual(shape(planned))
      expect(stampOf(updated)).toBe(2)
    })
    expect(shape(fresh.Person.get(9)!)).toEqual(shape(planned))
    expect([
      fresh.Person.get(9)?.region,
      fresh.Person.get(9)?.bossRegion,
      fresh.Person.get(9)?.loud,
    ]).toEqual([null, null, null])
  })

  test('of a view shows what its reader may see, also when another reader read it', () => {
    const fresh = townStore()
    const view = fresh.view({ rows: { Town: "region = 'BE'", Person: 'ID != 1' } })
    const people = view.dataClass('Person')
    const entities = people.all().toArray() as unknown as ReturnType<
      typeof fresh.Person.all
    >['toArray'] extends () => infer A
      ? A
      : never
    expect(
      entities.map((one) => [
        one.ID,
        one.stamp,
        one.town?.name,
        one.boss?.ID,
        one.region,
        foreignKeyOf(one, 'boss'),
      ]),
    ).toEqual([
      [2, 1, undefined, undefined, null, 1],
      [3, 1, undefined, 2, null, 2],
      [4, 1, 'Bern', 3, 'BE', 3],
    ])
    expect(entities.map((one) => Object.entries(one))).toEqual(
      ROWS.slice(1).map((row) => Object.entries(ownOf(row))),
    )
    const own = fresh.Person.get(3)!
    expect([own.town?.name, view.related(own, 'town')]).toEqual(['Nowhere', null])
    expect(entities.map((one) => timestampOf(one))).toEqual(
      [2, 3, 4].map((ID) => timestampOf(fresh.Person.get(ID)!)),
    )
  })
})

test('numbers and words that make their column change its layout read the same', () => {
  const store = townStore()
  store.Person.insert({ ID: 10, age: -(2 ** 31) })
  const [ann, none, other, last, least] = store.Person.all().toArray()
  expect([ann, none, other, last, least].map(({ age }) => age)).toEqual([
    0,
    null,
    -(2 ** 31) + 1,
    2 ** 31 - 1,
    -(2 ** 31),
  ])
  expect(
    store.Person.all()
      .select('age')
      .map(({ age }) => age),
  ).toEqual([0, null, -(2 ** 31) + 1, 2 ** 31 - 1, -(2 ** 31)])
  expect(store.Person.all().json('age')).toBe(JSON.stringify(store.Person.all().select('age')))
  expect(store.Person.all().compute('age')).toMatchObject({
    count: 4,
    min: -(2 ** 31),
    max: 2 ** 31 - 1,
    sum: -(2 ** 31),
  })
})
