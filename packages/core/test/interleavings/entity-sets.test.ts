import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, fakeClock } from '../engine/server-state-store.ts'
import { allOrders } from './all-orders.ts'

const Item = defineDataClass('Item', { ID: attribute.long({ key: true }) })

const LIFETIME = 1000

/**
 * A store, and the same sets in plain objects: live sets with their remaining lifetimes, the least
 * recently read first.
 */
const beginWith = (max: number) => () => {
  const clock = fakeClock()
  const store = createDataStore({ name: 'sets', dataClasses: [Item], clock, entitySets: { max } })
  store.Item.load([{ ID: 1 }, { ID: 2 }, { ID: 3 }])
  return {
    store,
    clock,
    plain: [] as { id: string; left: number; members: readonly number[] }[],
    max,
  }
}
type World = ReturnType<ReturnType<typeof beginWith>>

const ID = { a: 'A'.repeat(32), b: 'B'.repeat(32), c: 'C'.repeat(32) } as const
type Name = keyof typeof ID

const create = (name: Name, filter: string) => (world: World) => {
  const { store, plain, max } = world
  const selection = store.Item.query(filter)
  store.entitySets.create(selection, { id: ID[name], lifetimeSeconds: LIFETIME / 1000 })
  world.plain = plain.filter(({ id }) => id !== ID[name])
  if (world.plain.length === max) world.plain.shift()
  world.plain.push({ id: ID[name], left: LIFETIME, members: selection.keys() })
}
/** Calls that renew a set: `get`, and `combine` and `clean` for every operand. */
const renew = (world: World, name: Name) => {
  const at = world.plain.findIndex(({ id }) => id === ID[name])
  if (at < 0) return undefined
  const [set] = world.plain.splice(at, 1)
  world.plain.push({ ...set, left: LIFETIME })
  return set.members
}
const get = (name: Name) => (world: World) => {
  expect(world.store.entitySets.get(ID[name])?.keys()).toEqual(renew(world, name))
}
const peek = (name: Name) => (world: World) => {
  const set = world.plain.find(({ id }) => id === ID[name])
  expect(world.store.entitySets.peek(ID[name])?.keys()).toEqual(set?.members)
}
const combine = (first: Name, second: Name) => (world: World) => {
  const left = renew(world, first)
  const right = left === undefined ? undefined : renew(world, second)
  const found = codeOf(() => world.store.entitySets.combine(ID[first], 'EXCEPT', ID[second]).keys())
  expect(found).toEqual(
    right === undefined ? 'entitySetNotFound' : left!.filter((key) => !right.includes(key)),
  )
}
const clean = (name: Name) => (world: World) => {
  const members = renew(world, name)
  expect(codeOf(() => world.store.entitySets.clean(ID[name]).keys())).toEqual(
    members ?? 'entitySetNotFound',
  )
}
const release = (name: Name) => (world: World) => {
  const there = world.plain.some(({ id }) => id === ID[name])
  expect(world.store.entitySets.release(ID[name])).toBe(there)
  world.plain = world.plain.filter(({ id }) => id !== ID[name])
}
const wait = (milliseconds: number) => (world: World) => {
  world.clock.advance(milliseconds)
  world.plain = world.plain.flatMap((set) =>
    set.left > milliseconds ? [{ ...set, left: set.left - milliseconds }] : [],
  )
}
const end = ({ store, plain }: World) => {
  expect(store.entitySets.list().map(({ id }) => id)).toEqual(plain.map(({ id }) => id))
  expect(store.entitySets.list().map(({ expires, refreshed }) => expires - refreshed)).toEqual(
    plain.map(() => LIFETIME),
  )
  expect(store.entitySets.size).toBe(plain.length)
}

test('a set exists until it is released, and every later call finds it absent (420 orders)', () => {
  const sessions = {
    A: [create('a', 'ID > 0'), get('a'), clean('a')],
    B: [create('b', 'ID = 2'), combine('a', 'b')],
    C: [release('a')],
    D: [release('a')],
  }
  expect(allOrders({ begin: beginWith(9), sessions, end })).toBe(420)
})

test('a set expires to the millisecond; a read renews it, `peek` does not (210 orders)', () => {
  const sessions = {
    A: [create('a', 'ID > 1'), get('a')],
    B: [peek('a'), clean('a')],
    clock: [wait(LIFETIME - 1), wait(1), wait(1)],
  }
  expect(allOrders({ begin: beginWith(9), sessions, end })).toBe(210)
})

test('`combine` renews both operands, and is refused if either has expired (210 orders)', () => {
  const sessions = {
    A: [create('a', 'ID > 1'), combine('a', 'b')],
    B: [create('b', 'ID = 3'), get('b')],
    clock: [wait(LIFETIME - 1), wait(1), wait(LIFETIME - 1)],
  }
  expect(allOrders({ begin: beginWith(9), sessions, end })).toBe(210)
})

test('a new set evicts the least recently read one, and no other (180 orders)', () => {
  const sessions = {
    A: [create('a', 'ID = 1'), get('a')],
    B: [create('b', 'ID = 2'), combine('b', 'a')],
    C: [create('c', 'ID = 3')],
    D: [release('b')],
  }
  expect(allOrders({ begin: beginWith(2), sessions, end })).toBe(180)
})

test('a selection read from a set stays valid when the set is released, replaced or expired (60 orders)', () => {
  const begin = () => ({
    ...beginWith(1)(),
    found: null as ReturnType<World['store']['Item']['all']> | null,
  })
  type Reading = ReturnType<typeof begin>
  const look = ({ found }: Reading) => expect(found?.keys() ?? [1, 2, 3]).toEqual([1, 2, 3])
  const sessions = {
    A: [
      (world: Reading) => {
        create('a', 'ID > 0')(world)
        world.found = world.store.entitySets.get(ID.a)!
      },
      look,
      look,
    ],
    B: [release('a'), create('b', 'ID = 1')],
    clock: [wait(LIFETIME)],
  }
  expect(allOrders({ begin, sessions, end })).toBe(60)
})
