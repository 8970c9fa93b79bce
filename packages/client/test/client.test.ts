import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { connect } from '../src/connect.ts'
import { RemoteError } from '../src/remote-error.ts'
import { createCompany, openRemote } from './company.ts'

describe('reading', () => {
  test('get returns values in their types and related entities by key', async () => {
    const { remote } = openRemote()
    expect(await remote.Employee.get(3)).toEqual({
      key: 3,
      stamp: 1,
      timestamp: expect.any(String),
      ID: 3,
      lastName: 'N002',
      salary: 200,
      hired: '2020-02-29T10:00:00.000Z',
      notes: { tags: [] },
      employer: { key: 1 },
      boss: null,
      title: 'Dr N002',
      employerName: 'Acme',
    })
    expect((await remote.Company.get(1))?.founded).toBe('1980-01-15')
    expect(await remote.Employee.get(999)).toBeUndefined()
  })

  test('a filter template sends its values separately; query() adds conditions', async () => {
    const { remote, requests } = openRemote()
    const city = 'Zürich'
    const rich = remote.Employee.query`salary > ${20_000} and employer.city = ${city}`
    expect(await rich.count()).toBe(25)
    expect(requests.join('\n')).toContain(
      '$filter="salary > :1 and employer.city = :2"&$params=[20000,"Zürich"]',
    )
    const some = rich.query`lastName in ${['N201', 'N202', 'N203']} or lastName = ':1'`
    expect((await some.toArray()).map(({ lastName }) => lastName)).toEqual(['N201', 'N203'])
    expect(() => remote.Employee.query`boss = ${null as never}`).toThrow('write "is null"')
  })

  test('values are never parsed as filter text', async () => {
    const { remote, store } = openRemote()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        const key = store.Code.query('code = :1', [text]).first()?.key ?? text
        expect(await remote.Code.query`code = ${text} and code != ${`${text}x`}`.count()).toBe(
          store.Code.query('code = :1 and code != :2', [text, `${text}x`]).count,
        )
        expect(typeof key).toBe('string')
      }),
      { ...runs(50), examples: [[`'"`], [`"'`], ["it's"], [`'`]] },
    )
  })

  test('values and keys keep quotes and query-string characters', async () => {
    const { remote, store } = openRemote()
    const sign = fc.constantFrom(
      '"',
      "'",
      '\\',
      '&',
      '=',
      '%',
      '+',
      '#',
      ';',
      ',',
      ']',
      '/',
      '(',
      ')',
      'a',
      ' ',
      '&$top=0',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(sign, { minLength: 1, maxLength: 12 }), async (signs) => {
        const text = signs.join('')
        const { key } =
          store.Code.query('text === :1', [text]).first() ?? store.Code.insert({ code: text, text })
        expect(
          (await remote.Code.query`text === ${text} and code in ${[text, '"']}`.first())?.key,
        ).toBe(key)
        expect((await remote.Code.get(text))?.text).toBe(text)
      }),
      runs(200),
    )
  })

  test('a key of any text finds its entity', async () => {
    const { remote, store } = openRemote()
    for (const code of ['a/b', 'a"b', "it's", 'ä ö', '(x)', '[y]', '1', '%41', 'a\\b', 'a,b']) {
      store.Code.insert({ code, text: code })
      expect((await remote.Code.get(code))?.text).toBe(code)
    }
  })

  test('order, pages and select follow relations', async () => {
    const { remote } = openRemote()
    const page = await remote.Employee.query`salary < ${400}`
      .orderBy('salary desc')
      .select('lastName, employer.name, employer.founded')
      .page(1, 2)
    expect(page).toEqual({
      count: 4,
      skip: 1,
      entities: [
        { lastName: 'N002', employer: { name: 'Acme', founded: '1980-01-15' } },
        { lastName: 'N001', employer: { name: 'Éclair "& Co"', founded: null } },
      ],
    })
    const few = remote.Employee.query`salary < ${400}`
    for (const most of [2 ** 60, 1e21, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      expect((await few.page(1, most)).entities).toHaveLength(3)
      expect((await few.page(most, 1)).entities).toEqual([])
    }
    const [company] = await remote.Company.all().select('name, employees.lastName').toArray()
    expect(company?.employees).toHaveLength(100)
    expect(company?.employees[0]).toEqual({ lastName: 'N000' })
    expectTypeOf(company!.employees[0]!.lastName).toEqualTypeOf<string>()
  })

  test('iteration visits each member once during concurrent changes and releases its set', async () => {
    const { remote, store } = openRemote()
    const names: string[] = []
    for await (const { lastName, ID } of remote.Employee.all()
      .orderBy('lastName')
      .iterate({ pageSize: 40 })) {
      names.push(lastName)
      // Remove entities behind the current page, so that a later page finds them deleted.
      if (ID === 10) store.Employee.query('ID >= 100 and ID < 110').remove()
      if (ID === 20) store.Employee.insert({ lastName: 'A first one' })
    }
    expect(names).toHaveLength(240)
    expect(new Set(names).size).toBe(240)
    expect(store.entitySets.list()).toEqual([])
    for await (const entity of remote.Employee.all()) {
      expect(entity.ID).toBe(1)
      break
    }
    expect(store.entitySets.list()).toEqual([])
  })

  test('aggregates and distinct agree with the store', async () => {
    const { remote } = openRemote()
    const few = remote.Employee.query`ID <= ${4}`
    expect(await few.sum('salary')).toBe(600)
    expect(await few.average('salary')).toBe(150)
    expect(await few.min('lastName')).toBe('N000')
    expect(await few.max('salary')).toBe(300)
    expect(await few.distinct('employerName')).toEqual(['Acme', 'Éclair "& Co"'])
    expect(await remote.Employee.query`ID > ${1000}`.average('salary')).toBeNull()
    expect(JSON.stringify(await few.explain())).toContain('Employee.ID')
  })
})

describe('writing', () => {
  test('insert returns the entity and throws a refusal', async () => {
    const { remote, store } = openRemote()
    const ada = await remote.Employee.insert({ lastName: 'Byron', salary: 1, employer: 2 })
    expect(ada.key).toBe(251)
    expect(store.Employee.get(251)?.employer?.name).toBe('Éclair "& Co"')
    await expect(remote.Employee.insert({ lastName: 'X', salary: -1 })).rejects.toThrow(/salary/)
  })

  test('an update of a read entity detects a concurrent save', async () => {
    const { remote, other, store } = openRemote()
    const mine = (await remote.Employee.get(1))!
    const theirs = (await other.Employee.get(1))!
    const saved = await other.Employee.update(theirs, { salary: 7 })
    expect(saved).toMatchObject({ kind: 'saved', entity: { salary: 7, stamp: 2 } })
    const outcome = await remote.Employee.update(mine, { salary: 8 })
    expect(outcome).toMatchObject({ kind: 'stampChanged', current: { salary: 7, stamp: 2 } })
    if (outcome.kind === 'stampChanged') {
      expectTypeOf(outcome.current.salary).toEqualTypeOf<number | null>()
      expect(await remote.Employee.update(outcome.current, { salary: 8 })).toMatchObject({
        kind: 'saved',
      })
    }
    expect(store.Employee.get(1)?.salary).toBe(8)
    // An update by key alone does not check the stamp.
    expect(await remote.Employee.update(1, { salary: 9 })).toMatchObject({ kind: 'saved' })
  })

  test('update reports a missing entity, a refused value and a lock', async () => {
    const { remote, other } = openRemote()
    expect(await remote.Employee.update(999, { salary: 1 })).toEqual({ kind: 'absent' })
    expect(await remote.Employee.update(1, { salary: -1 })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('salary'),
    })
    expect(await other.Employee.lock(1)).toEqual({ kind: 'held' })
    expect(await remote.Employee.lock(1)).toMatchObject({
      kind: 'alreadyLocked',
      holder: { userAgent: expect.any(String) },
    })
    expect(await remote.Employee.update(1, { salary: 1 })).toMatchObject({ kind: 'locked' })
    expect(await remote.Employee.remove(1)).toMatchObject({ kind: 'locked' })
    expect(await other.Employee.update(1, { salary: 5 })).toMatchObject({ kind: 'saved' })
    expect(await other.Employee.unlock(1)).toBe(true)
    expect(await remote.Employee.lock(999)).toEqual({ kind: 'absent' })
    expect(await remote.Employee.remove(1)).toEqual({ kind: 'removed' })
    expect(await remote.Employee.remove(1)).toEqual({ kind: 'absent' })
  })

  test('saveAll applies all changes or none', async () => {
    const { remote, store } = openRemote()
    const outcomes = await remote.Employee.saveAll([
      { lastName: 'New' },
      { key: 1, stamp: 1, salary: 3 },
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['saved', 'saved'])
    const failed = await remote.Employee.saveAll([
      { key: 2, salary: 3 },
      { key: 1, stamp: 1, salary: 4 },
    ])
    expect(failed[1]).toMatchObject({ kind: 'stampChanged' })
    expect(store.Employee.get(2)?.salary).toBe(100)
  })

  test('remove() deletes a selection and requires a filter', async () => {
    const { remote, store } = openRemote()
    await remote.Employee.query`salary >= ${1000}`.remove()
    expect(store.Employee.count).toBe(10)
    await expect(remote.Employee.all().remove()).rejects.toThrow('would delete every entity')
    await (await remote.Employee.all().entitySet()).remove()
    expect(store.Employee.count).toBe(0)
  })
})

test('entity sets can be stored, combined, cleaned and released', async () => {
  const { remote, store } = openRemote()
  const low = await remote.Employee.query`ID <= ${10}`
    .orderBy('ID desc')
    .entitySet({ lifetimeSeconds: 60 })
  const odd = await remote.Employee.query`ID in ${[1, 3, 5, 11]}`.entitySet()
  const ids = async (set: AsyncIterable<{ readonly ID: number }>) => {
    const found: number[] = []
    for await (const { ID } of set) found.push(ID)
    return found
  }
  expect(await ids(await low.and(odd))).toEqual([5, 3, 1])
  expect(await ids(await odd.except(low))).toEqual([11])
  expect(await (await low.or(odd)).count()).toBe(11)
  expect(await low.intersects(odd)).toBe(true)
  store.Employee.remove(3)
  expect(await ids(low)).toHaveLength(9)
  expect(await low.count()).toBe(10)
  expect(await (await low.clean()).count()).toBe(9)
  expect((await low.select('lastName').page(0, 1)).entities).toEqual([{ lastName: 'N009' }])
  expect(await low.release()).toBe(true)
  expect(await low.release()).toBe(false)
  await expect(low.count()).rejects.toMatchObject({ status: 404, errCode: 1802 })
})

test('the login persists across requests, also over a socket', async () => {
  const store = createCompany()
  const rest = createRestHandler(store, {
    users: [{ name: 'ada', password: 'x', fullName: 'Ada B' }],
  })
  const server = createServer(toNodeHandler(rest)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const remote = connect<typeof store>(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest/`,
    )
    expect(await remote.currentUser()).toBeNull()
    expect(await remote.login('ada', 'wrong')).toBe(false)
    expect(await remote.login('ada', 'x')).toBe(true)
    expect(await remote.currentUser()).toMatchObject({ userName: 'ada', fullName: 'Ada B' })
    expect(await remote.Employee.query`salary >= ${24_000}`.toArray()).toHaveLength(10)
    expect(await remote.call('add', 2, 3)).toBe(5)
    await remote.logout()
    expect(await remote.currentUser()).toBeNull()
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

describe('failures', () => {
  test('each failure has its own message', async () => {
    const { remote } = openRemote()
    const error = await remote.Employee.query`salry > ${1}`.count().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RemoteError)
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('"salry"') })
    await expect(remote.dataClass('Nope' as 'Employee').get(1)).rejects.toThrow(RemoteError)
    await expect(connect('http://127.0.0.1:9/rest').dataClass('X').get(1)).rejects.toMatchObject({
      status: 0,
      // Node's fetch refuses this port without a connection.
      message: 'http://127.0.0.1:9/rest does not answer: fetch failed: bad port',
    })
    // Without "http://" the name of the host is read as a protocol.
    await expect(connect('localhost:80/rest').dataClass('X').get(1)).rejects.toThrow(
      'localhost:80/rest does not answer: fetch failed: unknown scheme',
    )
    const failing = new AggregateError([new Error('connect ECONNREFUSED ::1:80'), new Error()])
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: failing }))
    await expect(connect('http://x.example', { fetch }).dataClass('X').get(1)).rejects.toThrow(
      'http://x.example does not answer: fetch failed: connect ECONNREFUSED ::1:80',
    )
    const page = connect('http://x.example', { fetch: async () => new Response('<html>') })
    await expect(page.dataClass('X').get(1)).rejects.toThrow(
      'Check that the address is an entity interface.',
    )
    await expect(
      remote.Employee.all().page(0, 1, AbortSignal.abort(new Error('enough'))),
    ).rejects.toThrow('enough')
  })

  test('names outside the model do not compile', () => {
    const { remote } = openRemote()
    expectTypeOf(remote.Employee.get).parameter(0).toEqualTypeOf<number>()
    // @ts-expect-error: no such attribute
    void (() => remote.Employee.all().orderBy('salry'))
    // @ts-expect-error: no such path
    void (() => remote.Employee.all().select('lastName, employer.nme'))
    // @ts-expect-error: not a value of the attribute
    void (() => remote.Employee.update(1, { salary: 'much' }))
    // @ts-expect-error: no such dataclass
    void (() => remote.Emplyee)
  })
})
