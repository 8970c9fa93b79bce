import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { runs } from '../runs.ts'
import { dice } from '../storage/dice.ts'

const Land = defineDataClass('Land', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  firms: attribute.relatedEntities('Firm', 'land'),
})
const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
  phone: attribute.string(),
  open: attribute.bool(),
  land: attribute.relatedEntity('Land'),
  staff: attribute.relatedEntities('Person', 'firm'),
  label: attribute.computed('string', {
    get: (firm: { name: string | null; phone: string | null }) => `${firm.name} ${firm.phone}`,
  }),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  pay: attribute.number({ indexed: true }),
  firm: attribute.relatedEntity('Firm'),
  boss: attribute.relatedEntity('Person'),
  reports: attribute.relatedEntities('Person', 'boss'),
  firmName: attribute.alias('firm.name'),
  twice: attribute.computed('number', {
    get: (person: { pay: number | null }) => (person.pay ?? 0) * 2,
  }),
})
const open = () => {
  const store = createDataStore({ name: 'firms', dataClasses: [Land, Firm, Person] })
  store.Land.load([1, 2].map((ID) => ({ ID, name: `L${ID}` })))
  store.Firm.load([1, 2, 3].map((ID) => ({ ID, name: `F${ID}`, open: true, land: 1 + (ID % 2) })))
  return store
}
type Store = ReturnType<typeof open>
type Table = Pick<Store['Person'], 'all' | 'query' | 'from'>
type People = ReturnType<Table['all']>

/** Random commits: one write, or several of all dataclasses in one transaction. */
function commitSomething(store: Store, roll: (sides: number) => number): void {
  const people = store.Person.all().toArray()
  const someone = () => people[roll(people.length)]?.ID ?? null
  const write = (): void => {
    const one = someone()
    switch (roll(9)) {
      case 0:
        store.Person.insert({
          ID: 1 + Math.max(0, ...store.Person.all().distinct('ID')),
          pay: roll(6),
          firm: 1 + roll(3),
        })
        break
      case 1:
        if (people.length > 4 && one !== null && store.Person.has(one)) store.Person.remove(one)
        break
      case 2:
        store.Land.update(1 + roll(2), { name: `L${roll(5)}` })
        break
      case 3:
      case 4:
        store.Firm.update(1 + roll(3), { name: `F${roll(5)}` })
        break
      case 5:
        store.Firm.update(1 + roll(3), {
          land: roll(3) === 0 ? null : 1 + roll(2),
          phone: `${roll(3)}`,
        })
        break
      case 6:
        store.Firm.update(1 + roll(3), { open: roll(2) === 0 })
        break
      default:
        if (one !== null && store.Person.has(one))
          store.Person.update(one, {
            firm: roll(4) === 0 ? null : 1 + roll(3),
            boss: roll(2) === 0 ? null : (store.Person.all().toArray()[0]?.ID ?? null),
            ...(roll(2) === 0 ? { pay: roll(6) } : { name: `n${roll(4)}` }),
          })
    }
  }
  if (roll(2) === 0) write()
  else store.transact(() => [1, 2, 3].forEach(write))
}

const QUERIES: Readonly<Record<string, (people: Table) => People>> = {
  everybody: (people) => people.all(),
  'a comparison': (people) => people.query('pay >= 2'),
  'over a relation': (people) => people.query('firm.name begin F1 or firm.land.name = L2'),
  'over a to-many relation': (people) => people.query('reports.pay > 2 or pay = 1'),
  'by a computed attribute': (people) => people.query('twice > 3'),
  'a page in order': (people) => people.query('pay > 0').orderBy('pay desc').page(1, 3),
  'a page by what is shown': (people) => people.all().orderBy('firm.name, ID').page(0, 4),
}
const LISTS = [
  'name, firm.name',
  'firm.land.name',
  'firmName, boss.name, boss.firm.name',
  'firm.label, reports.name',
  'firm.staff.name',
  'reports.firm.land.name, firm.*',
  'key, stamp, firm.key, boss.firm.key, reports.key',
]

/** Follows a query and maintains its rows by deltas alone. */
function follow(people: Table, ask: (people: Table) => People, list: string) {
  const mirror = new Map<number, string>()
  const shownOf = (key: number): string => people.from([key]).json(list)
  const sorted = (all: Iterable<readonly [number, string]>) => [...all].sort(([a], [b]) => a - b)
  const live = ask(people).live(
    ({ entered, changed, left }) => {
      for (const key of left) expect(mirror.delete(key)).toBe(true)
      for (const { ID } of [...entered, ...changed]) mirror.set(ID, shownOf(ID))
    },
    { select: list },
  )
  for (const { ID } of live.initial) mirror.set(ID, shownOf(ID))
  const check = (when: unknown): void => {
    const fresh = Array.from(ask(people), ({ ID }) => [ID, shownOf(ID)] as const)
    expect([when, list, sorted(mirror)]).toEqual([when, list, sorted(fresh)])
  }
  return { check, stop: () => live.stop() }
}

const SEEDS = Array.from({ length: runs(2).numRuns }, (_, at) => at + 1)

/** Some people, and a reader who sees only open firms. */
function populated(seed: number) {
  const store = open()
  const roll = dice(seed)
  store.Person.load(
    Array.from({ length: 8 }, (_, at) => ({
      ID: at + 1,
      name: `n${at}`,
      pay: roll(6),
      firm: 1 + roll(3),
      boss: roll(2) === 0 || at === 0 ? null : roll(at) + 1,
    })),
  )
  const view = store.view({ rows: new Map([['Firm', 'open = true']]) })
  const readers = [store.Person, view.dataClass('Person') as Table]
  return { store, roll, readers }
}

describe.each(Object.entries(QUERIES))('%s', (_, ask) => {
  test.each(LISTS)('a mirror of "%s" equals a new query after each commit', (list) => {
    for (const seed of SEEDS) {
      const { store, roll, readers } = populated(seed)
      const followed = readers.map((people) => follow(people, ask, list))
      for (let step = 0; step < 60; step++) {
        commitSomething(store, roll)
        for (const each of followed) each.check([seed, step])
      }
      for (const each of followed) each.stop()
      store.verify()
    }
  })
})

test('many live queries beside each other are as exact', () => {
  for (const seed of SEEDS) {
    const { store, roll, readers } = populated(seed)
    const followed = readers.flatMap((people) =>
      Object.values(QUERIES).flatMap((ask) => LISTS.map((list) => follow(people, ask, list))),
    )
    const before = store.snapshot()
    for (let step = 0; step < 30; step++) {
      if (step === 20) store.restore(before)
      else commitSomething(store, roll)
      for (const each of followed) each.check([seed, step])
    }
  }
})

test.each([
  { Firm: 'open = true', Person: 'pay > 1' },
  { Firm: 'land.ID < 3 and open = true', Person: 'firm.land.ID < 3 or firm = null' },
  { Firm: "not(land.name begin 'H')", Person: 'not(ID in [21, 22])' },
  { Firm: "not(land.name begin 'H')", Land: false as const },
])('a commit that a reader does not see reports nothing: %j', (rows) => {
  for (const seed of SEEDS) {
    const { store, roll } = populated(seed)
    store.Land.insert({ ID: 3, name: 'H' })
    store.Firm.load([4, 5].map((ID) => ({ ID, name: 'H', open: false, land: 3 })))
    store.Person.load([21, 22].map((ID) => ({ ID, pay: 1, firm: 4, boss: 1 + roll(8) })))
    store.Person.insert({ ID: 23, pay: 5, firm: 4 })
    const view = store.view({ rows })
    const people = view.dataClass('Person') as Table
    const asked = Object.values(QUERIES).flatMap((ask) => LISTS.map((list) => ({ ask, list })))
    const reported: unknown[] = []
    for (const { ask, list } of asked)
      ask(people).live((delta) => void reported.push([seed, list, delta]), { select: list })
    const hidden = [21, 22].filter((key) => people.from([key]).count === 0)
    for (let step = 0; step < 8; step++) {
      const since = store.globalStamp
      store.transact(() => {
        const [firm, one] = [4 + roll(2), hidden[roll(hidden.length)]]
        store.Firm.update(firm, { name: `H${roll(9)}`, phone: `${roll(9)}` })
        store.Land.update(3, { name: `H${step}` })
        if (!view.dataClass('Land').has(1)) store.Land.update(1, { name: `L${step}` })
        if (one !== undefined)
          store.Person.update(one, { name: `h${step}`, boss: 1 + roll(8), firm: 4 + roll(2) })
      })
      for (const { ask, list } of asked) {
        const live = ask(people).live(() => {}, { since, select: list })
        live.stop()
        const { missed } = live
        if (missed !== null)
          expect([missed.entered, missed.changed, missed.left].flat()).toEqual([])
      }
      expect(reported).toEqual([])
    }
  }
})

describe('a live query', () => {
  const following = (list: string | undefined, ask = (people: Table): People => people.all()) => {
    const { store } = populated(1)
    const deltas: (readonly number[])[] = []
    const live = ask(store.Person).live(
      ({ changed }) => void deltas.push(changed.map(({ ID }) => ID)),
      list === undefined ? {} : { select: list },
    )
    return { store, deltas, live }
  }

  test('reports members of a renamed related entity, found by the index of the relation', () => {
    const { store, deltas, live } = following('name, firm.name', (people) =>
      people.query('pay >= 0'),
    )
    const members = store.Person.query('firm = 2').toArray()
    store.Firm.update(2, { name: 'other' })
    expect(deltas).toEqual([members.map(({ ID }) => ID)])
    expect(live.work).toEqual({ judged: members.length, runs: 0 })
  })

  test.each([
    ['nothing is selected', undefined, { name: 'other' }],
    ['no related value is selected', 'name, pay, twice', { name: 'other' }],
    ['another attribute is selected', 'firm.name', { phone: '1', land: null }],
    ['the key is selected', 'key, firm.key', { name: 'other' }],
    ['the value is the same', 'firm.name', { name: 'F2' }],
  ])('reports nothing if %s', (_what, list, values) => {
    const { store, deltas, live } = following(list)
    store.Firm.update(2, values)
    expect([deltas, live.work.judged]).toEqual([[], 0])
  })

  test.each(['firm', 'firm.*', 'firm.label', 'firm.stamp', 'firmName, firm.phone'])(
    'reports every change that "%s" may show',
    (list) => {
      const { store, deltas } = following(list)
      store.Firm.update(2, { phone: '7' })
      expect(deltas).toHaveLength(1)
    },
  )

  test('reports one delta for all that happened since a stamp', () => {
    const { store } = populated(1)
    const since = store.globalStamp
    store.Firm.update(2, { name: 'other' })
    store.Person.update(1, { firm: 3, name: 'moved' })
    const ask = (select: string) => store.Person.all().live(() => {}, { since, select }).missed
    const expected = store.Person.query('firm = 2 or ID = 1').distinct('ID')
    expect(ask('firm.name')?.changed.map(({ ID }) => ID)).toEqual(expected)
    expect(ask('name')?.changed.map(({ ID }) => ID)).toEqual([1])
  })

  test.each([
    ['nope', 'attributeNotFound'],
    ['firm.nope', 'attributeNotFound'],
    ['firm.name.x', 'attributeNotApplicable'],
    [7, 'argumentInvalid'],
  ])('refuses to select %s', (select, code) => {
    const { store } = populated(1)
    const refused = () => store.Person.all().live(() => {}, { select: select as string })
    expect(refused).toThrow(expect.objectContaining({ code }))
  })

  test('selects attributes that exist, by their types', () => {
    const { store } = populated(1)
    store.Person.all()
      .live(() => {}, { select: 'name, firm.land.*' })
      .stop()
    // @ts-expect-error: there is no such attribute
    expect(() => store.Person.all().live(() => {}, { select: 'firm.nam' })).toThrow('"nam"')
  })

  test('reports nothing after `stop`', () => {
    const { store, deltas, live } = following('firm.name')
    live.stop()
    store.Firm.update(2, { name: 'other' })
    expect(deltas).toEqual([])
  })
})
