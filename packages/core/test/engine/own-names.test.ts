import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  keyOf,
  openDump,
  stampOf,
  timestampOf,
} from '../../src/index.ts'
import type { Untyped } from '../../src/model/definition.ts'
import { runs } from '../runs.ts'

// An attribute may have the name of a member of entities, selections, tables, stores or objects. It
// must behave like any other attribute.

const kinds = ['key', 'text', 'object', 'computed', 'alias', 'one', 'foreign', 'many'] as const
type Kind = (typeof kinds)[number]

function definitionsOf(name: string, kind: Kind) {
  const key = attribute.string({ key: true })
  const of: Readonly<Record<Kind, Untyped>> = {
    key: { [name]: key },
    text: { ID: key, [name]: attribute.string({ indexed: true }) },
    object: { ID: key, [name]: attribute.object() },
    computed: {
      ID: key,
      [name]: attribute.computed('string', {
        get: ({ note }: Untyped) => note,
        set: (note: Untyped) => ({ note }),
      }),
    },
    alias: { ID: key, up: attribute.relatedEntity('Other'), [name]: attribute.alias('up.note') },
    one: { ID: key, [name]: attribute.relatedEntity('Other') },
    foreign: {
      ID: key,
      up: attribute.relatedEntity('Other', { foreignKey: name }),
      [name]: attribute.string(),
    },
    many: { ID: key, [name]: attribute.relatedEntities('Other', 'down') },
  }
  const Thing = defineDataClass(
    'Thing',
    { ...of[kind], note: attribute.string() },
    {
      hooks: {
        beforeSave: (entity: Untyped) => {
          if (entity.note === 'hook') entity.note = 'by the hook'
        },
      },
    },
  )
  const Other = defineDataClass('Other', {
    ID: attribute.string({ key: true }),
    note: attribute.string(),
    down: attribute.relatedEntity('Thing'),
  })
  return { name: 'names', dataClasses: [Thing, Other], clock: { now: () => 0, monotonic: () => 0 } }
}

const given: Readonly<Record<Kind, readonly unknown[]>> = {
  key: ['b', 'c'],
  text: ['b', 'a'],
  object: [{ a: 1 }, { b: 2 }],
  computed: ['b', 'a'],
  alias: [],
  one: ['a', 'b'],
  foreign: ['a', 'b'],
  many: [],
}

/** The results of all ways of writing and reading the attribute, as texts. */
async function transcript(name: string, kind: Kind): Promise<readonly string[]> {
  const options = definitionsOf(name, kind)
  const store = createDataStore(options as Untyped) as Untyped
  const reported: string[] = []
  const tell = (what: unknown): void => void reported.push(JSON.stringify(what) ?? 'undefined')
  const attempt = (make: () => unknown): void => {
    try {
      tell(make())
    } catch (error) {
      tell((error as Error).message)
    }
  }
  store.on('commit', (commit: unknown) => tell(commit))
  store.Other.load([
    { ID: 'a', note: 'A' },
    { ID: 'b', note: 'B' },
  ])
  const values = given[kind]
  const keyed = (key: string) => (kind === 'key' ? { [name]: key } : { ID: key })
  for (const [at, key] of ['a', 'b', 'c'].entries()) {
    const value = at < values.length && kind !== 'key' ? { [name]: values[at] } : {}
    attempt(() =>
      store.Thing.insert({
        ...keyed(key),
        note: key,
        ...value,
        ...(kind === 'alias' ? { up: 'a' } : {}),
      }),
    )
  }
  for (const value of values) {
    attempt(() => store.Thing.update('a', { [name]: value }))
    attempt(() => store.Thing.update('b', (draft: Untyped) => void (draft[name] = value)))
    attempt(() => store.Thing.update('c', { note: 'hook' }))
  }
  const entity = store.Thing.get('a')
  tell([keyOf(entity), stampOf(entity), timestampOf(entity), entity, { ...entity }])
  expect(await entity).toBe(entity)
  const seen = store.view({ rows: { Thing: 'note is not null' } })
  for (const table of [store.Thing, seen.dataClass('Thing'), store.at(store.globalStamp).Thing]) {
    for (const path of [name, `${name}, note`, `${name}.note`, `${name}.a`]) {
      attempt(() => table.all().select(path))
      attempt(() => table.all().orderBy(`${path} desc`).keys())
      attempt(() => table.all().distinct(path))
      attempt(() => table.query(`${path} = 'b' or ${path} is null`).keys())
    }
    attempt(() => table.all().toArray())
    attempt(() => `${table.query(`${name} = 'a'`).count}`)
  }
  store.verify()
  const again = openDump(store.dump(), options as Untyped) as Untyped
  tell(again.Thing.all().toArray())
  attempt(() => store.Thing.all().remove())
  tell(store.changes({ since: 0 }))
  return reported
}

function ownNames(): readonly string[] {
  const store = createDataStore(definitionsOf('qzx', 'text') as Untyped) as Untyped
  const entity = store.Thing.insert({ ID: 'a' })
  const objects = [
    entity,
    store,
    store.Thing,
    store.Thing.all(),
    store.view(),
    store.sessions,
    store.locks,
    [],
    new Map(),
  ]
  const names = new Set([
    'key',
    'stamp',
    'timestamp',
    'then',
    'toJSON',
    'bytes',
    'mediaType',
    'size',
    'length',
  ])
  for (const object of [...objects, () => {}, Promise.resolve()])
    for (let at = object; at !== null; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  return [...names].filter((name) => {
    try {
      definitionsOf(name, 'text')
      return /^[a-z]\w+$/i.test(name) && name !== 'ID' && name !== 'note'
    } catch {
      return false
    }
  })
}

test('an attribute named like a member of every object works like any other', async () => {
  const names = ownNames()
  expect(names).toEqual(
    expect.arrayContaining(['key', 'then', 'toJSON', 'count', 'hasOwnProperty', 'valueOf']),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.constantFrom(...kinds), async (name, kind) => {
      const innocent = 'qzxjvwqzxjvkwqzxjkvwqzxkjvw'.slice(0, name.length)
      const expected = (await transcript(innocent, kind)).map((text) =>
        text.replaceAll(innocent, name),
      )
      expect(await transcript(name, kind)).toEqual(expected)
    }),
    {
      ...runs(200),
      examples: [
        ['key', 'text'],
        ['then', 'computed'],
        ['toJSON', 'object'],
        ['key', 'one'],
      ],
    },
  )
})

test('no dataclass can have the name of a member of its store', () => {
  const store = createDataStore(definitionsOf('qzx', 'text') as Untyped)
  const names = new Set<string>()
  for (let at = store as object; at !== null; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  for (const name of names)
    if (name !== 'Thing' && name !== 'Other')
      expect(() => defineDataClass(name, { ID: attribute.long({ key: true }) }), name).toThrow(
        /name/,
      )
})
