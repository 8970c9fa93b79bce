import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { allOrders } from './all-orders.ts'

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
})
const Log = defineDataClass('Log', {
  ID: attribute.long({ key: true, autoSequence: true }),
  of: attribute.long(),
})

const begin = () => {
  const store = createDataStore({ name: 'received', dataClasses: [Item, Log] })
  const errors: unknown[] = []
  store.on('error', (error) => void errors.push(error))
  /**
   * Each listener, with the global stamps between which it listened, and those that it received.
   */
  const listeners = new Map<
    string,
    { stop: () => void; from: number; to: number; received: number[] }
  >()
  return { store, errors, listeners }
}
type World = ReturnType<typeof begin>

const listen =
  (name: string, act: (world: World) => void = () => {}) =>
  (world: World) => {
    const received: number[] = []
    const { store, listeners } = world
    const stop = store.on('commit', ({ globalStamp, changes }) => {
      received.push(globalStamp)
      expect(changes.length).toBeGreaterThan(0)
      if (changes.every(({ dataClass }) => dataClass === 'Item')) act(world)
    })
    listeners.set(name, { stop, from: store.globalStamp, to: Number.POSITIVE_INFINITY, received })
  }
const stop = (name: string) => (world: World) => {
  const listener = world.listeners.get(name)!
  listener.stop()
  listener.to = world.store.globalStamp
}
const insert = ({ store }: World) => void store.Item.insert({ name: 'x' })
const rename = ({ store }: World) =>
  store.transact((tx) => {
    const one = tx.Item.all().first() ?? tx.Item.insert({ name: 'y' })
    tx.Item.update(one.ID, { name: `${one.name}+` })
    tx.Item.update(one.ID, { name: `${one.name}++` })
  })
const fail = ({ store }: World) => {
  expect(() =>
    store.transact((tx) => {
      tx.Item.insert({ name: 'never' })
      tx.Item.remove(999)
    }),
  ).toThrow()
}
/**
 * Each listener received every commit between its registration and its removal, once, in order, and
 * nothing else.
 */
const end = ({ store, listeners }: World) => {
  for (const { from, to, received } of listeners.values()) {
    const expected: number[] = []
    for (let stamp = from + 1; stamp <= Math.min(to, store.globalStamp); stamp++)
      expected.push(stamp)
    expect(received).toEqual(expected)
  }
  store.verify()
}

test('every listener receives each commit once and in order, even if one writes, and no failed transaction (210 orders)', () => {
  const log = ({ store }: World) => void store.Log.insert({ of: store.globalStamp })
  const sessions = {
    A: [listen('writes', log), stop('writes')],
    B: [listen('hears'), stop('hears')],
    C: [insert, rename, fail],
  }
  const check = (world: World) => {
    end(world)
    expect(world.errors).toEqual([])
  }
  expect(allOrders({ begin, sessions, end: check })).toBe(210)
})

test('a listener that throws, or stops another one, does not affect the remaining listeners (60 orders)', () => {
  const boom = new RangeError('listener')
  const sessions = {
    A: [
      listen('throws', () => {
        throw boom
      }),
    ],
    B: [listen('hears')],
    C: [
      listen('stops', (world) => {
        // If the stopped listener comes later, it does not receive this commit.
        if (world.listeners.get('stopped')?.to === Number.POSITIVE_INFINITY) stop('stopped')(world)
      }),
      insert,
    ],
    D: [listen('stopped')],
  }
  const check = (world: World) => {
    const { received, to } = world.listeners.get('stopped')!
    world.listeners.delete('stopped')
    end(world)
    expect(received.filter((stamp) => stamp > to)).toEqual([])
    expect(world.errors.every((error) => error === boom)).toBe(true)
    expect(world.errors).toHaveLength(world.listeners.get('throws')!.received.length)
  }
  expect(allOrders({ begin, sessions, end: check })).toBe(60)
})
