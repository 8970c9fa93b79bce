import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IndexSet, indexSets, offices } from '../arbitraries.ts'
import type { PlainData } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources } from './office-selections.ts'
import { type OfficeStore, officeOf, outcome } from './office-store.ts'
import { copyInto, mustEqual, type Write, writeBoth, writes } from './office-writes.ts'

/** An error of the application. */
class Stop extends Error {
  readonly code = 'stop'
}

/**
 * Every cause of a failing transaction, by the code of its error. Some fail at once, some at the
 * end.
 */
const CAUSES: { readonly [code: string]: (tx: OfficeStore) => unknown } = {
  stop: () => {
    throw new Stop()
  },
  valueInvalid: (tx) => tx.Employee.insert({ level: 'much' }),
  attributeNotFound: (tx) => tx.Employee.insert({ nickname: 'x' }),
  attributeReadOnly: (tx) => tx.Employee.insert({ label: 'x' }),
  validationFailed: (tx) => tx.Employee.insert({ level: -6 }),
  keyNull: (tx) => tx.Badge.insert({ colour: 'red' }),
  keyNotUnique: (tx) => [tx.Badge.insert({ code: 'twice' }), tx.Badge.insert({ code: 'twice' })],
  uniqueViolation: (tx) => [
    tx.Badge.insert({ code: 'one', number: 77 }),
    tx.Badge.insert({ code: 'two', number: 77 }),
  ],
  stampChanged: (tx) => tx.Employee.update(tx.Employee.insert({}).key, { level: 1 }, { stamp: 9 }),
  entityNotFound: (tx) => tx.Employee.remove(1234),
  relationTargetMissing: (tx) => tx.Employee.insert({ employer: 1234 }),
  removeRestricted: (tx) => {
    const company = tx.Company.insert({})
    tx.Badge.insert({ code: 'held', issuer: company.key })
    tx.Company.remove(company.key)
  },
  loadRefused: (tx) => tx.Employee.load([{ level: 1 }, { level: -7 }]),
  filterCannotBeAnalysed: (tx) => tx.Employee.query('nickname = x'),
  promiseReturned: () => Promise.resolve(),
}

interface Failure {
  readonly data: PlainData
  readonly indexes: IndexSet
  readonly writes: readonly Write[]
  readonly code: string
  /**
   * Whether the transaction queries before it fails: its writes are then already in columns and
   * indexes.
   */
  readonly looks: boolean
}
const failures: fc.Arbitrary<Failure> = fc.record({
  data: offices(),
  indexes: indexSets,
  writes: fc.array(writes, { maxLength: 5 }),
  code: fc.constantFrom(...Object.keys(CAUSES)),
  looks: fc.boolean(),
})

/**
 * Fails after the first `position` writes, in the given way. The plain office only selects the
 * entities of the writes.
 */
function fail(
  store: OfficeStore,
  office: PlainOffice,
  { writes, code, looks }: Failure,
  position: number,
): void {
  const before = office.snapshot()
  try {
    store.transact((tx) => {
      for (const write of writes.slice(0, position)) {
        writeBoth(tx, office, write)
        if (looks) tx.Employee.query('salary > 5 or boss.level > 0 order by name').keys()
      }
      const result = CAUSES[code](tx)
      if (looks) tx.Badge.query("colour = 'red'").keys()
      return result
    })
  } finally {
    office.restore(before)
  }
}

test(
  'a failed transaction leaves every byte unchanged, for any cause and position of the failure',
  patience,
  () => {
    fc.assert(
      fc.property(failures, (failure) => {
        const store = officeOf(failure.data, failure.indexes)
        const office = copyInto(new PlainOffice(), failure.data)
        const { globalStamp } = store
        const before = store.dump()
        expect(before.length).toBeGreaterThan(100)
        for (let position = 0; position <= failure.writes.length; position++) {
          // The final error may be about a relation that an earlier write left dangling.
          const error = position === 0 ? expect.objectContaining({ code: failure.code }) : undefined
          expect(() => fail(store, office, failure, position)).toThrow(error)
          expect(Buffer.compare(store.dump(), before)).toBe(0)
          expect(store.globalStamp).toBe(globalStamp)
          store.verify()
        }
        mustEqual(store, office)
        // A dump shows not all state, so the next writes must have the usual results too.
        for (const write of failure.writes) writeBoth(store, office, write)
        store.verify()
        mustEqual(store, office)
      }),
      runs(100),
    )
  },
)

test('a bulk load with a wrong row fails as a whole', patience, () => {
  const rows = fc.array(
    fc.record({ level: fc.integer({ min: -5, max: 3 }), boss: fc.option(fc.nat(3)) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      rows,
      fc.nat(4),
      fc.constantFrom({ level: -6 }, { employer: 99 }, { ID: 1 }, { name: 3 }),
      (data, indexes, rows, place, bad) => {
        const store = officeOf(
          { ...data, Employee: data.Employee.length === 0 ? [{ ID: 1 }] : data.Employee },
          indexes,
        )
        const before = store.dump()
        const at = place % rows.length
        const broken = rows.map((row, i) =>
          i === at ? { ...row, boss: null, ...bad } : { ...row, boss: null },
        )
        expect(() => store.Employee.load(broken)).toThrow(
          expect.objectContaining({
            code: 'loadRefused',
            details: expect.objectContaining({ rowNumber: at + 1 }),
          }),
        )
        expect(Buffer.compare(store.dump(), before)).toBe(0)
        store.verify()
      },
    ),
    runs(30),
  )
})

test(
  'a failed transaction changes no earlier selection and calls no commit listener',
  patience,
  () => {
    fc.assert(
      fc.property(failures, fc.array(sources, { minLength: 1, maxLength: 3 }), (failure, made) => {
        const store = officeOf(failure.data, failure.indexes)
        const office = copyInto(new PlainOffice(), failure.data)
        const selections = made.flatMap((source: Source) => {
          const members = outcome(() => membersOf(office, source))
          return members === 'refused' ? [] : [{ members, selection: select(store, source) }]
        })
        let notices = 0
        store.on('commit', () => notices++)
        expect(() => fail(store, office, failure, failure.writes.length)).toThrow()
        expect(notices).toBe(0)
        for (const { selection, members } of selections) mustHold(selection, office, members)
      }),
      runs(50),
    )
  },
)

test(
  'a successful transaction is one commit, reported once, with all its changes',
  patience,
  () => {
    fc.assert(
      fc.property(failures, ({ data, indexes, writes }) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const before = store.dump()
        const { globalStamp } = store
        const notices: number[] = []
        store.on('commit', (notice) => notices.push(notice.globalStamp))
        outcome(() => {
          const plainly = office.snapshot()
          try {
            store.transact(
              (tx) => void writes.forEach((write) => void writeBoth(tx, office, write)),
            )
          } catch (error) {
            office.restore(plainly)
            throw error
          }
        })
        store.verify()
        const isChanged = store.globalStamp !== globalStamp
        expect(notices).toEqual(isChanged ? [globalStamp + 1] : [])
        expect(Buffer.compare(store.dump(), before) === 0).toBe(!isChanged)
      }),
      runs(50),
    )
  },
)
