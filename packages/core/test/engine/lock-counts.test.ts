import { expect, test } from 'vitest'
import { isEntiaError } from '../../src/index.ts'
import { codeOf, lockKind, serverStateStore } from './server-state-store.ts'

test('releasing one of several locks of a session leaves the others, which end with the session', () => {
  const { store } = serverStateStore()
  const mine = store.sessions.open()
  const other = store.sessions.open()
  for (const key of [1, 2, 3]) lockKind(store, key, mine)
  expect(store.locks.unlock('Employee', 2, mine).kind).toBe('unlocked')
  expect(store.locks.size).toBe(2)
  expect([lockKind(store, 1, other), lockKind(store, 2, other)]).toEqual([
    'alreadyLocked',
    'locked',
  ])
  store.sessions.close(mine.token)
  expect(store.locks.size).toBe(1)
  expect(lockKind(store, 3, other)).toBe('locked')
})

test('releaseAll returns the number of released locks of live entities', () => {
  const { store } = serverStateStore()
  const mine = store.sessions.open()
  expect(store.locks.releaseAll(mine)).toBe(0)
  for (const key of [1, 2]) lockKind(store, key, mine)
  store.as(mine, () => store.Employee.remove(1))
  expect(store.locks.releaseAll(mine)).toBe(1)
  expect([store.locks.size, store.locks.releaseAll(mine)]).toEqual([0, 0])
})

test('a session with too many locks gets an error that names the limit', () => {
  const { store } = serverStateStore({ locks: { maxPerSession: 1 } })
  const mine = store.sessions.open()
  lockKind(store, 1, mine)
  expect(lockKind(store, 1, mine)).toBe('locked')
  try {
    lockKind(store, 2, mine)
    expect.unreachable()
  } catch (error) {
    if (!isEntiaError(error, 'budgetExceeded')) throw error
    expect(error.details).toEqual({
      what: 'locks of one session',
      limit: 1,
      option: 'locks.maxPerSession',
    })
  }
  store.locks.unlock('Employee', 1, mine)
  expect(lockKind(store, 2, mine)).toBe('locked')
})

test('inside a transaction the lock of a removed entity is not counted, and it returns with a rollback', () => {
  const { store } = serverStateStore({ locks: { maxPerSession: 2 } })
  const mine = store.sessions.open()
  const other = store.sessions.open()
  for (const key of [1, 2]) lockKind(store, key, mine)
  const undone = codeOf(() =>
    store.as(mine, () =>
      store.transact((tx) => {
        expect(codeOf(() => lockKind(store, 3, mine))).toBe('budgetExceeded')
        tx.Employee.remove(1)
        expect(lockKind(store, 3, mine)).toBe('locked')
        expect(store.locks.size).toBe(2)
        throw Object.assign(new Error('undone'), { code: 'undone' })
      }),
    ),
  )
  expect(undone).toBe('undone')
  expect(lockKind(store, 1, other)).toBe('alreadyLocked')
})
