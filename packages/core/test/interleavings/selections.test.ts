import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { allOrders } from './all-orders.ts'

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  rank: attribute.long({ indexed: true }),
  colour: attribute.string(),
})

const shelf = () => {
  const store = createDataStore({ name: 'shelf', dataClasses: [Item] })
  store.Item.load(
    [1, 2, 3, 4].map((ID) => ({ ID, rank: 10 * ID, colour: ID % 2 === 0 ? 'red' : 'blue' })),
  )
  return store
}
type Shelf = ReturnType<typeof shelf>
type PlainItem = { readonly ID: number; rank: number; colour: string }

/**
 * A store, and the same data in plain objects. A selection is an array of them, fixed when it is
 * created.
 */
const begin = () => {
  const plain = new Map<number, PlainItem>()
  for (const ID of [1, 2, 3, 4])
    plain.set(ID, { ID, rank: 10 * ID, colour: ID % 2 === 0 ? 'red' : 'blue' })
  return {
    store: shelf(),
    plain,
    found: null as ReturnType<Shelf['Item']['all']> | null,
    members: [] as PlainItem[],
  }
}
type World = ReturnType<typeof begin>

/**
 * Writes that would cause phantoms: an insertion, an update that moves a row out of the range, and
 * a removal followed by an insertion under the same key.
 */
const writers = {
  B: [
    ({ store, plain }: World) => {
      store.Item.insert({ ID: 5, rank: 15, colour: 'red' })
      plain.set(5, { ID: 5, rank: 15, colour: 'red' })
    },
    ({ store, plain }: World) => {
      store.Item.update(4, { rank: 1, colour: 'blue' })
      Object.assign(plain.get(4)!, { rank: 1, colour: 'blue' })
    },
  ],
  C: [
    ({ store, plain }: World) => {
      store.Item.remove(2)
      plain.delete(2)
    },
    ({ store, plain }: World) => {
      // It has the record number and key of the removed entity, but is a different entity.
      store.Item.insert({ ID: 2, rank: 5, colour: 'red' })
      plain.set(2, { ID: 2, rank: 5, colour: 'red' })
    },
  ],
}

const CASES = [
  {
    name: 'a range of an index',
    make: ({ Item }: Shelf) => Item.query('rank >= 15').orderBy('rank'),
    has: ({ rank }: PlainItem) => rank >= 15,
    order: (a: PlainItem, b: PlainItem) => a.rank - b.rank,
  },
  {
    name: 'a test without an index',
    make: ({ Item }: Shelf) => Item.query("colour = 'red'").orderBy('rank desc'),
    has: ({ colour }: PlainItem) => colour === 'red',
    order: (a: PlainItem, b: PlainItem) => b.rank - a.rank,
  },
  {
    name: 'all, in the order of an attribute',
    make: ({ Item }: Shelf) => Item.all().orderBy('rank'),
    has: () => true,
    order: (a: PlainItem, b: PlainItem) => a.rank - b.rank,
  },
]

test.each(CASES)(
  'pages of $name have the members of its creation, with their current values (210 orders)',
  (one) => {
    const pages = [0, 3].map((skip) => ({ found, members, plain }: World) => {
      const page = members.slice(skip, skip + 3)
      const expected = page.map((item) => (plain.get(item.ID) === item ? { ...item } : undefined))
      expect(
        found!
          .page(skip, 3)
          .members()
          .map((entity) => entity && { ...entity }),
      ).toEqual(expected)
      expect(found!.count).toBe(members.length)
    })
    const make = (world: World) => {
      world.found = one.make(world.store)
      world.members = [...world.plain.values()].filter(one.has).sort(one.order)
    }
    expect(
      allOrders({
        begin,
        sessions: { A: [make, ...pages], ...writers },
        end: ({ store }) => store.verify(),
      }),
    ).toBe(210)
  },
)

test('`remove` of a selection removes its live members, and no entity inserted after its creation (90 orders)', () => {
  const make = (world: World) => {
    world.found = world.store.Item.query("colour = 'red'")
    world.members = [...world.plain.values()].filter(({ colour }) => colour === 'red')
  }
  const remove = ({ store, plain, found, members }: World) => {
    const living = members.filter((item) => plain.get(item.ID) === item)
    expect(found!.remove()).toBe(living.length)
    for (const { ID } of living) plain.delete(ID)
    expect([...store.Item.all().keys()].sort()).toEqual([...plain.keys()].sort())
  }
  const onlyOnce = {
    B: [
      writers.B[0],
      (world: World) => {
        if (world.plain.has(4)) writers.B[1](world)
      },
    ],
    C: [
      (world: World) => {
        if (world.plain.has(2)) writers.C[0](world)
      },
      writers.C[1],
    ],
  }
  const sessions = { A: [make, remove], ...onlyOnce }
  const end = ({ store, plain }: World) => {
    store.verify()
    expect(
      store.Item.all()
        .orderBy('ID')
        .toArray()
        .map((item) => ({ ...item })),
    ).toEqual([...plain.values()].sort((a, b) => a.ID - b.ID))
  }
  expect(allOrders({ begin, sessions, end })).toBe(90)
})

test('a restore brings back the data, and the members of older selections and sets, and drops newer sets (210 orders)', () => {
  const beginAgain = () => {
    const store = shelf()
    const state = () =>
      store.Item.all()
        .toArray()
        .map((item) => ({ ...item }))
    return {
      store,
      state,
      stateThen: [] as unknown[],
      snapshot: null as ReturnType<Shelf['snapshot']> | null,
      ...none(),
    }
  }
  const none = () => ({
    selection: null as ReturnType<Shelf['Item']['all']> | null,
    set: '',
    /** The members that both held, and whether they are newer than the snapshot. */
    held: [] as readonly number[],
    isSince: false,
    isRestored: false,
  })
  type Restored = ReturnType<typeof beginAgain>
  const look = ({ store, selection, set, held, isSince, isRestored }: Restored) => {
    const living = held.filter((ID) => store.Item.has(ID))
    expect(selection!.count).toBe(held.length)
    if (!(isRestored && isSince)) expect(selection!.keys()).toEqual(living)
    expect(store.entitySets.get(set)?.keys()).toEqual(isRestored && isSince ? undefined : living)
  }
  const sessions = {
    A: [
      (world: Restored) => {
        world.snapshot = world.store.snapshot()
        world.stateThen = world.state()
      },
      (world: Restored) => {
        const { globalStamp } = world.store
        world.store.restore(world.snapshot!)
        world.isRestored = true
        expect(world.state()).toEqual(world.stateThen)
        expect(world.store.globalStamp).toBeGreaterThanOrEqual(globalStamp)
        world.store.verify()
      },
    ],
    B: [
      (world: Restored) => {
        world.selection = world.store.Item.query('rank > 15')
        world.held = world.selection.keys()
        world.set = world.store.entitySets.create(world.selection)
        world.isSince = world.snapshot !== null && !world.isRestored
      },
      look,
      look,
    ],
    C: [
      ({ store }: Restored) => void store.Item.remove(3),
      ({ store }: Restored) =>
        store.transact((tx) => {
          tx.Item.update(1, { rank: 99 })
          tx.Item.insert({ ID: 6, rank: 60 })
        }),
    ],
  }
  expect(allOrders({ begin: beginAgain, sessions, end: ({ store }) => store.verify() })).toBe(210)
})
