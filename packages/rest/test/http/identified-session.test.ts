import { attribute, createDataStore, defineDataClass, type Session } from '@entia/core'
import { createLocalEngine, engineError } from '@entia/engine'
import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHandlerOf } from '../../src/transport/handler/rest-handler.ts'
import { follow } from '../live/follow.ts'
import { fromHeader, serveIdentified as serve } from './identified-staff.ts'
import { expectError, send as sendTo } from './send.ts'
import { createStaff } from './staff.ts'

const CURRENT = '/rest/$directory/currentUser'
const LOCK = '/rest/Person(1)?$lock=true'
const UNLOCK = '/rest/Person(1)?$lock=false'
const currentUser = { ID: 'ada', userName: 'ada', fullName: 'ada' }

describe('the session of an identified user', () => {
  test('is shared by all requests of the ID, without cookies', async () => {
    const { as, store, rest } = serve()
    const [ada, phone] = [as('ada'), as('ada', { 'user-agent': 'phone' })]
    const locked = await ada('GET', LOCK)
    expect([locked.body.result, locked.headers['set-cookie']]).toEqual([true, undefined])
    expect((await as('bob')('GET', LOCK)).body.__STATUS).toMatchObject({ status: 3 })
    expectError(await as('bob')('PUT', '/rest/Person(1)', { name: 'B' }), 423, 9035, 1046, 1517)
    expect((await phone('PUT', '/rest/Person(1)', { name: 'A' })).status).toBe(200)
    const mine = store.sessions.open({
      user: { ID: 'eve', userName: 'e', fullName: 'e', groups: [] },
    })
    const cookie = `4DSID_staff_of_X=${mine.token}`
    const reply = await sendTo(rest, 'GET', CURRENT, undefined, { host: 'x', cookie })
    expect(reply.body).toEqual({ result: null })
    expect((await phone('GET', UNLOCK)).body.result).toBe(true)
    expect(store.sessions.list().map(({ user }) => user?.ID)).toEqual(['bob', 'eve', 'ada'])
  })

  test('ends with a logout and releases its locks; the next request opens another', async () => {
    const { as, store } = serve()
    await as('ada')('GET', LOCK)
    const reply = await as('ada')('POST', '/rest/$directory/logout')
    expect([reply.body, reply.headers['set-cookie']]).toEqual([{ result: true }, undefined])
    expect([store.locks.size, store.sessions.size]).toEqual([0, 0])
    expect((await as('ada')('GET', CURRENT)).body).toEqual({ result: currentUser })
  })

  test('ends when unused, without effect on a later session', async () => {
    const { as, store, pass } = serve()
    await as('ada')('GET', LOCK)
    pass(3599)
    await as('ada')('GET', CURRENT)
    pass(3599)
    expect(store.locks.size).toBe(1)
    pass(3600)
    await as('ada')('GET', '/rest/Person(2)?$lock=true')
    expect([store.sessions.size, store.locks.size]).toEqual([1, 1])
    await as('bob')('GET', CURRENT)
    expect((await as('ada')('GET', '/rest/Person(2)?$lock=true')).body.result).toBe(true)
    expect(store.sessions.size).toBe(2)
  })

  test('owns entity sets of the scope "session"', async () => {
    const { as } = serve({ entitySets: { scope: 'session' } })
    const kept = '/rest/Person?$method=entityset'
    const { __ENTITYSET: set } = (await as('ada')('GET', kept)).body
    expect((await as('ada')('GET', set)).status).toBe(200)
    expectError(await as('bob')('GET', set), 404, 1802)
    expectError(await as(null)('GET', set), 404, 1802)
    expectError(await as(null)('GET', kept), 401, 9120)
  })

  test('is seen by hooks and functions, each with the claims of its own request', async () => {
    const seen: unknown[] = []
    const note = (session: unknown) => {
      const { user } = session as Session
      seen.push([user?.ID, user?.groups, user?.claims])
    }
    const Note = defineDataClass(
      'Note',
      { ID: attribute.long({ key: true }), text: attribute.string() },
      {
        hooks: { beforeSave: (_draft, { session }) => note(session) },
        functions: {
          who: { on: 'dataClass', exposed: true, run: ({ session }) => note(session) },
        },
      },
    )
    const store = createDataStore({ name: 'notes', dataClasses: [Note] })
    const rest = createRestHandler(store, { identify: fromHeader })
    let finish = (): void => {}
    const later = new Promise<void>((resolve) => {
      finish = resolve
    })
    async function* slowBody(): AsyncGenerator<Uint8Array> {
      await later
      yield new TextEncoder().encode('{"ID":1}')
    }
    const ask = (user: string, tenant: string, url: string, body: unknown) =>
      rest.handle({
        method: 'POST',
        url,
        headers: { host: 'x', authorization: user, 'x-tenant': tenant },
        body: body as string,
      })
    const slow = ask('ada:one', 'first', '/rest/Note', slowBody())
    await ask('ada:two', 'second', '/rest/Note', '{"ID":2}')
    await ask('ada:two', 'second', '/rest/Note/who', '[]')
    finish()
    expect((await slow).status).toBe(200)
    expect(seen).toEqual([
      ['ada', ['two'], { tenant: 'second' }],
      ['ada', ['two'], { tenant: 'second' }],
      ['ada', ['one'], { tenant: 'first' }],
    ])
    expect(store.sessions.size).toBe(1)
  })

  test('is not shown with its claims', async () => {
    const { as } = serve({ info: 'all' })
    const ada = as('ada', { 'x-tenant': 'hush' })
    for (const url of [CURRENT, '/rest/$info', LOCK])
      expect((await ada('GET', url)).text).not.toContain('hush')
    expect((await as('bob')('GET', LOCK)).text).not.toContain('hush')
  })
})

const endings: readonly (readonly [what: string, first: object | null, then: () => unknown])[] = [
  ['is revoked', { ID: 'ada' }, () => null],
  ['expires', { ID: 'ada' }, () => Promise.reject(new Error('expired'))],
  ['has other groups', { ID: 'ada', groups: ['a'] }, () => ({ ID: 'ada', groups: ['b'] })],
  ['becomes known', null, () => ({ ID: 'ada' })],
]
test.each(endings)(
  'a stream ends with a heartbeat when its user %s',
  async (_what, first, then) => {
    const { store, pass } = createStaff({ idleSeconds: 60 })
    const ticks = new Set<() => void>()
    const every = (_milliseconds: number, tick: () => void) => {
      ticks.add(tick)
      return () => void ticks.delete(tick)
    }
    let identify: () => unknown = () => first
    const rest = createHandlerOf(
      createLocalEngine(store),
      { live: true, identify: () => identify() as never },
      { host: { every } },
    )
    const followed = await follow(rest, '/rest/Person?$live=true')
    expect((await followed.next())?.name).toBe('initial')
    for (let minutes = 0; minutes < 3; minutes++) {
      const beat = followed.next()
      for (const tick of ticks) tick()
      expect(await beat).toEqual({ name: '', id: '', data: null })
      await new Promise(setImmediate)
      // Each heartbeat renews the session.
      pass(59)
    }
    identify = then
    const end = followed.next()
    for (const tick of ticks) tick()
    expect((await end)?.name).toBe('')
    expect((await followed.next())?.data).toMatchObject({ reason: 'session' })
  },
)

const failures: readonly (readonly [what: string, error: Error, reported: boolean])[] = [
  ['a failure of the storage', new Error('no connection'), true],
  ['a failure with a code', engineError('internalError', { problem: 'x' }), true],
  [
    'an overload',
    engineError('serverBusy', {
      what: 'reads',
      limit: 1,
      option: 'maxWaitingReads',
      retryAfterSeconds: 1,
    }),
    false,
  ],
]
test.each(failures)(
  'a stream ends when its session cannot be renewed for %s, which the host learns',
  async (_what, error, reported) => {
    const { store } = createStaff()
    const ticks = new Set<() => void>()
    const every = (_milliseconds: number, tick: () => void) => {
      ticks.add(tick)
      return () => void ticks.delete(tick)
    }
    const engine = createLocalEngine(store)
    let fails = false
    const touch = (token: string) => (fails ? Promise.reject(error) : engine.sessions.touch(token))
    const seen: unknown[] = []
    const rest = createHandlerOf(
      { ...engine, sessions: { ...engine.sessions, touch } },
      { live: true, identify: () => ({ ID: 'ada' }), onError: (error) => seen.push(error) },
      { host: { every } },
    )
    const followed = await follow(rest, '/rest/Person?$live=true')
    expect((await followed.next())?.name).toBe('initial')
    fails = true
    const end = followed.next()
    for (const tick of ticks) tick()
    expect((await end)?.name).toBe('')
    expect((await followed.next())?.data).toMatchObject({ reason: 'session' })
    expect(await followed.next()).toBe(null)
    expect(seen).toEqual(reported ? [error] : [])
    expect(ticks.size).toBe(0)
  },
)

test('a stream ends when identify hangs, which runs once at a time', async () => {
  const { store } = createStaff()
  const ticks = new Set<() => void>()
  const every = (_milliseconds: number, tick: () => void) => {
    ticks.add(tick)
    return () => void ticks.delete(tick)
  }
  const beat = () => {
    for (const tick of ticks) tick()
  }
  const running: ((user: unknown) => void)[] = []
  let hangs = false
  const rest = createHandlerOf(
    createLocalEngine(store),
    {
      live: true,
      identify: () =>
        hangs ? new Promise<never>((resolve) => running.push(resolve as never)) : { ID: 'ada' },
    },
    { host: { every } },
  )
  const [read, unread] = [
    await follow(rest, '/rest/Person?$live=true'),
    await follow(rest, '/rest/Person?$live=true'),
  ]
  expect((await read.next())?.name).toBe('initial')
  hangs = true
  let end = read.next()
  beat()
  expect((await end)?.name).toBe('')
  expect(running).toHaveLength(2)
  end = read.next()
  beat()
  expect((await end)?.data).toMatchObject({ reason: 'session' })
  expect(running).toHaveLength(2)
  // A result that comes too late revives nothing.
  for (const resolve of running) resolve({ ID: 'ada' })
  await new Promise(setImmediate)
  beat()
  expect(ticks.size).toBe(0)
  void unread
})
