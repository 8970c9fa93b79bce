import { expect, test } from 'vitest'
import type { Session } from '../../src/index.ts'
import { codeOf, serverStateStore } from '../engine/server-state-store.ts'
import { allOrders } from './all-orders.ts'

/**
 * A store with three sessions, and in plain values: the holder of the lock on Employee 1, and
 * whether that entity exists.
 */
const begin = () => {
  const { store, clock } = serverStateStore({ sessions: { idleSeconds: 10 } })
  const [a, b, c] = [store.sessions.open(), store.sessions.open(), store.sessions.open()] as const
  const tokens = new Map<Session, string>([a, b, c].map((session) => [session, session.token]))
  return { store, clock, a, b, c, tokens, holder: null as Session | null, exists: true }
}
type World = ReturnType<typeof begin>
type Who = 'a' | 'b' | 'c'

const isFree = (world: World, who: Who | null) =>
  world.holder === null || (who !== null && world.holder === world[who])

const lock = (who: Who) => (world: World) => {
  const expected = !world.exists ? 'absent' : isFree(world, who) ? 'locked' : 'alreadyLocked'
  expect(world.store.locks.lock('Employee', 1, world[who]).kind).toBe(expected)
  if (expected === 'locked') world.holder = world[who]
}
const unlock = (who: Who) => (world: World) => {
  const expected = !world.exists ? 'absent' : isFree(world, who) ? 'unlocked' : 'alreadyLocked'
  expect(world.store.locks.unlock('Employee', 1, world[who]).kind).toBe(expected)
  if (expected === 'unlocked') world.holder = null
}
const remove = (who: Who | null) => (world: World) => {
  const expected = !world.exists
    ? 'entityNotFound'
    : isFree(world, who)
      ? undefined
      : 'entityLocked'
  const { store } = world
  expect(codeOf(() => store.as(who && world[who], () => store.Employee.remove(1)))).toBe(expected)
  if (expected === undefined) Object.assign(world, { exists: false, holder: null })
}
const insert = (world: World) => {
  const expected = world.exists ? 'keyNotUnique' : undefined
  expect(codeOf(() => void world.store.Employee.insert({ ID: 1, name: 'again' }))).toBe(expected)
  world.exists = true
}
/** A write that must change nothing if another session holds the lock. */
const write = (who: Who | null, body: (store: World['store']) => unknown) => (world: World) => {
  const { store } = world
  const before = store.dump()
  const isRefused = world.exists && !isFree(world, who)
  const code = codeOf(() => void store.as(who && world[who], () => void body(store)))
  if (isRefused) expect(code).toBe('entityLocked')
  else expect([undefined, 'entityNotFound']).toContain(code)
  if (isRefused) expect(store.dump()).toEqual(before)
  if (store.Employee.has(1) !== world.exists) Object.assign(world, { exists: false, holder: null })
}
const end = ({ store, exists, holder }: World) => {
  expect(store.Employee.has(1)).toBe(exists)
  expect(store.locks.holder('Employee', 1)?.id).toBe(holder?.id)
  expect(store.locks.size).toBe(holder === null ? 0 : 1)
  store.verify()
}

test('only the holder of a lock removes the entity, its successor is unlocked, and a missing entity cannot be locked (210 orders)', () => {
  const sessions = {
    A: [lock('a'), write('a', ({ Employee }) => Employee.update(1, { salary: 1 })), unlock('a')],
    B: [remove('b'), insert],
    C: [lock('c'), remove('c')],
  }
  expect(allOrders({ begin, sessions, end })).toBe(210)
})

const BATCHES: readonly (readonly [string, (store: World['store']) => unknown])[] = [
  [
    'a batch',
    ({ Employee }) =>
      Employee.updateAll([
        { key: 2, patch: { salary: 7 } },
        { key: 1, patch: { salary: 7 } },
      ]),
  ],
  [
    'a filter',
    (store) =>
      store.transact((tx) => {
        for (const { ID } of tx.Employee.query('ID < 3')) tx.Employee.update(ID, { salary: 8 })
      }),
  ],
  ['the removal of a selection', ({ Employee }) => Employee.query('ID < 3').remove()],
  ['the removal of what it relates to', ({ Company }) => Company.remove(1)],
]
test.each(BATCHES)(
  '%s is carried out completely, or not at all if another session holds a lock (30 orders)',
  (_, body) => {
    const sessions = {
      A: [lock('a'), unlock('a')],
      B: [write('b', body)],
      C: [lock('c'), remove('c')],
    }
    expect(allOrders({ begin, sessions, end })).toBe(30)
  },
)

test('a session loses its locks and sets at the moment it ends, however it ends (140 orders)', () => {
  type Ending = World & { set: string; isOpen: boolean; left: number }
  const start = (): Ending => ({ ...begin(), set: '', isOpen: true, left: 10_000 })
  const use = (world: Ending) => {
    const { store, a, tokens } = world
    expect(store.sessions.touch(tokens.get(a)!) !== undefined).toBe(world.isOpen)
    if (world.isOpen) world.left = 10_000
  }
  const over = (world: Ending) => {
    world.isOpen = false
    if (world.holder === world.a) world.holder = null
  }
  const wait = (milliseconds: number) => (world: Ending) => {
    world.clock.advance(milliseconds)
    world.left -= milliseconds
    // The other sessions are touched before they expire.
    for (const other of [world.b, world.c]) world.store.sessions.touch(world.tokens.get(other)!)
    if (world.left <= 0) over(world)
  }
  const look = (world: Ending) => {
    const { store, set, a, isOpen } = world
    if (set !== '') expect(store.entitySets.peek(set, isOpen ? a : null) !== undefined).toBe(isOpen)
    expect(store.locks.holder('Employee', 1)?.id).toBe(world.holder?.id)
    expect(store.entitySets.size).toBe(set !== '' && isOpen ? 1 : 0)
  }
  const sessions = {
    A: [
      (world: Ending) => {
        if (world.isOpen) lock('a')(world)
        else
          expect(codeOf(() => world.store.locks.lock('Employee', 1, world.a).kind)).toBe(
            'argumentInvalid',
          )
      },
      (world: Ending) => {
        const create = () =>
          world.store.entitySets.create(world.store.Employee.all(), { owner: world.a })
        if (world.isOpen) world.set = create()
        else expect(codeOf(create)).toBe('argumentInvalid')
      },
      (world: Ending) => {
        expect(world.store.sessions.close(world.tokens.get(world.a)!)).toBe(world.isOpen)
        over(world)
      },
    ],
    B: [lock('b')],
    C: [wait(9_999), use, wait(1)],
  }
  const lookAndEnd = (world: Ending) => {
    look(world)
    end(world)
  }
  const orders = allOrders({ begin: start, sessions, end: lookAndEnd })
  expect(orders).toBe(140)
})
