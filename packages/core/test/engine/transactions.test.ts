import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { queries } from '../filter-arbitraries.ts'
import { aggregate, distinct } from '../oracle/aggregate.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources } from './office-selections.ts'
import { type OfficeStore, officeOf, outcome } from './office-store.ts'
import { copyInto, mustEqual, type Write, writeBoth, writes } from './office-writes.ts'

/** An error of the application. */
class Stop extends Error {}

/**
 * Applies writes to both in one transaction, with a query after each write, and then commits or
 * rolls back.
 */
function write(
  store: OfficeStore,
  office: PlainOffice,
  writes: readonly Write[],
  look: (tx: OfficeStore) => void,
  stops: boolean,
): void {
  const before = office.snapshot()
  try {
    store.transact((tx) => {
      office.transact(() => {
        for (const write of writes) {
          const { found, expected } = writeBoth(tx, office, write)
          expect(found === 'refused').toBe(expected === 'refused')
          // With a dangling relation there is more than one valid result.
          if (!office.hasDangling()) look(tx)
        }
        if (stops) throw new Stop()
      })
    })
  } catch (error) {
    office.restore(before)
    if (
      !(error instanceof Stop) &&
      outcome(() => {
        throw error
      }) !== 'refused'
    )
      throw error
  }
}

test('queries inside a transaction see its writes, and a rollback removes them', patience, () => {
  const looks = fc.array(fc.tuple(sources, fc.constantFrom('salary', 'name', 'level', 'born')), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      fc.array(writes, { minLength: 1, maxLength: 5 }),
      looks,
      fc.boolean(),
      (data, indexes, writes, looks, stops) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const look = (tx: OfficeStore) => {
          for (const [source, name] of looks) {
            const members = outcome(() => membersOf(office, source))
            if (members === 'refused') continue
            const selection = select(tx, source)
            mustHold(selection, office, members)
            const rows = office
              .living('Employee')
              .filter((record) => members.includes(record))
              .map(({ row }) => row)
            expect(selection.countOf(name)).toBe(
              aggregate(office.data, 'Employee', rows, name).count,
            )
            expect(selection.distinct(name)).toEqual(
              distinct(office.data, 'Employee', rows, [name]),
            )
          }
          mustEqual(tx, office)
        }
        write(store, office, writes, look, stops)
        store.verify()
        look(store)
      },
    ),
    runs(90),
  )
})

test('a selection created inside a successful transaction keeps its members', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      fc.array(writes, { minLength: 1, maxLength: 4 }),
      sources,
      fc.array(writes, { maxLength: 3 }),
      (data, indexes, writes, source, later) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const made: {
          readonly selection: ReturnType<typeof select>
          readonly members: ReturnType<typeof membersOf>
        }[] = []
        const look = (tx: OfficeStore) => {
          const members = outcome(() => membersOf(office, source))
          if (members !== 'refused') made.push({ selection: select(tx, source), members })
        }
        const { globalStamp } = store
        write(store, office, writes, look, false)
        if (store.globalStamp === globalStamp) return
        for (const write of later) writeBoth(store, office, write)
        for (const { selection, members } of made) mustHold(selection, office, members)
      },
    ),
    runs(90),
  )
})

test('a transaction within a transaction is part of it', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      fc.array(writes, { minLength: 2, maxLength: 6 }),
      queries('Employee'),
      (data, writes, query) => {
        const [one, other] = [officeOf(data), officeOf(data)]
        const source: Source = { kind: 'query', ...query }
        const both = (store: OfficeStore, isNested: boolean) => {
          const office = copyInto(new PlainOffice(), data)
          return outcome(() =>
            store.transact((tx) => {
              const first = () =>
                writes.slice(0, 2).forEach((write) => void writeBoth(tx, office, write))
              if (isNested) tx.transact(first)
              else first()
              const keys = outcome(() => select(tx, source).keys())
              for (const write of writes.slice(2)) writeBoth(tx, office, write)
              return keys
            }),
          )
        }
        expect(both(one, true)).toEqual(both(other, false))
        const masked = (store: OfficeStore) =>
          Buffer.from(store.dump())
            .toString('utf8')
            .replace(/17\d{11}/g, 'now')
            .replace(/"checksum.*/, '')
        expect(masked(one)).toBe(masked(other))
      },
    ),
    runs(35),
  )
})
