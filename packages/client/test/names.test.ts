import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { describe, expect, test } from 'vitest'
import { connect, keyOf, stampOf } from '../src/index.ts'
import { openRemote } from './company.ts'

const Lock = defineDataClass('Lock', {
  ID: attribute.long({ key: true }),
  key: attribute.long(),
  stamp: attribute.long(),
  timestamp: attribute.string(),
  uses: attribute.relatedEntities('Use', 'lock'),
})
const Use = defineDataClass('Use', {
  key: attribute.string({ key: true }),
  lock: attribute.relatedEntity('Lock'),
  count: attribute.long(),
})

/** Locks whose attributes `key` and `stamp` hold those of another lock. */
function openLocks() {
  const store = createDataStore({ name: 'locks', dataClasses: [Lock, Use] })
  store.Lock.load([1, 2, 3].map((ID) => ({ ID, key: (ID % 3) + 1, stamp: 7, timestamp: 'now' })))
  store.Use.insert({ key: 'a', lock: 1 })
  const { fetch } = createRestHandler(store)
  return { store, remote: connect<typeof store>('http://x.example/rest', { fetch }) }
}

test('an unknown dataclass is refused with the known ones, also several at a time', async () => {
  const { remote } = openLocks()
  const table = (name: string) => remote.dataClass(name as 'Lock')
  const asked = await Promise.allSettled(
    ['Lok', 'Usse'].map((name) => table(name).insert({ ID: 1 })),
  )
  expect(asked.map((each) => each.status === 'rejected' && each.reason.message)).toEqual([
    'http://x.example/rest has no dataclass "Lok"; it has: Lock, Use.',
    'http://x.example/rest has no dataclass "Usse"; it has: Lock, Use.',
  ])
})

describe('attributes named like protocol members', () => {
  test('never redirect a write to another entity', async () => {
    const { store, remote } = openLocks()
    const one = (await remote.Lock.get(1))!
    expect([one.key, one.stamp, one.timestamp, keyOf(one), stampOf(one)]).toEqual([
      2,
      7,
      'now',
      1,
      1,
    ])
    expect((await remote.Lock.update(one, { timestamp: 'later' })).kind).toBe('saved')
    expect(
      store.Lock.all()
        .select('ID, timestamp')
        .map(({ timestamp }) => timestamp),
    ).toEqual(['later', 'now', 'now'])
    // This copy was read before the last save.
    expect((await remote.Lock.update({ ...one }, { key: 9 })).kind).toBe('stampChanged')
    expect(await remote.Lock.lock(one)).toEqual({ kind: 'held' })
    expect(await remote.Lock.unlock(one)).toBe(true)
    expect((await remote.Lock.remove((await remote.Lock.get(1))!)).kind).toBe('removed')
    expect(store.Lock.all().keys()).toEqual([2, 3])
  })

  test('are attributes in saveAll; __KEY and __STAMP identify the entity', async () => {
    const { store, remote } = openLocks()
    const one = (await remote.Lock.get(1))!
    const outcomes = await remote.Lock.saveAll([
      { ...one, key: 5 },
      { __KEY: 2, __STAMP: 1, stamp: 8 },
      { ID: 4, key: 1 },
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['saved', 'saved', 'saved'])
    const rows = store.Lock.all()
      .toArray()
      .map(({ ID, key, stamp }) => [ID, key, stamp])
    expect(rows).toEqual([
      [1, 5, 7],
      [2, 3, 8],
      [3, 1, 7],
      [4, 1, null],
    ])
  })

  test('refuse an object that was not read', async () => {
    const { remote } = openLocks()
    const copy = JSON.parse(JSON.stringify(await remote.Lock.get(1)))
    await expect(remote.Lock.remove(copy)).rejects.toThrow(
      'Pass the entity as it was read, or its key alone',
    )
    expect((await remote.Lock.remove(1)).kind).toBe('removed')
  })

  test('can be the key', async () => {
    const { store, remote } = openLocks()
    const use = (await remote.Use.get('a'))!
    expect(
      (await remote.Use.update(use, { lock: (await remote.Lock.get(3))!, count: 1 })).kind,
    ).toBe('saved')
    expect(
      (
        await remote.Use.saveAll([
          { key: 'a', count: 2 },
          { ...use, stamp: 3, count: 3 },
        ])
      )[0]?.kind,
    ).toBe('saved')
    expect([store.Use.get('a')?.lock?.ID, store.Use.count]).toEqual([1, 1])
  })
})

describe('an entity sent back as it was read', () => {
  test('changes only the attributes that differ', async () => {
    const { store, remote } = openRemote()
    store.Company.update(1, {
      logo: {
        mediaType: 'image/gif',
        bytes: atob64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
      },
    })
    const company = (await remote.Company.get(1))!
    expect((await remote.Company.update(company, { ...company, city: 'Lyon' })).kind).toBe('saved')
    expect([
      store.Company.get(1)?.city,
      store.Company.get(1)?.logo?.size,
      store.Company.get(1)?.stamp,
    ]).toEqual(['Lyon', 42, 3])
    const employee = (await remote.Employee.get(3))!
    const saved = await remote.Employee.update(employee, { ...employee, salary: 1 })
    expect(saved).toEqual({
      kind: 'saved',
      entity: { ...employee, salary: 1, stamp: 2, timestamp: expect.any(String) },
    })
    expect((await remote.Employee.saveAll([{ ...employee, stamp: 2, salary: 2 }]))[0]?.kind).toBe(
      'saved',
    )
    expect((await remote.Employee.update(3, { boss: employee, employer: { key: 2 } })).kind).toBe(
      'saved',
    )
    expect([store.Employee.get(3)?.boss?.ID, store.Employee.get(3)?.employer?.ID]).toEqual([3, 2])
  })
})

test.each(['__ENTITIES', '__DATACLASS', '__ENTITY', '__STATUS', '__UPLOAD'])(
  'values with the member %s of the protocol write nothing',
  async (name) => {
    const { store, remote } = openLocks()
    const before = store.globalStamp
    const values: { ID: number } = { ID: 1, [name]: [{ __KEY: '2', timestamp: 'taken' }] }
    const patch = values as { timestamp?: string }
    const message = `"${name}" is not an attribute of the "Lock" dataclass.`
    await expect(remote.Lock.insert(values)).rejects.toThrow(message)
    await expect(remote.Lock.update(1, patch)).rejects.toThrow(message)
    await expect(remote.Lock.saveAll([{ ...values, __KEY: 1 }])).rejects.toThrow(message)
    expect(() => remote.Lock.asArgument(1, patch)).toThrow(message)
    expect(store.globalStamp).toBe(before)
  },
)

describe('a name that no model can have', () => {
  test.each(['$directory', '$catalog', '..', '.', 'a/b', 'a?b', 'a%2fb', 'a.b', '', '__KEY', ' '])(
    'becomes no part of an address: "%s"',
    async (name) => {
      const requests: string[] = []
      const db = connect('http://x/rest', {
        fetch: async (url) => {
          requests.push(String(url))
          return new Response('{}')
        },
      })
      const table = db.dataClass(name)
      const untyped = db as unknown as {
        singleton(name: string): { call(name: string): Promise<unknown> }
      }
      const call = (act: () => unknown) => async () => act()
      for (const act of [
        () => table.get(1),
        () => table.all().toArray(),
        () => table.all().count(),
        () => table.remove(1),
        () => db.dataClass('Employee').call(name as never),
        () =>
          db
            .dataClass('Employee')
            .all()
            .call(name as never),
        () => db.call(name as never),
        () => untyped.singleton(name).call('x'),
        () => untyped.singleton('Units').call(name),
      ])
        await expect(call(act)()).rejects.toThrow('is not a name of the model')
      expect(requests).toEqual([])
    },
  )
})

const atob64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (each) => each.charCodeAt(0))

test('an address without a host is refused outside of a page, with the remedy', async () => {
  const remote = connect<ReturnType<typeof openLocks>['store']>('/rest')
  await expect(remote.Lock.all().toArray()).rejects.toThrow(
    '"/rest" has no host, and only a page adds its own. Connect to a whole address, such as http://localhost:8080/rest.',
  )
})

test.each([undefined, null, 5, ['ID'], { ID: 1 }])('select takes no %j', (paths) => {
  const { remote } = openLocks()
  expect(() => remote.Lock.all().select(paths as never)).toThrow(
    /^The paths of select\(\) must be a text, such as "lastName, employer.name", not /,
  )
})
