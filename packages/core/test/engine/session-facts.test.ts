import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/index.ts'
import { server } from '../../src/store/capability/server.ts'
import { kernelOptions } from '../../src/store/kernel/kernel-options.ts'
import { codeOf, serverStateStore, userNamed } from './server-state-store.ts'

const serverStateLimits = (given: object) => kernelOptions(given as never, [server]).groups

/** The details of an `argumentInvalid` error; fails without one. */
function refusalOf(run: () => unknown): object {
  try {
    run()
  } catch (error) {
    if (isEntiaError(error, 'argumentInvalid')) return error.details
    throw error
  }
  throw new Error('nothing was refused')
}
const MEBIBYTE = 1_048_576

describe('limits', () => {
  test('have these default values', () => {
    expect(serverStateLimits({})).toMatchObject({
      sessions: {
        idleSeconds: 3600,
        maxSeconds: 86_400,
        max: 10_000,
        maxGuests: 2000,
        maxPerAddress: 100,
      },
      locks: { maxPerSession: 1000 },
      entitySets: { max: 10_000, maxPerSession: 100, maxBytes: 256 * MEBIBYTE },
      uploads: { max: 1000, maxBytes: 256 * MEBIBYTE },
    })
  })

  test.each([
    ['sessions', 'maxSeconds', 365 * 86_400],
    ['sessions', 'maxGuests', 1_000_000],
    ['locks', 'maxPerSession', 1_000_000],
    ['entitySets', 'maxBytes', Number.MAX_SAFE_INTEGER],
    ['uploads', 'max', 1_000_000],
    ['uploads', 'maxBytes', Number.MAX_SAFE_INTEGER],
  ])('%s.%s is from 1 to %i', (group, option, highest) => {
    for (const fits of [1, highest]) {
      expect(serverStateLimits({ [group]: { [option]: fits } })).toMatchObject({
        [group]: { [option]: fits },
      })
    }
    for (const wrong of [0, highest + 1]) {
      expect(refusalOf(() => serverStateLimits({ [group]: { [option]: wrong } }))).toEqual({
        argument: `The option ${group}.${option}`,
        expected: `a whole number from 1 to ${highest}`,
        found: String(wrong),
      })
    }
  })

  test('of a lifetime are named in the error, with the given value', () => {
    const { store } = serverStateStore()
    const expected = { argument: 'lifetimeSeconds', expected: 'a number above 0', found: '0' }
    expect(refusalOf(() => store.sessions.open({ lifetimeSeconds: 0 }))).toEqual(expected)
  })
})

describe('a login', () => {
  test('of the same user keeps the session, its lifetime and its locks', () => {
    const { store } = serverStateStore()
    const guest = store.sessions.open({ lifetimeSeconds: 100 })
    const first = store.sessions.login(guest.token, userNamed('ada'))
    store.locks.lock('Employee', 1, first)
    const second = store.sessions.login(first.token, userNamed('ada'))
    expect([second.id, second.lifetimeSeconds]).toEqual([guest.id, 100])
    expect(store.locks.holder('Employee', 1)?.id).toBe(guest.id)
    const third = store.sessions.login(second.token, userNamed('ada'), { lifetimeSeconds: 50 })
    expect([third.id, third.lifetimeSeconds]).toEqual([guest.id, 50])
  })
  test('without a valid user gets an error that describes a user', () => {
    const { store } = serverStateStore()
    expect(refusalOf(() => store.sessions.login(null, {} as never))).toEqual({
      argument: 'The user',
      expected:
        'an object of the texts ID, userName and fullName, the list of texts groups, and claims as an object if given',
      found: 'something else',
    })
  })
})

describe('a session', () => {
  test('that is invalid is distinguished from one that has ended', () => {
    const { store } = serverStateStore()
    const ended = store.sessions.open()
    store.sessions.close(ended.token)
    const reported = { argument: 'The session', expected: 'an open session of this store' }
    expect(refusalOf(() => store.as(ended, () => 1))).toEqual({
      ...reported,
      found: 'one that has ended',
    })
    expect(refusalOf(() => store.as({} as never, () => 1))).toEqual({
      ...reported,
      found: 'something else',
    })
  })

  test('of another store is refused, even with the id of one of this store', () => {
    const twin = () => {
      let count = 0
      const ids = { uuid: () => String(++count).padStart(32, '0'), token: () => `token ${++count}` }
      return serverStateStore({ ids }).store
    }
    const [store, other] = [twin(), twin()]
    const [mine, theirs] = [store.sessions.open(), other.sessions.open()]
    expect(mine.id).toBe(theirs.id)
    expect(codeOf(() => store.as(theirs, () => 1))).toBe('argumentInvalid')
    expect(codeOf(() => store.locks.lock('Employee', 1, theirs))).toBe('argumentInvalid')
    const id = store.entitySets.create(store.Employee.all(), { owner: mine })
    expect([store.entitySets.get(id, mine)?.count, store.entitySets.get(id, theirs)]).toEqual([
      3,
      undefined,
    ])
    store.sessions.close(mine.token)
    expect(store.entitySets.get(id, mine)).toBe(undefined)
    expect(codeOf(() => store.entitySets.create(other.Employee.all() as never))).toBe(
      'argumentInvalid',
    )
  })
})

describe('a session that has ended', () => {
  test('does not find its sets, even before its end is noticed', () => {
    const { store, clock } = serverStateStore()
    const mine = store.sessions.open({ lifetimeSeconds: 10 })
    const id = store.entitySets.create(store.Employee.all(), { owner: mine, lifetimeSeconds: 1000 })
    expect(store.entitySets.get(id, mine)?.count).toBe(3)
    clock.advance(10_000)
    expect(store.entitySets.get(id, mine)).toBe(undefined)
  })

  test('of an address leaves the others of that address counted', () => {
    const { store } = serverStateStore({ sessions: { maxPerAddress: 2 } })
    const open = () => store.sessions.open({ ipAddress: '::1' })
    const [first, second] = [open(), open()]
    store.sessions.close(first.token)
    const third = open()
    expect([store.sessions.peek(second.token)?.id, store.sessions.size]).toEqual([second.id, 2])
    const fourth = open()
    expect(store.sessions.peek(second.token)).toBe(undefined)
    expect([third, fourth].map(({ token, id }) => store.sessions.peek(token)?.id === id)).toEqual([
      true,
      true,
    ])
    expect(store.sessions.size).toBe(2)
    expect(store.sessions.open({ ipAddress: '::2' }).id).not.toBe(third.id)
    expect(store.sessions.size).toBe(3)
  })

  test('makes room: anonymous ones for all sessions, those of users for users only', () => {
    const { store } = serverStateStore({ sessions: { max: 2 } })
    const guest = store.sessions.open()
    const [ada, bob, cyd] = ['ada', 'bob', 'cyd'].map(userNamed)
    const first = store.sessions.open({ user: ada })
    const second = store.sessions.open({ user: bob })
    expect([store.sessions.peek(guest.token), store.sessions.size]).toEqual([undefined, 2])
    expect(codeOf(() => store.sessions.open())).toBe('tooManySessions')
    expect([first, second].map(({ token }) => store.sessions.peek(token) !== undefined)).toEqual([
      true,
      true,
    ])
    const third = store.sessions.open({ user: cyd })
    expect([store.sessions.peek(first.token), store.sessions.peek(second.token)?.id]).toEqual([
      undefined,
      second.id,
    ])
    for (const session of [second, third])
      store.locks.lock('Employee', session === second ? 1 : 2, session)
    expect(codeOf(() => store.sessions.open({ user: ada }))).toBe('tooManySessions')
  })
})
