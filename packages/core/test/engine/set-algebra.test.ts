import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { patience, runs } from '../runs.ts'
import { select, sources } from './office-selections.ts'
import { type Key, type OfficeStore, officeOf, outcome, type Selection } from './office-store.ts'
import { copyInto, writeBoth, writes } from './office-writes.ts'

/** Three selections of one dataclass, some of whose members were removed and their slots reused. */
const situations = fc
  .record({
    data: offices({ maxEmployees: 6 }),
    indexes: indexSets,
    sources: fc.tuple(sources, sources, sources),
    removed: fc.subarray([1, 2, 3, 4, 5, 6]),
    writes: fc.array(writes, { maxLength: 5 }),
  })
  .map(({ data, indexes, sources, removed, writes }) => {
    const make = () => {
      const store = officeOf(data, indexes)
      const office = copyInto(new PlainOffice(), data)
      const made = outcome(() => sources.map((source) => select(store, source)))
      for (const key of removed) {
        if (office.find('Employee', key) === undefined) continue
        office.transact(() => office.remove('Employee', key))
        store.Employee.remove(key)
      }
      for (const write of writes) writeBoth(store, office, write)
      return { store, made }
    }
    return { make, toString: () => JSON.stringify({ data, indexes, sources, removed, writes }) }
  })

/** Checks a property of three selections; skips inputs for which a selection cannot be created. */
function holds(
  claim: (a: Selection, b: Selection, c: Selection, store: OfficeStore) => void,
): void {
  fc.assert(
    fc.property(situations, ({ make }) => {
      const { store, made } = make()
      if (made === 'refused') return
      const [a, b, c] = made
      claim(a, b, c, store)
    }),
    runs(35),
  )
}

const setOf = (selection: Selection): ReadonlySet<Key> => new Set(selection.keys())
const sequence = (selection: Selection): readonly Key[] => selection.keys()

test('AND and OR commute and associate, as sets', patience, () => {
  holds((a, b, c) => {
    expect(setOf(a.and(b))).toEqual(setOf(b.and(a)))
    expect(setOf(a.or(b))).toEqual(setOf(b.or(a)))
    expect(setOf(a.and(b).and(c))).toEqual(setOf(a.and(b.and(c))))
    expect(setOf(a.or(b).or(c))).toEqual(setOf(a.or(b.or(c))))
  })
})

test('each distributes over the other', patience, () => {
  holds((a, b, c) => {
    expect(setOf(a.and(b.or(c)))).toEqual(setOf(a.and(b).or(a.and(c))))
    expect(setOf(a.or(b.and(c)))).toEqual(setOf(a.or(b).and(a.or(c))))
  })
})

test('De Morgan holds, within all entities', patience, () => {
  holds((a, b, _c, store) => {
    const all = store.Employee.all()
    const not = (selection: Selection) => all.except(selection)
    expect(sequence(not(a.or(b)))).toEqual(sequence(not(a).and(not(b))))
    expect(sequence(not(a.and(b)))).toEqual(sequence(all.and(not(a).or(not(b)))))
    expect(setOf(a.except(b))).toEqual(setOf(a.and(not(b))))
  })
})

test(
  'a selection combined with itself is itself, cleaned; except itself it is empty',
  patience,
  () => {
    holds((a) => {
      const living = a.members().flatMap((entity) => entity?.key ?? [])
      for (const same of [a.and(a), a.or(a), a.clean()]) {
        expect(sequence(same)).toEqual(living)
        expect(same.count).toBe(living.length)
      }
      expect(a.except(a).count).toBe(0)
    })
  },
)

test(
  'two selections intersect exactly where their AND has members, and sizes add up',
  patience,
  () => {
    holds((a, b) => {
      expect(a.intersects(b)).toBe(a.and(b).count > 0)
      expect(a.clean().count + b.clean().count).toBe(a.or(b).count + a.and(b).count)
      expect(a.clean().count).toBe(a.and(b).count + a.except(b).count)
    })
  },
)

test(
  'AND and EXCEPT keep the order of the first; OR is the first, then what the second adds in its order',
  patience,
  () => {
    holds((a, b) => {
      const [first, second] = [sequence(a), sequence(b)]
      expect(sequence(a.and(b))).toEqual(first.filter((key) => second.includes(key)))
      expect(sequence(a.except(b))).toEqual(first.filter((key) => !second.includes(key)))
      expect(sequence(a.or(b))).toEqual([...first, ...second.filter((key) => !first.includes(key))])
    })
  },
)

test('an operation changes neither operand', patience, () => {
  holds((a, b) => {
    const before = [a, b].map((selection) => selection.members().map((entity) => entity?.key))
    const counts = [a.count, b.count]
    for (const made of [
      a.and(b),
      a.or(b),
      a.except(b),
      a.clean(),
      a.orderBy('name desc'),
      b.page(1, 2),
    ])
      made.keys()
    expect([a, b].map((selection) => selection.members().map((entity) => entity?.key))).toEqual(
      before,
    )
    expect([a.count, b.count]).toEqual(counts)
  })
})

test('a removed member is undefined in its place, and no new entity takes it', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      fc.array(fc.nat(8), { maxLength: 5 }),
      fc.nat(5),
      (data, removed, born) => {
        const store = officeOf(data)
        const before = store.Employee.all()
        const keys = data.Employee.map(({ ID }) => ID)
        for (const place of removed)
          if (store.Employee.has(place + 1)) store.Employee.remove(place + 1)
        for (let i = 0; i < born; i++) store.Employee.insert({ name: 'new' })
        expect(before.count).toBe(keys.length)
        expect(before.members().map((entity) => entity?.key)).toEqual(
          keys.map((key) => (removed.includes((key as number) - 1) ? undefined : key)),
        )
        expect(before.clean().count).toBe(
          before.count - new Set(removed.filter((place) => place < keys.length)).size,
        )
      },
    ),
    runs(25),
  )
})
