import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/index.ts'
import { runs } from '../runs.ts'
import { codeOf, lockKind, type SideStore, serverStateStore } from './server-state-store.ts'

function twoSessions(options = {}) {
  const { store, clock } = serverStateStore(options)
  const mine = store.sessions.open({ host: 'http://h/x', ipAddress: '::1', userAgent: 'agent' })
  const other = store.sessions.open()
  return { store, clock, mine, other }
}

describe('a lock', () => {
  test('can be taken again by the same session; another one gets its holder', () => {
    const { store, mine, other } = twoSessions()
    expect([lockKind(store, 1, mine), lockKind(store, 1, mine)]).toEqual(['locked', 'locked'])
    const refused = store.locks.lock('Employee', 1, other)
    expect(refused).toMatchObject({
      kind: 'alreadyLocked',
      recordNumber: 0,
      holder: { id: mine.id, host: 'http://h/x' },
    })
    expect(JSON.stringify(refused)).not.toContain(mine.token)
    expect(refused.kind === 'alreadyLocked' && 'token' in refused.holder).toBe(false)
    expect(store.locks.unlock('Employee', 1, other).kind).toBe('alreadyLocked')
    expect(store.locks.size).toBe(1)
    expect(store.locks.unlock('Employee', 1, mine).kind).toBe('unlocked')
    expect(store.locks.unlock('Employee', 1, mine).kind).toBe('unlocked')
    expect(lockKind(store, 1, other)).toBe('locked')
    expect(store.locks.holder('Employee', 1)?.id).toBe(other.id)
  })
  test('checks a given stamp, after it checks the holder', () => {
    const { store, mine, other } = twoSessions()
    const stamp = store.Employee.update(1, { salary: 1 }).stamp
    expect(store.locks.lock('Employee', 1, mine, { stamp: 1 })).toEqual({
      kind: 'stampChanged',
      stored: stamp,
    })
    expect(store.locks.holder('Employee', 1)).toBeNull()
    expect(store.locks.lock('Employee', 1, mine, { stamp }).kind).toBe('locked')
    expect(store.locks.lock('Employee', 1, other, { stamp: 1 }).kind).toBe('alreadyLocked')
  })
  test('needs an entity, a dataclass and an open session of this store', () => {
    const { store, mine } = twoSessions()
    for (const key of [99, 'x', null, 1.5]) {
      expect(store.locks.lock('Employee', key as never, mine).kind).toBe('absent')
      expect(store.locks.unlock('Employee', key as never, mine).kind).toBe('absent')
      expect(store.locks.holder('Employee', key as never)).toBeNull()
    }
    expect(codeOf(() => store.locks.lock('Nosuch', 1, mine).kind)).toBe('dataClassNotFound')
    expect(codeOf(() => store.locks.holder('Nosuch', 1)?.id)).toBe('dataClassNotFound')
    for (const session of [null, mine.id, { ...mine }, serverStateStore().store.sessions.open()]) {
      expect(codeOf(() => store.locks.lock('Employee', 1, session as never).kind)).toBe(
        'argumentInvalid',
      )
      expect(codeOf(() => store.locks.unlock('Employee', 1, session as never).kind)).toBe(
        'argumentInvalid',
      )
    }
  })
  test('ends with its session, however the session ends', () => {
    const { store, clock, mine, other } = twoSessions({ sessions: { idleSeconds: 10 } })
    lockKind(store, 1, mine)
    lockKind(store, 2, other)
    store.sessions.close(mine.token)
    expect(lockKind(store, 1, other)).toBe('locked')
    clock.advance(9_999)
    expect(codeOf(() => store.Employee.update(2, { salary: 1 }))).toBe('entityLocked')
    clock.advance(1)
    expect(store.Employee.update(2, { salary: 1 }).salary).toBe(1)
    expect(store.locks.size).toBe(0)
  })
  test('ends with its entity: a later entity with the same key or record number is free', () => {
    const { store, mine, other } = twoSessions()
    lockKind(store, 2, mine)
    store.as(mine, () => store.Employee.remove(2))
    expect(store.locks.size).toBe(0)
    store.Employee.insert({ ID: 2, name: 'New' })
    expect(store.locks.holder('Employee', 2)).toBeNull()
    expect(lockKind(store, 2, other)).toBe('locked')
    expect(codeOf(() => store.as(mine, () => store.Employee.update(2, { salary: 1 })))).toBe(
      'entityLocked',
    )
  })
  test('counts against a limit per session, unless its entity is removed', () => {
    const { store, mine, other } = twoSessions({ locks: { maxPerSession: 2 } })
    for (const key of [1, 2]) lockKind(store, key, mine)
    expect(codeOf(() => lockKind(store, 3, mine))).toBe('budgetExceeded')
    expect(lockKind(store, 1, mine)).toBe('locked')
    expect(lockKind(store, 3, other)).toBe('locked')
    store.as(mine, () => store.Employee.remove(2))
    expect(lockKind(store, 3, mine)).toBe('alreadyLocked')
    store.locks.unlock('Employee', 3, other)
    expect(lockKind(store, 3, mine)).toBe('locked')
    expect(store.locks.releaseAll(mine)).toBe(2)
    expect(store.locks.size).toBe(0)
  })
})

describe('only its holder can change a locked entity', () => {
  const refused: [string, (store: SideStore) => unknown][] = [
    ['update', (store) => store.Employee.update(1, { salary: 9 })],
    ['an update that changes nothing', (store) => store.Employee.update(1, {})],
    ['an edit', (store) => store.Employee.update(1, (draft) => void (draft.salary = 9))],
    ['remove', (store) => store.Employee.remove(1)],
    [
      'a transaction',
      (store) => store.transact((tx) => tx.Employee.update(1, { salary: 9 }).salary),
    ],
    ['remove of a selection', (store) => store.Employee.query('ID > 0').remove()],
    ['a relation that the removal of its target empties', (store) => store.Company.remove(1)],
    ['preview', (store) => store.Employee.preview(1, { salary: 9 })],
  ]
  test.each(refused)('%s', (_, write) => {
    const { store, mine, other } = twoSessions()
    lockKind(store, 1, mine)
    const before = store.dump()
    const refusal = {
      code: 'entityLocked',
      errCode: 9035,
      details: { dataClass: 'Employee', key: '1', holder: { id: mine.id } },
    }
    expect(() => write(store)).toThrow(
      expect.objectContaining({ code: refusal.code, errCode: refusal.errCode }),
    )
    expect(() => store.as(other, () => write(store))).toThrow(
      expect.objectContaining({ code: 'entityLocked' }),
    )
    try {
      store.as(mine, () => store.as(null, () => write(store)))
    } catch (error) {
      expect(error).toMatchObject(refusal)
      expect(JSON.stringify(error)).not.toContain(mine.token)
    }
    expect(store.dump()).toEqual(before)
    expect(codeOf(() => store.as(mine, () => write(store)))).not.toBe('entityLocked')
  })
  test('a cascade', () => {
    const { store, mine } = twoSessions()
    store.locks.lock('Badge', 1, mine)
    expect(() => store.Company.remove(1)).toThrow(
      expect.objectContaining({
        code: 'entityLocked',
        details: expect.objectContaining({ dataClass: 'Badge', key: '1' }),
      }),
    )
    expect(store.Company.count).toBe(1)
    store.as(mine, () => store.Company.remove(1))
    expect([store.Company.count, store.Badge.count, store.locks.size]).toEqual([0, 0, 0])
  })
  test('a dataclass with hooks, and keys of text', () => {
    const { store, mine } = twoSessions()
    store.locks.lock('Note', 'n', mine)
    expect(codeOf(() => store.Note.update('n', { text: 'x' }))).toBe('entityLocked')
    expect(codeOf(() => store.Note.remove('n'))).toBe('entityLocked')
    expect(store.as(mine, () => store.Note.update('n', { text: 'x' })).saved).toBe(2)
  })
  test('reading, inserting, and writing other entities stay possible', () => {
    const { store, mine } = twoSessions()
    lockKind(store, 1, mine)
    expect(store.Employee.get(1)?.name).toBe('Ada')
    expect(store.Employee.update(2, { salary: 1 }).salary).toBe(1)
    store.Employee.insert({ name: 'Dan', employer: 1 })
    store.Company.update(1, { name: 'Other' })
    expect(store.Employee.load([{ name: 'Eve' }])).toEqual({ count: 1 })
  })
})

describe('transactions', () => {
  test('that fail release no lock and restore none', () => {
    const { store, mine, other } = twoSessions()
    lockKind(store, 1, mine)
    const failed = codeOf(() =>
      store.as(mine, () =>
        store.transact((tx) => {
          tx.Employee.remove(1)
          expect(tx.Employee.query('ID > 0').count).toBe(2)
          expect(store.locks.holder('Employee', 1)).toBeNull()
          expect(store.locks.size).toBe(0)
          store.locks.lock('Employee', 2, mine)
          tx.Employee.remove(1)
        }),
      ),
    )
    expect(failed).toBe('entityNotFound')
    expect(store.locks.holder('Employee', 1)?.id).toBe(mine.id)
    expect(lockKind(store, 2, other)).toBe('alreadyLocked')
  })
  test('can lock what they insert, which is locked when they commit', () => {
    const { store, mine } = twoSessions()
    const ID = store.transact((tx) => {
      tx.Employee.remove(2)
      const { ID } = tx.Employee.insert({ name: 'New' })
      expect(lockKind(store, ID, mine)).toBe('locked')
      expect(codeOf(() => tx.Employee.update(ID, { salary: 1 }))).toBe('entityLocked')
      return ID
    })
    expect(store.locks.holder('Employee', ID)?.id).toBe(mine.id)
    const lost = codeOf(() =>
      store.transact((tx) => {
        lockKind(store, tx.Employee.insert({ ID: 77, name: 'Never' }).ID, mine)
        tx.Employee.remove(1000)
      }),
    )
    expect(lost).toBe('entityNotFound')
    store.Employee.insert({ ID: 77, name: 'Later' })
    expect([store.locks.holder('Employee', 77), store.locks.size]).toEqual([null, 1])
  })
})

describe('a restore', () => {
  test('drops locks created since; those released since stay released, older ones stay', () => {
    const { store, mine, other } = twoSessions()
    for (const key of [1, 2]) lockKind(store, key, mine)
    const snapshot = store.snapshot()
    store.locks.unlock('Employee', 2, mine)
    lockKind(store, 3, other)
    store.as(mine, () => store.Employee.update(1, { salary: 7 }))
    // Locks do not prevent a restore, which is about the whole store.
    store.restore(snapshot)
    expect([1, 2, 3].map((key) => store.locks.holder('Employee', key)?.id)).toEqual([
      mine.id,
      undefined,
      undefined,
    ])
    expect(store.Employee.get(1)?.salary).toBeNull()
    expect(store.sessions.size).toBe(2)
  })
  test('without changes drops them too, and an entity that a restore brings back is free', () => {
    const { store, mine } = twoSessions()
    lockKind(store, 1, mine)
    const snapshot = store.snapshot()
    lockKind(store, 2, mine)
    store.restore(snapshot)
    expect(store.locks.size).toBe(1)
    store.as(mine, () => store.Employee.remove(1))
    store.restore(snapshot)
    expect(store.Employee.has(1)).toBe(true)
    expect(store.locks.holder('Employee', 1)).toBeNull()
    expect(store.Employee.update(1, { salary: 1 }).salary).toBe(1)
  })
  test('has dropped them before listeners run, and keeps locks that these create', () => {
    const { store, mine, other } = twoSessions()
    const snapshot = store.snapshot()
    lockKind(store, 1, mine)
    store.as(mine, () => store.Employee.update(1, { salary: 1 }))
    const received: string[] = []
    let set = ''
    store.on('commit', () => {
      received.push(lockKind(store, 1, other))
      set = store.entitySets.create(store.Employee.all())
    })
    store.restore(snapshot)
    expect(received).toEqual(['locked'])
    expect(store.locks.holder('Employee', 1)?.id).toBe(other.id)
    expect(store.entitySets.get(set)?.count).toBe(3)
  })
  test('inside a transaction is refused and keeps all locks', () => {
    const { store, mine } = twoSessions()
    const snapshot = store.snapshot()
    lockKind(store, 1, mine)
    expect(codeOf(() => store.transact(() => store.restore(snapshot)))).toBe('notInTransaction')
    expect(store.locks.size).toBe(1)
  })
})

/** The oracle of locks: one row per lock, and the last use of each session. */
class PlainLocks {
  readonly used: (number | null)[] = [0, 0, 0]
  locks: { key: number; by: number }[] = []
  now = 0

  advance(milliseconds: number): void {
    this.now += milliseconds
    for (const [at, used] of this.used.entries())
      if (used !== null && this.now - used >= LIFETIME) this.end(at)
  }
  end(session: number): void {
    this.used[session] = null
    this.locks = this.locks.filter(({ by }) => by !== session)
  }
  by(key: number): number | undefined {
    return this.locks.find((lock) => lock.key === key)?.by
  }
  unlock(key: number): void {
    this.locks = this.locks.filter((lock) => lock.key !== key)
  }
}

const LIFETIME = 1000
const session = fc.nat(2)
const key = fc.integer({ min: 1, max: 3 })
const act = fc.oneof(
  fc.record({ do: fc.constantFrom('lock', 'unlock', 'update', 'remove', 'insert'), session, key }),
  fc.record({
    do: fc.constantFrom('touch', 'close', 'login', 'open', 'releaseAll'),
    session,
    key: fc.constant(0),
  }),
  fc.record({ do: fc.constant('look'), session, key }),
  fc.record({
    do: fc.constant('wait'),
    session,
    key: fc.constantFrom(1, LIFETIME - 1, LIFETIME, LIFETIME + 1),
  }),
)

function mustEqual(
  store: SideStore,
  plain: PlainLocks,
  sessions: readonly Session[],
  key: number,
): void {
  const held = plain.by(key)
  expect(store.locks.holder('Employee', key)?.id).toBe(
    held === undefined ? undefined : sessions[held]!.id,
  )
  if (key === 1) return
  expect(store.locks.size).toBe(plain.locks.length)
  expect(store.sessions.size).toBe(plain.used.filter((used) => used !== null).length)
}

test('in any sequence of calls sessions, locks and the clock behave as a plain list of locks', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40, size: '+1' }), (acts) => {
      const { store, clock } = serverStateStore({ sessions: { idleSeconds: LIFETIME / 1000 } })
      const plain = new PlainLocks()
      const sessions: Session[] = [0, 1, 2].map(() => store.sessions.open())
      for (const { do: what, session: at, key } of acts) {
        const session = sessions[at]!
        const isOpen = plain.used[at] !== null
        const exists = store.Employee.has(key)
        const by = plain.by(key)
        const isFree = by === undefined || by === at
        const outcome = (run: () => unknown): unknown => codeOf(run)
        switch (what) {
          case 'lock': {
            const expected = !isOpen
              ? 'argumentInvalid'
              : !exists
                ? 'absent'
                : isFree
                  ? 'locked'
                  : 'alreadyLocked'
            expect(outcome(() => lockKind(store, key, session))).toBe(expected)
            if (expected === 'locked' && by === undefined) plain.locks.push({ key, by: at })
            break
          }
          case 'unlock': {
            const expected = !isOpen
              ? 'argumentInvalid'
              : !exists
                ? 'absent'
                : isFree
                  ? 'unlocked'
                  : 'alreadyLocked'
            expect(outcome(() => store.locks.unlock('Employee', key, session).kind)).toBe(expected)
            if (expected === 'unlocked') plain.unlock(key)
            break
          }
          case 'update': {
            const expected = !isOpen
              ? 'argumentInvalid'
              : !exists
                ? 'entityNotFound'
                : isFree
                  ? 'done'
                  : 'entityLocked'
            const update = () =>
              store.as(session, () => store.Employee.update(key, { salary: plain.now }) && 'done')
            expect(outcome(update)).toBe(expected)
            break
          }
          case 'remove': {
            // Without a session, every lock refuses the write.
            const expected = !exists ? 'entityNotFound' : by === undefined ? 'done' : 'entityLocked'
            const holder = isOpen && by === at
            const remove = () => store.Employee.remove(key) ?? 'done'
            expect(outcome(remove)).toBe(expected)
            if (holder && exists) {
              store.as(session, () => store.Employee.remove(key))
              plain.unlock(key)
            }
            break
          }
          case 'insert':
            if (!exists) store.Employee.insert({ ID: key, name: 'again' })
            break
          case 'touch':
            expect(store.sessions.touch(session.token) !== undefined).toBe(isOpen)
            if (isOpen) plain.used[at] = plain.now
            break
          case 'login':
            if (!isOpen) break
            sessions[at] = store.sessions.login(session.token, {
              ID: 'u',
              userName: 'u',
              fullName: 'u',
              groups: [],
            })
            expect(store.sessions.touch(session.token)).toBeUndefined()
            plain.used[at] = plain.now
            break
          case 'close':
            expect(store.sessions.close(session.token)).toBe(isOpen)
            plain.end(at)
            break
          case 'open':
            if (isOpen) break
            sessions[at] = store.sessions.open()
            plain.used[at] = plain.now
            break
          case 'releaseAll': {
            const held = plain.locks.filter(({ by }) => by === at).length
            expect(outcome(() => store.locks.releaseAll(session))).toBe(
              isOpen ? held : 'argumentInvalid',
            )
            if (isOpen) plain.locks = plain.locks.filter(({ by }) => by !== at)
            break
          }
          case 'wait':
            clock.advance(key)
            plain.advance(key)
            break
          // Not after each step, so that unnoticed ends of sessions are covered too.
          case 'look':
            mustEqual(store, plain, sessions, key)
        }
      }
      for (const key of [1, 2, 3]) mustEqual(store, plain, sessions, key)
    }),
    runs(300),
  )
})
