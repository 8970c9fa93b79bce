import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/index.ts'
import { serverStateOf } from '../../src/store/capability/server.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'
import { codeOf, lockKind, serverStateStore, userNamed } from './server-state-store.ts'

const ada = userNamed('Ada')
const bob = userNamed('Bob')

test('a copy of a session of another process keeps its locks when it is copied again', () => {
  const { store, clock } = serverStateStore()
  const { sessions } = serverStateOf(handleOf(store))
  const expires = clock.now() + 60_000
  const origin = { host: 'h', ipAddress: '', userAgent: '' }
  const holder = { id: 'A'.repeat(32), user: null, lifetimeSeconds: 60, expires, ...origin }
  for (const [at, token] of ['one', 'two'].entries()) {
    store.Company.insert({})
    store.locks.lock('Company', at + 1, sessions.adopt({ ...holder, token } as Session))
  }
  expect(store.locks.size).toBe(2)
  expect([sessions.peek('one'), sessions.peek('two')?.id]).toEqual([undefined, holder.id])
})

describe('a session', () => {
  test('is found by its token, has its expiry, and does not leak its secret in JSON or copies', () => {
    const { store, clock } = serverStateStore()
    const session = store.sessions.open({
      user: ada,
      host: 'h',
      ipAddress: '1.2.3.4',
      userAgent: 'test',
    })
    expect(session.id).toMatch(/^[0-9A-F]{32}$/)
    expect(session).toMatchObject({
      user: ada,
      lifetimeSeconds: 3600,
      expires: clock.now() + 3_600_000,
    })
    expect(session.token).not.toBe(session.id)
    expect(store.sessions.peek(session.token)).toEqual(session)
    for (const text of [
      JSON.stringify(session),
      JSON.stringify({ ...session }),
      JSON.stringify(store.sessions.list()),
    ])
      expect(text).not.toContain(session.token)
    expect(store.sessions.touch('nosuch')).toBeUndefined()
    expect(store.sessions.touch(session.id)).toBeUndefined()
  })
  test('cannot be changed, and neither can its user', () => {
    const { store } = serverStateStore()
    const groups = ['a']
    const session = store.sessions.open({ user: { ...ada, groups } })
    groups.push('admins')
    expect(session.user?.groups).toEqual(['a'])
    expect(
      Object.isFrozen(session) &&
        Object.isFrozen(session.user) &&
        Object.isFrozen(session.user?.groups),
    ).toBe(true)
  })
  test('keeps at most 200 characters of well-formed text about its origin', () => {
    const { store } = serverStateStore()
    const session = store.sessions.open({
      host: 'h'.repeat(300),
      userAgent: `${'u'.repeat(199)}😀`,
      ipAddress: '\ud800x',
    })
    expect(session.host).toBe('h'.repeat(200))
    expect(session.userAgent).toBe(`${'u'.repeat(199)}\ufffd`)
    expect(session.ipAddress).toBe('\ufffdx')
    expect(store.sessions.open()).toMatchObject({
      host: '',
      userAgent: '',
      ipAddress: '',
      user: null,
    })
  })
  test('ends after its lifetime without use, to the millisecond', () => {
    const { store, clock } = serverStateStore({ sessions: { idleSeconds: 10 } })
    const { token } = store.sessions.open()
    clock.advance(9_999)
    expect(store.sessions.touch(token)?.expires).toBe(clock.now() + 10_000)
    clock.advance(9_999)
    expect(store.sessions.peek(token)?.expires).toBe(clock.now() + 1)
    expect(store.sessions.size).toBe(1)
    clock.advance(1)
    expect(store.sessions.touch(token)).toBeUndefined()
    expect(store.sessions.size).toBe(0)
  })
  test('ends a day after it was opened, or as the option says, even if it is used', () => {
    const { store, clock } = serverStateStore({ sessions: { idleSeconds: 10, maxSeconds: 25 } })
    const session = store.sessions.open({ lifetimeSeconds: 1000 })
    expect(session.lifetimeSeconds).toBe(25)
    const { token } = store.sessions.open()
    const opened = clock.now()
    for (const step of [9_000, 9_000]) {
      clock.advance(step)
      store.sessions.touch(token)
    }
    expect(store.sessions.peek(token)?.expires).toBe(opened + 25_000)
    clock.advance(6_999)
    expect(store.sessions.touch(token)).toBeDefined()
    clock.advance(1)
    expect(store.sessions.touch(token)).toBeUndefined()
  })
  test('is closed by its token and ended by its id, once', () => {
    const { store } = serverStateStore()
    const [a, b] = [store.sessions.open(), store.sessions.open()]
    expect([store.sessions.close(a.token), store.sessions.close(a.token)]).toEqual([true, false])
    expect([store.sessions.end(b.id.toLowerCase()), store.sessions.end(b.id)]).toEqual([
      true,
      false,
    ])
    expect(store.sessions.size).toBe(0)
  })
  test('that expires unnoticed takes its locks and sets with it', () => {
    const { store, clock } = serverStateStore()
    const session = store.sessions.open({ lifetimeSeconds: 1 })
    const set = store.entitySets.create(store.Employee.all(), { owner: session })
    store.entitySets.create(store.Employee.all())
    lockKind(store, 1, session)
    expect([store.locks.size, store.entitySets.size]).toEqual([1, 2])
    clock.advance(1000)
    expect([store.locks.size, store.entitySets.size]).toEqual([0, 1])
    expect(store.entitySets.peek(set, session)).toBeUndefined()
    expect(codeOf(() => lockKind(store, 1, session))).toBe('argumentInvalid')
  })
})

describe('a login', () => {
  test('gives a new token, and the session keeps id, locks and sets', () => {
    const { store, clock } = serverStateStore()
    const guest = store.sessions.open({ host: 'h' })
    const set = store.entitySets.create(store.Employee.all(), { owner: guest })
    lockKind(store, 1, guest)
    clock.advance(5)
    const session = store.sessions.login(guest.token, ada, { lifetimeSeconds: 60 })
    expect(session).toMatchObject({
      id: guest.id,
      user: ada,
      host: 'h',
      expires: clock.now() + 60_000,
    })
    expect(session.token).not.toBe(guest.token)
    expect(store.sessions.touch(guest.token)).toBeUndefined()
    expect(store.sessions.close(guest.token)).toBe(false)
    expect(store.locks.holder('Employee', 1)?.user).toEqual(ada)
    expect(store.entitySets.get(set, session)?.count).toBe(3)
    // The earlier snapshot still refers to the same session.
    expect(store.locks.unlock('Employee', 1, guest).kind).toBe('unlocked')
    expect(store.sessions.size).toBe(1)
  })
  test('restarts the longest lifetime of a session', () => {
    const { store, clock } = serverStateStore({ sessions: { idleSeconds: 10, maxSeconds: 15 } })
    const guest = store.sessions.open()
    clock.advance(9_000)
    const { token } = store.sessions.login(guest.token, ada)
    clock.advance(9_000)
    expect(store.sessions.touch(token)?.expires).toBe(clock.now() + 6_000)
  })
  test('of another user ends the first session and opens another', () => {
    const { store } = serverStateStore({ sessions: { max: 1 } })
    const first = store.sessions.login(null, ada)
    lockKind(store, 1, first)
    const second = store.sessions.login(first.token, bob)
    expect(second.id).not.toBe(first.id)
    expect(store.sessions.touch(first.token)).toBeUndefined()
    expect(store.locks.size).toBe(0)
    expect(store.sessions.list().map(({ user }) => user?.userName)).toEqual(['Bob'])
  })
  test('with an unknown token never creates a session of that token', () => {
    const { store } = serverStateStore()
    const session = store.sessions.login('planted', ada)
    expect(session.token).not.toBe('planted')
    expect(store.sessions.touch('planted')).toBeUndefined()
  })
  test('with an incomplete user is refused and changes nothing', () => {
    const { store } = serverStateStore()
    const guest = store.sessions.open()
    for (const user of [
      null,
      {},
      { ...ada, groups: 'all' },
      { ...ada, groups: [1] },
      { ...ada, ID: 7 },
    ])
      expect(codeOf(() => store.sessions.login(guest.token, user as never))).toBe('argumentInvalid')
    expect(codeOf(() => store.sessions.login(guest.token, ada, { lifetimeSeconds: -1 }))).toBe(
      'argumentInvalid',
    )
    expect(store.sessions.touch(guest.token)?.user).toBeNull()
  })
})

describe('too many sessions', () => {
  test('evict the least recently used one without locks, and expired ones first', () => {
    const { store, clock } = serverStateStore({ sessions: { max: 3 } })
    const a = store.sessions.open()
    const b = store.sessions.open()
    const c = store.sessions.open({ lifetimeSeconds: 1 })
    lockKind(store, 1, a)
    clock.advance(1000)
    const d = store.sessions.open()
    expect([a, b, c, d].map(({ token }) => store.sessions.peek(token) !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ])
    store.sessions.touch(b.token)
    store.sessions.open()
    expect([a, b, d].map(({ token }) => store.sessions.peek(token) !== undefined)).toEqual([
      true,
      true,
      false,
    ])
  })
  test('are refused when all hold locks; a lock of a removed entity does not count', () => {
    const { store } = serverStateStore({ sessions: { max: 2 } })
    for (const key of [1, 2]) lockKind(store, key, store.sessions.open())
    expect(() => store.sessions.open()).toThrow(
      expect.objectContaining({ code: 'tooManySessions', errCode: 1823 }),
    )
    const holder = store.locks.holder('Employee', 2)!
    store.sessions.end(holder.id)
    const last = store.sessions.open()
    lockKind(store, 2, last)
    store.as(last, () => store.Employee.remove(2))
    expect(store.sessions.open().id).not.toBe(last.id)
    expect(store.sessions.peek(last.token)).toBeUndefined()
  })
})

describe('options', () => {
  test.each([
    { sessions: { idleSeconds: 0 } },
    { sessions: { max: 1.5 } },
    { sessions: { maxSeconds: Number.POSITIVE_INFINITY } },
    { sessions: { idle: 5 } },
    { sessions: null },
    { locks: { maxPerSession: -1 } },
    { locks: { maxPerSession: '5' } },
    { entitySets: { max: 1_000_001 } },
    { entitySets: { maxBytes: 0 } },
    { uploads: { maxbytes: 1 } },
    { session: {} },
  ])('%j is refused', (options) => {
    expect(codeOf(() => serverStateStore(options as never))).toBe('argumentInvalid')
  })
  test('are refused per call as well', () => {
    const { store } = serverStateStore()
    for (const lifetimeSeconds of [0, -1, Number.NaN, '60'])
      expect(codeOf(() => store.sessions.open({ lifetimeSeconds: lifetimeSeconds as never }))).toBe(
        'argumentInvalid',
      )
    expect(store.sessions.size).toBe(0)
  })
})

describe('as', () => {
  test('gives functions and hooks the current session, only inside the body', () => {
    const { store } = serverStateStore()
    const guest = store.sessions.open()
    const whoami = () => store.Note.call('whoami')
    const session = store.sessions.login(guest.token, ada)
    expect(store.as(guest, whoami)).toEqual(store.sessions.peek(session.token))
    expect(store.as(guest, () => store.as(null, whoami))).toBeNull()
    expect(store.as(guest, () => [store.as(null, whoami), whoami()])).toEqual([
      null,
      store.sessions.peek(session.token),
    ])
    expect(codeOf(() => store.as(guest, () => store.Note.remove('nosuch')))).toBe('entityNotFound')
    expect(whoami()).toBeNull()
  })
  test('takes only open sessions of this store, and refuses a promise', () => {
    const { store } = serverStateStore()
    const foreign = serverStateStore().store.sessions.open()
    const closed = store.sessions.open()
    const open = store.sessions.open()
    store.sessions.close(closed.token)
    for (const session of [foreign, closed, { ...open }, undefined, open.token, {}])
      expect(codeOf(() => store.as(session as never, () => 1))).toBe('argumentInvalid')
    // @ts-expect-error: a body that returns a promise does not compile either
    expect(codeOf(() => store.as(open, async () => {}))).toBe('promiseReturned')
  })
  test('of an identified user is one for each ID, and keeps the claims that it was given', () => {
    const { store, clock } = serverStateStore({ sessions: { idleSeconds: 60 } })
    const withTenant = (tenant: string) => ({ ...userNamed('ada'), claims: { tenant } })
    const [one, two] = [
      store.sessions.identified(withTenant('a')),
      store.sessions.identified(withTenant('b'), { host: 'h' }),
    ]
    expect([one.id === two.id, store.sessions.size]).toEqual([true, 1])
    const whoami = () => store.Note.call('whoami')
    const claims = (session: typeof one) => (store.as(session, whoami) as typeof one).user?.claims
    expect([claims(one), claims(two)]).toEqual([{ tenant: 'a' }, { tenant: 'b' }])
    expect(Object.isFrozen(one.user?.claims)).toBe(true)
    // A login neither takes over this session nor is confused with it.
    const cookie = store.sessions.login(one.token, userNamed('ada'))
    expect([cookie.id === one.id, store.sessions.size]).toEqual([false, 2])
    expect(store.sessions.identified(userNamed('ada')).id).toBe(one.id)
    expect(store.sessions.identified(userNamed('bob')).id).not.toBe(one.id)
    store.locks.lock('Employee', 1, two)
    clock.advance(59_000)
    store.sessions.identified(withTenant('c'))
    clock.advance(59_000)
    expect(store.locks.holder('Employee', 1)?.user?.claims).toEqual({ tenant: 'c' })
    clock.advance(1000)
    const next = store.sessions.identified(withTenant('d'))
    expect([next.id === one.id, store.locks.size, store.sessions.size]).toEqual([false, 0, 1])
    expect(store.sessions.identified(withTenant('d')).id).toBe(next.id)
    store.sessions.close(next.token)
    expect(store.sessions.identified(withTenant('d')).id).not.toBe(next.id)
    expect(
      codeOf(() => store.sessions.identified({ ...withTenant('e'), claims: [] as never })),
    ).toBe('argumentInvalid')
    expect(codeOf(() => store.sessions.identified(null as never))).toBe('argumentInvalid')
  })
  test('of a closed store is refused, as everything else', () => {
    const { store } = serverStateStore()
    const session = store.sessions.open()
    store.close()
    const calls = [
      () => store.as(null, () => 1),
      () => store.sessions.open(),
      () => store.sessions.identified(userNamed('ada')),
      () => store.sessions.touch(session.token),
      () => store.sessions.list(),
      () => store.locks.lock('Employee', 1, session),
      () => store.locks.holder('Employee', 1),
      () => store.entitySets.get('A'),
      () => store.uploads.get('A'),
    ]
    expect(calls.map((call) => codeOf<unknown>(call))).toEqual(calls.map(() => 'storeClosed'))
  })
})
