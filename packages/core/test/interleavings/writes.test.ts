import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf } from '../engine/server-state-store.ts'
import { allOrders } from './all-orders.ts'

const Account = defineDataClass('Account', {
  ID: attribute.long({ key: true }),
  balance: attribute.long({ notNull: true, default: 0 }),
  owner: attribute.string({ unique: true }),
})

function bank() {
  const store = createDataStore({ name: 'bank', dataClasses: [Account] })
  store.Account.load([
    { ID: 1, balance: 50 },
    { ID: 2, balance: 50 },
  ])
  return store
}
type Bank = ReturnType<typeof bank>
const balances = (store: Bank): number[] => [1, 2].map((ID) => store.Account.get(ID)!.balance)

test('no update with a stamp is lost: each is refused exactly if another one came first (90 orders)', () => {
  // What each session has read, and the number of successful updates.
  const begin = () => ({
    store: bank(),
    read: new Map<string, { balance: number; stamp: number }>(),
    saved: 0,
  })
  type World = ReturnType<typeof begin>
  const session = (name: string) => [
    ({ store, read }: World) => {
      const { balance, stamp } = store.Account.get(1)!
      read.set(name, { balance, stamp })
    },
    (world: World) => {
      const { balance, stamp } = world.read.get(name)!
      const update = () => world.store.Account.update(1, { balance: balance + 1 }, { stamp }).stamp
      const isFirst = stamp === world.saved + 1
      expect(codeOf(update)).toBe(isFirst ? stamp + 1 : 'stampChanged')
      if (isFirst) world.saved++
    },
  ]
  const end = ({ store, saved }: World) => {
    expect(store.Account.get(1)).toMatchObject({ balance: 50 + saved, stamp: 1 + saved })
    expect(saved).toBeGreaterThan(0)
    store.verify()
  }
  expect(
    allOrders({ begin, sessions: { A: session('A'), B: session('B'), C: session('C') }, end }),
  ).toBe(90)
})

test('updates without stamps are lost in every order except the serial ones (6 orders)', () => {
  const begin = () => ({ store: bank(), read: new Map<string, number>() })
  type World = ReturnType<typeof begin>
  const ends: number[] = []
  const session = (name: string) => [
    ({ store, read }: World) => void read.set(name, store.Account.get(1)!.balance),
    ({ store, read }: World) => void store.Account.update(1, { balance: read.get(name)! + 1 }),
  ]
  const end = ({ store }: World) => void ends.push(store.Account.get(1)!.balance)
  expect(allOrders({ begin, sessions: { A: session('A'), B: session('B') }, end })).toBe(6)
  expect(ends.sort()).toEqual([51, 51, 51, 51, 52, 52])
})

test('of several writes with the same stamp exactly one succeeds, whichever methods they use (24 orders)', () => {
  const begin = () => ({ store: bank(), done: [] as string[] })
  type World = ReturnType<typeof begin>
  const stamp = 1
  const session = (name: string, write: (store: Bank) => unknown) => [
    ({ store, done }: World) => {
      const code = codeOf(() => void write(store))
      if (code === undefined) done.push(name)
      else expect(code).toBe(done[0] === 'C' ? 'entityNotFound' : 'stampChanged')
    },
  ]
  const sessions = {
    A: session('A', ({ Account }) => Account.update(2, { balance: 1 }, { stamp })),
    B: session('B', ({ Account }) => Account.updateAll([{ key: 2, patch: { balance: 2 }, stamp }])),
    C: session('C', (store) => store.transact((tx) => tx.Account.remove(2, { stamp }))),
    D: session('D', ({ Account }) =>
      Account.update(2, (draft) => void (draft.balance = 4), { stamp }),
    ),
  }
  const end = ({ store, done }: World) => {
    expect(done).toHaveLength(1)
    expect(store.Account.get(2)?.balance).toBe({ A: 1, B: 2, C: undefined, D: 4 }[done[0]])
    expect(store.globalStamp).toBe(2)
  }
  expect(allOrders({ begin, sessions, end })).toBe(24)
})

/** Withdraws from one account if both together have enough. */
const takeInside = (ID: 1 | 2) => (store: Bank) =>
  void codeOf(() =>
    store.transact((tx) => {
      const [a, b] = balances(tx as unknown as Bank)
      if (a + b >= 60) tx.Account.update(ID, { balance: [a, b][ID - 1] - 60 })
    }),
  )

test('a transaction is not subject to write skew: its reads and writes see one state (90 orders)', () => {
  const look = (store: Bank) => void store.Account.all().sum('balance')
  const end = (store: Bank) => expect(store.Account.all().sum('balance')).toBe(40)
  const session = (ID: 1 | 2) => [look, takeInside(ID)]
  expect(
    allOrders({ begin: bank, sessions: { A: session(1), B: session(2), C: session(1) }, end }),
  ).toBe(90)
})

test('reads before a transaction allow write skew, unless the transaction checks their stamps (6 orders)', () => {
  const run = (withStamps: boolean): number[] => {
    const begin = () => ({
      store: bank(),
      seen: new Map<number, { sum: number; stamps: number[] }>(),
    })
    type World = ReturnType<typeof begin>
    const ends: number[] = []
    const session = (ID: 1 | 2) => [
      ({ store, seen }: World) =>
        void seen.set(ID, {
          sum: store.Account.all().sum('balance'),
          stamps: store.Account.all()
            .toArray()
            .map(({ stamp }) => stamp),
        }),
      ({ store, seen }: World) =>
        void codeOf(() =>
          store.transact((tx) => {
            const { sum, stamps } = seen.get(ID)!
            // Entities that were only read are also updated with their stamps, so that these are
            // compared.
            if (withStamps) tx.Account.update(3 - ID, {}, { stamp: stamps[2 - ID] })
            const balance = (tx.Account.get(ID)?.balance ?? 0) - 60
            if (sum >= 60)
              tx.Account.update(ID, { balance }, withStamps ? { stamp: stamps[ID - 1] } : {})
          }),
        ),
    ]
    const end = ({ store }: World) => void ends.push(store.Account.all().sum('balance'))
    expect(allOrders({ begin, sessions: { A: session(1), B: session(2) }, end })).toBe(6)
    return ends.sort((a, b) => a - b)
  }
  expect(run(false)).toEqual([-20, -20, -20, -20, 40, 40])
  expect(run(true)).toEqual([40, 40, 40, 40, 40, 40])
})

test('one transaction and one aggregate read one state, and the global stamp shows whether two reads do (210 orders)', () => {
  const begin = () => ({ store: bank(), parts: [] as number[], stamp: -1, skewed: false })
  type World = ReturnType<typeof begin>
  const move =
    (amount: number) =>
    ({ store }: World) =>
      store.transact((tx) => {
        const [a, b] = balances(tx as unknown as Bank)
        tx.Account.update(1, { balance: a - amount })
        expect(tx.Account.all().sum('balance')).toBe(100 - amount)
        tx.Account.update(2, { balance: b + amount })
      })
  const failing = ({ store }: World) =>
    void codeOf(() =>
      store.transact((tx) => {
        tx.Account.update(1, { balance: 1_000_000 })
        tx.Account.update(99, { balance: 0 })
      }),
    )
  const whole = ({ store }: World) => {
    expect(store.Account.all().sum('balance')).toBe(100)
    expect(store.transact(() => balances(store)).reduce((a, b) => a + b)).toBe(100)
  }
  const sessions = {
    A: [move(10), failing],
    B: [whole, whole],
    C: [
      (world: World) => {
        world.stamp = world.store.globalStamp
        world.parts.push(world.store.Account.get(1)!.balance)
      },
      (world: World) => void world.parts.push(world.store.Account.get(2)!.balance),
      (world: World) => {
        const isSkewed = world.parts[0] + world.parts[1] !== 100
        if (isSkewed) expect(world.store.globalStamp).toBeGreaterThan(world.stamp)
        skewed += isSkewed ? 1 : 0
      },
    ],
  }
  let skewed = 0
  const orders = allOrders({ begin, sessions, end: ({ store }) => store.verify() })
  expect(orders).toBe(210)
  expect(skewed).toBeGreaterThan(0)
})

test('of several writes of one free unique value exactly one succeeds, and a removal frees the value (180 orders)', () => {
  const begin = () => ({
    store: bank(),
    holder: null as number | null,
    free: new Map<number, boolean>(),
  })
  type World = ReturnType<typeof begin>
  const session = (ID: number, write: (store: Bank) => unknown) => [
    ({ store, free, holder }: World) => {
      free.set(ID, store.Account.findBy('owner', 'ada') === undefined)
      expect(free.get(ID)).toBe(holder === null)
    },
    (world: World) => {
      const isFree = world.holder === null
      expect(codeOf(() => void write(world.store))).toBe(isFree ? undefined : 'uniqueViolation')
      if (isFree) world.holder = ID
    },
  ]
  const remove = (world: World) => {
    for (const { ID } of world.store.Account.query('owner = ada')) world.store.Account.remove(ID)
    world.holder = null
  }
  const sessions = {
    A: session(11, ({ Account }) => Account.insert({ ID: 11, owner: 'Ada' })),
    B: session(2, ({ Account }) => Account.update(2, { owner: 'ADA' })),
    C: session(13, (store) =>
      store.transact((tx) => {
        tx.Account.insert({ ID: 12 })
        tx.Account.insert({ ID: 13, owner: 'ada' })
      }),
    ).slice(1),
    D: [remove],
  }
  const end = ({ store, holder }: World) => {
    expect(store.Account.query('owner = ada').keys()).toEqual(holder === null ? [] : [holder])
    store.verify()
  }
  expect(allOrders({ begin, sessions, end })).toBe(180)
})
