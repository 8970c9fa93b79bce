import { describe, expect, test } from 'vitest'
import { createDataStore, type Explain, isEntiaError } from '../../src/index.ts'
import * as kernel from '../../src/kernel.ts'
import { ALL_CAPABILITIES } from '../../src/store/create-store.ts'

const {
  aggregates,
  attribute,
  createStore,
  defineDataClass,
  liveQueries,
  persistence,
  typedQueries,
} = kernel

const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Person', 'firm'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
  notes: attribute.object<{ tags: string[] }>(),
  firm: attribute.relatedEntity('Firm'),
})
const dataClasses = [Firm, Person] as const

/** The names of all members of an object, inherited ones included. */
function membersOf(object: object): ReadonlySet<string> {
  const names = new Set<string>()
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  )
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  return names
}

const codeOf = (run: () => unknown): string => {
  try {
    run()
    return 'nothing was refused'
  } catch (error) {
    return isEntiaError(error) ? error.code : String(error)
  }
}

describe('a store without capabilities', () => {
  test('inserts, reads, updates, removes, queries, orders, pages and runs transactions', () => {
    const store = createStore({ name: 'firms', dataClasses })
    const acme = store.Firm.insert({ name: 'Acme' })
    for (const [at, name] of ['Ada', 'Ben', 'Cleo'].entries())
      store.Person.insert({ name, salary: 10 * at, firm: acme.ID, notes: { tags: [] } })
    store.Person.update(2, { salary: 50 })
    store.Person.update(3, (draft) => void draft.notes?.tags.push('new'))
    expect(store.Person.get(3)?.notes).toEqual({ tags: ['new'] })
    const found = store.Person.query('salary > :1 and firm.name = :2', [1, 'Acme']).orderBy(
      'salary desc',
    )
    expect(found.toArray().map(({ name }) => name)).toEqual(['Ben', 'Cleo'])
    expect(found.page(1, 1).first()?.name).toBe('Cleo')
    expect(store.Firm.get(1)?.staff.count).toBe(3)
    expect(() =>
      store.transact((tx) => {
        tx.Person.remove(1)
        throw new Error('undo')
      }),
    ).toThrow('undo')
    expect(store.Person.count).toBe(3)
    expect(found.remove()).toBe(2)
    expect(store.Person.all().keys()).toEqual([1])
  })

  test('has no member of any capability', () => {
    const store = createStore({ name: 'firms', dataClasses })
    const [of, ofTable, ofSelection] = [
      membersOf(store),
      membersOf(store.Person),
      membersOf(store.Person.all()),
    ]
    for (const capability of ALL_CAPABILITIES as readonly kernel.Capability[]) {
      // It replaces a member of the kernel.
      const isNew = (member: string) => capability !== typedQueries || member !== 'query'
      const { name, table = {}, queries = {}, selection = {} } = capability
      const inStore = Object.keys(capability.store ?? {}).filter((member) => of.has(member))
      const inTable = Object.keys({ ...table, ...queries })
        .filter(isNew)
        .filter((member) => ofTable.has(member))
      const inSelection = Object.keys(selection)
        .filter(isNew)
        .filter((member) => ofSelection.has(member))
      expect([name, inStore, inTable, inSelection]).toEqual([name, [], [], []])
    }
    for (const member of ['sessions', 'locks', 'entitySets', 'uploads', 'figures'])
      expect(of.has(member)).toBe(false)
  })

  test('names the capability that reads functions as filters', () => {
    const { Person } = createStore({ name: 'firms', dataClasses })
    const filter = (() => null) as never
    expect(() => Person.query(filter)).toThrow('with the capability "typedQueries"')
    expect(() => Person.all().query(filter)).toThrow('with the capability "typedQueries"')
  })

  test('refuses the options of capabilities that it does not have', () => {
    const create = (options: object) => () =>
      createStore({ name: 'firms', dataClasses, ...options })
    expect(codeOf(create({ sessions: { max: 1 } }))).toBe('argumentInvalid')
    expect(codeOf(create({ keptTexts: { characters: 1 } }))).toBe('argumentInvalid')
    expect(codeOf(create({ sessions: { max: 1 }, capabilities: [kernel.server] }))).toBe(
      'nothing was refused',
    )
  })
})

describe('capabilities', () => {
  test('add their members and no others', () => {
    const store = createStore({
      name: 'firms',
      dataClasses,
      capabilities: [aggregates, typedQueries],
    })
    store.Person.insert({ name: 'Ada', salary: 1.5 })
    expect(store.Person.all().sum('salary')).toBe(1.5)
    expect(store.Person.all().orderBy('name').page(0, 1).select('name, salary')).toEqual([
      { name: 'Ada', salary: 1.5 },
    ])
    expect(membersOf(store.Person.all()).has('live')).toBe(false)
  })

  test('reach the selections of relations, of views and of the past', () => {
    const capabilities = [aggregates, kernel.views]
    const store = createStore({ name: 'firms', dataClasses, capabilities })
    const firm = store.Firm.insert({ name: 'Acme' })
    store.Person.insert({ name: 'Ada', salary: 2, firm })
    const before = store.globalStamp
    store.Person.insert({ name: 'Ben', salary: 3, firm })
    expect(store.Firm.get(1)?.staff.sum('salary')).toBe(5)
    expect(
      store
        .view({ rows: { Person: 'salary > 2' } })
        .dataClass('Person')
        .all()
        .sum('salary'),
    ).toBe(3)
    expect(store.at(before).Person.all().sum('salary')).toBe(2)
  })

  test('work in a store that was written to before their first use', () => {
    const store = createStore({
      name: 'firms',
      dataClasses,
      capabilities: [liveQueries, persistence],
    })
    store.Person.insert({ name: 'Ada', salary: 2 })
    const before = store.snapshot()
    const entered: unknown[] = []
    const live = store.Person.query('salary > 1').live(
      (delta) => void entered.push(delta.entered.map(({ ID }) => ID)),
    )
    store.Person.insert({ name: 'Ben', salary: 3 })
    store.restore(before)
    live.stop()
    expect(entered).toEqual([[2], []])
  })

  test('of stores with the same ones share their classes', () => {
    const create = () =>
      createStore({ name: 'firms', dataClasses, capabilities: [aggregates, persistence] })
    expect(create().Person.all().constructor).toBe(create().Person.all().constructor)
    expect(createDataStore({ name: 'a', dataClasses }).Person.constructor).toBe(
      createDataStore({ name: 'b', dataClasses }).Person.constructor,
    )
  })

  test('are those of the list at the creation, also if the program changes the list later', () => {
    const capabilities: kernel.Capability<'aggregates' | 'views'>[] = [aggregates]
    createStore({ name: 'firms', dataClasses, capabilities })
    capabilities.push(kernel.views)
    for (const list of [capabilities, [...capabilities]]) {
      const store = createStore({ name: 'firms', dataClasses, capabilities: list })
      expect(store.changes({ since: 0 })).toEqual([])
    }
  })

  test('that cannot be read are refused', () => {
    const { server } = kernel
    const refusals = [server, 'server', ['server'], [undefined], [null], [server, server]].map(
      (capabilities) => {
        try {
          createStore({ name: 'firms', dataClasses, capabilities: capabilities as never })
          return 'nothing was refused'
        } catch (error) {
          return (error as Error).message.replace(/.*each once, /, '')
        }
      },
    )
    expect(refusals).toEqual([
      'not an object.',
      'not the text "server".',
      'not one with the text "server".',
      'not one with undefined.',
      'not one with null.',
      'not one with "server" twice.',
    ])
  })

  test('are all exported under their own names', () => {
    for (const capability of ALL_CAPABILITIES as readonly kernel.Capability[])
      expect((kernel as { readonly [name: string]: unknown })[capability.name]).toBe(capability)
  })

  test('have members that no other part of a store has', () => {
    const all = ALL_CAPABILITIES as readonly kernel.Capability[]
    for (const part of ['store', 'table', 'queries', 'selection'] as const) {
      const names = all.flatMap((capability) => Object.keys(capability[part] ?? {}))
      expect(names).toEqual([...new Set(names)])
    }
  })
})

describe('a store without the capability `indexes`', () => {
  const create = <const C extends string>(...capabilities: readonly kernel.Capability<C>[]) => {
    const store = createStore({ name: 'firms', dataClasses, capabilities })
    for (const name of ['Acme', 'Bolt']) store.Firm.insert({ name })
    for (let at = 0; at < 40; at++)
      store.Person.insert({ name: `P${at % 7}`, salary: (at * 7) % 40, firm: 1 + (at % 2) })
    return store
  }
  const operatorsOf = ({ root }: Explain): readonly string[] => {
    const names = (node: Explain['root']): string[] => [
      node.operator,
      ...node.inputs.flatMap(names),
    ]
    return names(root)
  }

  test('looks up keys and related entities, scans for other conditions, and sorts', () => {
    // The plans of `indexes` without its indexes.
    const { indexes: _, ...plans } = kernel.indexes
    const { Person } = create(plans)
    const planOf = (filter: string): readonly string[] => operatorsOf(Person.explain(filter))
    expect(planOf('ID = 3')).toEqual(['keyLookup'])
    expect(planOf('ID in [3, 4]')).toEqual(['keyLookup'])
    expect(planOf('firm.ID = 1 and salary > 3')).toEqual(['filter', 'postingList'])
    expect(planOf('salary > 3')).toEqual(['scan'])
    expect(planOf("firm.name = 'Acme'")).toEqual(['scan'])
    expect(operatorsOf(Person.query('salary > 3 order by salary').page(0, 3).explain())).toEqual([
      'page',
      'sort',
      'scan',
    ])
    expect(Person.plans('salary > 3')).toHaveLength(1)
  })

  test('answers as a store with it, also when entities change between pages', () => {
    const [without, indexed] = [create(), create(kernel.indexes)]
    const found = [without, indexed as typeof without].map((store) => {
      const some = store.Person.query("salary >= 3 and firm.name = 'Acme' order by salary desc, ID")
      const first = some.page(0, 3).keys()
      store.Person.update(some.keys()[5], { salary: 0 })
      store.Person.remove(some.keys()[7])
      return [first, some.page(3, 4).keys(), some.count, store.Firm.get(1)?.staff.keys()]
    })
    expect(found[0]).toEqual(found[1])
  })

  test('has lowest and highest values, live pages and a past', () => {
    const store = create(aggregates, liveQueries, kernel.views)
    expect([store.Person.all().min('salary'), store.Person.all().max('salary')]).toEqual([0, 39])
    const seen: unknown[] = []
    const before = store.globalStamp
    const top = store.Person.query('salary > 30 order by salary desc').page(0, 2)
    const live = top.live(({ entered, left }) =>
      seen.push([entered.map(({ salary }) => salary), left.length]),
    )
    store.Person.insert({ name: 'New', salary: 99 })
    live.stop()
    expect(seen).toEqual([[[99], 1]])
    expect(store.at(before).Person.query('salary > 38').count).toBe(1)
  })
})

// Types: a member of a capability that the store does not have does not compile.
export const typed = (): void => {
  const store = createStore({ name: 'firms', dataClasses, capabilities: [aggregates] })
  store.Person.all().sum('salary')
  store.Firm.get(1)?.staff.sum('salary')
  // @ts-expect-error: projections
  store.Person.all().select('name')
  // @ts-expect-error: live queries, also of a relation
  store.Firm.get(1)?.staff.live(() => {})
  // @ts-expect-error: snapshots
  store.snapshot()
  // @ts-expect-error: indexes
  store.Person.createIndex('name')
  // @ts-expect-error: bulk writes
  store.Person.load([])
  // @ts-expect-error: a name that is not an attribute
  store.Person.all().sum('height')
}
