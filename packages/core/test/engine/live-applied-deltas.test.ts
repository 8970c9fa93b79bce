import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { dice } from '../storage/dice.ts'

const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true }),
  city: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Person', 'firm'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  pay: attribute.number({ indexed: true }),
  level: attribute.long(),
  firm: attribute.relatedEntity('Firm'),
})
const open = () => {
  const store = createDataStore({ name: 'firms', dataClasses: [Firm, Person] })
  store.Firm.load([1, 2, 3].map((ID) => ({ ID, city: ['Bern', 'Paris', 'Oslo'][ID - 1] })))
  return store
}
type Store = ReturnType<typeof open>

const asked: Readonly<Record<string, (store: Store) => ReturnType<Store['Person']['all']>>> = {
  'a comparison': (store) => store.Person.query('pay >= 3'),
  'two comparisons': (store) => store.Person.query('pay >= 2 and level < 3 and name != null'),
  'over a relation': (store) => store.Person.query('firm.city = Bern'),
  everybody: (store) => store.Person.all(),
  'a page at the beginning, by an index': (store) => store.Person.all().orderBy('pay').page(0, 3),
  'a page in the midst, downwards': (store) =>
    store.Person.query('pay > 1').orderBy('pay desc').page(2, 3),
  'a page at the end': (store) => store.Person.all().orderBy('pay').page(6, 100),
  'a page behind the end': (store) => store.Person.query('pay > 4').orderBy('pay').page(50, 3),
  'an empty page': (store) => store.Person.all().orderBy('pay').page(0, 0),
  'a page by two attributes': (store) => store.Person.all().orderBy('level desc, name').page(1, 4),
  'a page by a related attribute': (store) =>
    store.Person.query('pay > 0').orderBy('firm.city, ID').page(0, 4),
  'a page by its own and a related attribute': (store) =>
    store.Person.all().orderBy('level, firm.city desc').page(0, 5),
  'a page over a relation': (store) =>
    store.Person.query('firm.city = Paris').orderBy('pay').page(0, 2),
  'a page without an order': (store) => store.Person.query('level > 0').page(1, 3),
}

describe.each(Object.entries(asked))('a live result with its deltas applied: %s', (_, ask) => {
  test.each([1, 2, 3])('equals a new query after each of many commits, seed %i', (seed) => {
    const store = open()
    const roll = dice(seed)
    const row = (ID: number) => ({
      ID,
      name: roll(4) === 0 ? null : `n${roll(5)}`,
      pay: roll(6) === 0 ? null : roll(6),
      level: roll(4),
      firm: roll(5) === 0 ? null : 1 + roll(3),
    })
    store.Person.load(Array.from({ length: 9 }, (_, at) => row(at + 1)))
    const started = store.globalStamp
    const shown = ({ key, stamp }: { readonly key: unknown; readonly stamp: number }): string =>
      `${key} ${stamp}`
    const of = ask(store)
    const isPage = of.count <= 100 && /page/.test(_)
    const members = new Map<unknown, string>()
    let order: readonly unknown[] = []
    let reported = 0
    const live = of.live((delta) => {
      reported++
      expect(delta.globalStamp).toBe(store.globalStamp)
      for (const key of delta.left) expect(members.delete(key)).toBe(true)
      for (const entity of delta.entered) {
        expect(members.has(entity.key)).toBe(false)
        members.set(entity.key, shown(entity))
      }
      for (const entity of delta.changed) {
        expect(members.get(entity.key)).not.toBe(shown(entity))
        expect(members.has(entity.key)).toBe(true)
        members.set(entity.key, shown(entity))
      }
      if (delta.order !== null) {
        expect(delta.order).not.toEqual(order)
        order = delta.order
      }
    })
    for (const entity of live.initial) members.set(entity.key, shown(entity))
    order = live.initial.map(({ key }) => key)
    let next = 20
    for (let step = 0; step < 60; step++) {
      const before = reported
      const living = store.Person.all().toArray()
      const one = living[roll(Math.max(1, living.length))]
      const act = roll(8)
      if (act === 0 || one === undefined) store.Person.insert(row(next++))
      else if (act === 1) store.Person.remove(one.key)
      else if (act === 2)
        store.Firm.update(1 + roll(3), { city: ['Bern', 'Paris', 'Oslo'][roll(3)] })
      else if (act === 3)
        store.transact(() => {
          store.Person.update(one.key, { pay: roll(6) })
          store.Person.insert(row(next++))
        })
      else store.Person.update(one.key, { pay: roll(6), level: roll(4), firm: 1 + roll(3) })
      expect(reported - before).toBeLessThanOrEqual(1)
      const found = ask(store).toArray()
      const expected = found.map(({ key }) => key)
      expect([...members.keys()].sort((a, b) => Number(a) - Number(b))).toEqual(
        [...expected].sort((a, b) => Number(a) - Number(b)),
      )
      for (const entity of found) expect(members.get(entity.key)).toBe(shown(entity))
      if (isPage) expect(order).toEqual(expected)
    }
    expect(store.globalStamp).toBeGreaterThan(started)
    live.stop()
    const before = reported
    store.Person.insert({ ID: 5000, pay: 5, level: 1, name: 'n', firm: 1 })
    expect(reported).toBe(before)
    store.verify()
  })
})

test('a live result grows with its dataclass, far beyond its initial size', () => {
  const store = open()
  store.Person.insert({ ID: 1, pay: 3 })
  const found = new Set<unknown>()
  const live = store.Person.query('pay >= 3').live(({ entered, left }) => {
    for (const { key } of entered) {
      expect(found.has(key)).toBe(false)
      found.add(key)
    }
    for (const key of left) expect(found.delete(key)).toBe(true)
  })
  for (const { key } of live.initial) found.add(key)
  // One by one and in large steps, for many sizes of the result.
  for (let ID = 2; ID < 150; ID++) store.Person.insert({ ID, pay: ID % 5 })
  store.Person.load(Array.from({ length: 3000 }, (_, at) => ({ ID: 1000 + at, pay: at % 7 })))
  for (let ID = 100; ID < 150; ID++) store.Person.update(ID, { pay: 4 })
  for (let ID = 2; ID < 90; ID++) store.Person.remove(ID)
  const keys = store.Person.query('pay >= 3')
    .toArray()
    .map(({ key }) => key)
  expect([...found].sort((a, b) => Number(a) - Number(b))).toEqual(
    keys.sort((a, b) => Number(a) - Number(b)),
  )
  live.stop()
})
