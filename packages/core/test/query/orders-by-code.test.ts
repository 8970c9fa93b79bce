import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const COUNT = 6000

/**
 * Trees, some of which refer to one of ten woods; `looks` records the entities whose getter was
 * called.
 */
function createWood(turnMilliseconds = 1000, pace = 0) {
  const looks: string[] = []
  let failing: string | null = null
  const look = (name: string): void => {
    looks.push(name)
    if (name === failing) throw new Error(`no label for ${name}`)
  }
  const Wood = defineDataClass('Wood', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ unique: true }),
    trees: attribute.relatedEntities('Tree', 'wood'),
    label: attribute.computed('string', {
      get: ({ name }) => {
        look(`wood ${name}`)
        return name
      },
    }),
  })
  const Tree = defineDataClass('Tree', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ unique: true }),
    kind: attribute.string(),
    height: attribute.number(),
    wood: attribute.relatedEntity('Wood'),
    label: attribute.computed('string', {
      get: ({ name }) => {
        look(`tree ${name}`)
        return name
      },
    }),
  })
  let now = 0
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Wood, Tree],
    reading: { turnMilliseconds, maxMilliseconds: 1e9, maxRowVisits: 1e9 },
    clock: { now: () => 1_700_000_000_000, monotonic: () => (now += pace) },
  })
  store.Wood.load(Array.from({ length: 10 }, (_, i) => ({ ID: i, name: `w${(i * 7) % 10}` })))
  const trees = Array.from({ length: COUNT }, (_, i) => ({
    ID: i,
    name: `t${(i * 7919) % COUNT}`,
    kind: `k${i % 5}`,
    height: i % 7 === 0 ? null : (i * 31) % 997,
    wood: i % 3 === 0 ? null : i % 9,
  }))
  store.Tree.load(trees)
  return { store, looks, trees, fail: (name: string | null) => void (failing = name) }
}

describe('an order by a computed attribute', () => {
  test('calls the getter once for each member, when orderBy is called', () => {
    const { store, looks, trees } = createWood()
    const ordered = store.Tree.query('ID < 5000').orderBy('label')
    expect(looks).toEqual(trees.slice(0, 5000).map(({ name }) => `tree ${name}`))
    looks.length = 0
    expect(ordered.page(0, 3).keys().length + ordered.page(4000, 50).keys().length).toBe(53)
    expect(looks).toEqual([])
  })

  test('calls the getter of each related entity once, and of no other entity', () => {
    const { store, looks, fail } = createWood()
    fail('wood w3')
    // No tree refers to wood 9, the only one of this name.
    store.Tree.all().orderBy('wood.label, label').page(0, 10).keys()
    const woods = looks.filter((name) => name.startsWith('wood'))
    expect(woods.length).toBe(new Set(woods).size)
    expect(woods).not.toContain('wood w3')
  })

  test('throws at once if the getter throws for any member', () => {
    const { store, fail } = createWood()
    fail('tree t17')
    expect(() => store.Tree.all().orderBy('label')).toThrow('no label for tree t17')
    fail('wood w7')
    expect(() => store.Tree.all().orderBy('kind, wood.label')).toThrow('no label for wood w7')
    fail(null)
    expect(store.Tree.all().orderBy('label').page(0, 1).keys().length).toBe(1)
  })
})

describe('an order within a transaction', () => {
  test('includes what the transaction has written, also after a rollback', () => {
    const { store } = createWood()
    let inside: readonly (string | number)[] = []
    const orders: { page(skip: number, top: number): { keys(): readonly (string | number)[] } }[] =
      []
    expect(() =>
      store.transact((tx) => {
        tx.Tree.update(5, { height: 5000 })
        orders.push(tx.Tree.all().orderBy('height desc, name'))
        inside = orders[0].page(0, 2).keys()
        throw new Error('back')
      }),
    ).toThrow('back')
    expect(inside[0]).toBe(5)
    expect(orders[0].page(0, 2).keys()).toEqual(inside)
    expect(store.Tree.all().orderBy('height desc, name').page(0, 1).keys()).not.toEqual([5])
  })
})

describe('pages that are read in time slices', () => {
  const ORDERS = [
    'name',
    'kind, height desc',
    'height desc, name',
    'wood.name, kind desc',
    'label desc',
    'wood.label',
  ]
  const PAGES = [
    [0, 20],
    [900, 20],
    [3000, 300],
    [COUNT - 5, 50],
  ] as const

  test.each(ORDERS)(
    'by %s equal those that are read at once, before and after a write',
    (order) => {
      const { store } = createWood(3, 0.5)
      const ordered = store.Tree.all().orderBy(order)
      expect(ordered.page(0, 5).keys().length).toBe(5)
      store.Tree.update(17, { name: 'AAA', height: 1e6, kind: 'new' })
      // The same members, as they were and as they are, in one read.
      const read = () =>
        [ordered, store.Tree.all().orderBy(order)].map((each) =>
          PAGES.map(([skip, top]) => each.page(skip, top).keys()),
        )
      const reading = store.reading(read)
      let turns = 1
      while (!reading.advance()) if (++turns > 20_000) throw new Error('the read does not end')
      expect(turns).toBeGreaterThan(3)
      expect(reading.value).toEqual(read())
    },
  )
})
