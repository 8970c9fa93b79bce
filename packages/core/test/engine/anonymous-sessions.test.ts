import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Session, SessionLimits } from '../../src/index.ts'
import { codeOf, lockKind, serverStateStore, userNamed } from './server-state-store.ts'

const ada = userNamed('Ada')

/** A store, and a function that tells which sessions are still open. */
function storeWith(sessions: SessionLimits) {
  const { store, clock } = serverStateStore({ sessions })
  const alive = (...some: readonly Session[]) =>
    some.map(({ token }) => store.sessions.peek(token) !== undefined)
  return { store, clock, alive }
}

describe('sessions without a user', () => {
  test('are evicted before sessions of users, and never evict those', () => {
    const { store, alive } = storeWith({ max: 3 })
    const user = store.sessions.open({ user: ada })
    const [b, c] = [store.sessions.open(), store.sessions.open()]
    const d = store.sessions.open()
    expect(alive(user, b, c, d)).toEqual([true, false, true, true])
    const second = store.sessions.open({ user: ada })
    expect(alive(user, c, d, second)).toEqual([true, false, true, true])
    store.sessions.open({ user: ada })
    expect(() => store.sessions.open()).toThrow(
      expect.objectContaining({
        code: 'tooManySessions',
        details: expect.objectContaining({ option: 'sessions.max' }),
      }),
    )
    expect(alive(user)).toEqual([true])
    store.sessions.open({ user: ada })
    expect([alive(user), store.sessions.size]).toEqual([[false], 3])
  })

  test('have a limit of their own: the least recently used is evicted', () => {
    const { store, alive } = storeWith({ maxGuests: 2 })
    const [a, b] = [store.sessions.open(), store.sessions.open()]
    store.sessions.touch(a.token)
    const c = store.sessions.open()
    expect(alive(a, b, c)).toEqual([true, false, true])
    store.sessions.login(a.token, ada)
    const d = store.sessions.open()
    expect([alive(c, d), store.sessions.size]).toEqual([[true, true], 3])
  })

  test('of one address evict each other, not those of other addresses', () => {
    const { store, alive } = storeWith({ maxPerAddress: 2 })
    const open = (ipAddress: string) => store.sessions.open({ ipAddress })
    const [other, a, b, c] = [
      open('10.0.0.1'),
      open('10.0.0.2'),
      open('10.0.0.2'),
      open('10.0.0.2'),
    ]
    expect(alive(other, a, b, c)).toEqual([true, false, true, true])
    const nameless = [open(''), open(''), open('')]
    expect(alive(...nameless)).toEqual([true, true, true])
    for (let n = 0; n < 4; n++) store.sessions.open({ user: ada, ipAddress: '10.0.0.2' })
    expect([alive(b, c), store.sessions.size]).toEqual([[true, true], 10])
  })

  test.each([
    ['sessions.maxPerAddress', { maxPerAddress: 2 }],
    ['sessions.maxGuests', { maxGuests: 2 }],
    ['sessions.max', { max: 2 }],
  ])(
    'that all hold locks make no room (%s), and the refusal says when there will be some',
    (option, limits) => {
      const { store, clock } = storeWith({ idleSeconds: 60, ...limits })
      for (const key of [1, 2]) {
        lockKind(store, key, store.sessions.open({ ipAddress: '10.0.0.1' }))
        clock.advance(10_000)
      }
      const open = () => store.sessions.open({ ipAddress: '10.0.0.1' })
      expect(open).toThrow(
        expect.objectContaining({
          code: 'tooManySessions',
          details: { limit: 2, option, retryAfterSeconds: 40 },
        }),
      )
      clock.advance(40_000)
      expect(codeOf(() => open().user)).toBeNull()
    },
  )

  test('are no longer counted once they end, however they end', () => {
    const { store, clock } = storeWith({ maxGuests: 2, maxPerAddress: 2 })
    const open = (more = {}) => store.sessions.open({ ipAddress: '10.0.0.1', ...more })
    const hold = (key: number, more = {}) => lockKind(store, key, open(more))
    const ends: readonly (() => unknown)[] = [
      () => store.sessions.close(open().token),
      () => store.sessions.end(open().id),
      () => store.sessions.login(open().token, ada),
      () => {
        open({ lifetimeSeconds: 1 })
        clock.advance(1000)
      },
    ]
    hold(1)
    for (const end of ends) end()
    expect(codeOf(() => hold(2))).toBe('locked')
    expect(codeOf(() => open())).toBe('tooManySessions')
  })
})

test('in any sequence of calls no limit is exceeded, and no anonymous session ends a session of a user', () => {
  const step = fc.record({
    kind: fc.constantFrom('guest', 'user', 'touch', 'login', 'lock', 'wait'),
    at: fc.nat(7),
    ipAddress: fc.constantFrom('', '10.0.0.1', '10.0.0.2'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { store, clock } = serverStateStore({
        sessions: { max: 5, maxGuests: 3, maxPerAddress: 2, idleSeconds: 60 },
      })
      const made: Session[] = []
      const users = () => store.sessions.list().filter(({ user }) => user !== null).length
      for (const { kind, at, ipAddress } of steps) {
        const one = made[at % Math.max(1, made.length)]
        const before = users()
        if (kind === 'guest') codeOf(() => made.push(store.sessions.open({ ipAddress })))
        else if (kind === 'user')
          codeOf(() => made.push(store.sessions.open({ user: ada, ipAddress })))
        else if (kind === 'wait') clock.advance(20_000)
        else if (one !== undefined && kind === 'touch') store.sessions.touch(one.token)
        else if (one !== undefined && kind === 'lock')
          codeOf(() => lockKind(store, (at % 3) + 1, one))
        else if (one !== undefined && kind === 'login')
          made.push(store.sessions.login(one.token, ada))
        const guests = store.sessions.list().filter(({ user }) => user === null)
        expect(store.sessions.size).toBeLessThanOrEqual(5)
        expect(guests.length).toBeLessThanOrEqual(3)
        for (const address of ['10.0.0.1', '10.0.0.2'])
          expect(guests.filter((guest) => guest.ipAddress === address).length).toBeLessThanOrEqual(
            2,
          )
        if (kind === 'guest') expect(users()).toBe(before)
      }
    }),
  )
})

describe('probing a lock', () => {
  test('returns what a lock returns, and locks nothing', () => {
    const { store } = serverStateStore()
    expect(store.locks.probe('Employee', 1)).toEqual({ kind: 'locked' })
    expect([store.locks.size, store.locks.holder('Employee', 1)]).toEqual([0, null])
    expect(store.locks.probe('Employee', 99)).toEqual({ kind: 'absent' })
    expect(store.locks.probe('Employee', 1, { stamp: 9 })).toEqual({
      kind: 'stampChanged',
      stored: 1,
    })
    const session = store.sessions.open()
    lockKind(store, 1, session)
    const other = store.sessions.open()
    expect(store.locks.probe('Employee', 1)).toEqual(store.locks.lock('Employee', 1, other))
    expect(codeOf(() => store.locks.probe('Nosuch', 1))).toBe('dataClassNotFound')
  })
})
