import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EntiaError } from '../../src/errors.ts'
import { runs } from '../runs.ts'
import { type Action, actions, perform, performPlain } from './firm-actions.ts'
import { FirmOracle } from './firm-oracle.ts'
import { codeOf, firmStore, type TestStore } from './firm-store.ts'

/** Returns null, or the code of the refusal. */
function attempt(body: () => void): string | null {
  try {
    body()
    return null
  } catch (error) {
    if (error instanceof EntiaError) return error.code
    throw error
  }
}

/** Runs the actions as one transaction. A refused action ends it, or is skipped. */
function transact(
  store: TestStore,
  transaction: readonly Action[],
  isPatient = true,
): string | null {
  return attempt(() => {
    store.writer.transact(() => {
      for (const each of transaction) {
        if (isPatient) attempt(() => perform(store, each))
        else perform(store, each)
      }
    })
  })
}

/** The state of a store, in the form of the oracle. */
function stateOf(store: TestStore): unknown {
  return store.writer.tables.map((table) => [
    table.model.name,
    table.sequence,
    Array.from(table.liveSlots(), (slot) => [slot, table.stamps[slot], table.readAll(slot)]),
  ])
}

test('transactions equal the simplest store in refusals and record numbers, with consistent indexes', () => {
  const transactions = fc.array(fc.tuple(actions, fc.boolean()), { maxLength: 8 })
  fc.assert(
    fc.property(transactions, (history) => {
      const store = firmStore()
      const oracle = new FirmOracle()
      for (const [transaction, isPatient] of history) {
        const expected = oracle.transact(() => {
          for (const each of transaction) {
            if (isPatient) oracle.attempt(() => performPlain(oracle, each))
            else performPlain(oracle, each)
          }
        })
        expect(transact(store, transaction, isPatient)).toBe(expected)
        expect(stateOf(store)).toEqual(oracle.state())
        store.verify()
      }
    }),
    runs(400),
  )
})

test('a failed transaction leaves the store unchanged', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 4 }), actions, (history, last) => {
      const store = firmStore()
      for (const transaction of history) transact(store, transaction)
      const { globalStamp } = store.writer
      const before = store.state()
      expect(() => {
        store.writer.transact(() => {
          for (const each of last) attempt(() => perform(store, each))
          throw new RangeError('stop')
        })
      }).toThrow()
      expect(store.state()).toBe(before)
      expect(store.writer.globalStamp).toBe(globalStamp)
      store.verify()
    }),
    runs(300),
  )
})

test('the global stamp increases by one for each transaction with an effect, and only then', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 6 }), (transactions) => {
      const store = firmStore()
      for (const transaction of transactions) {
        const { globalStamp } = store.writer
        const before = store.state()
        transact(store, transaction)
        expect(store.writer.globalStamp - globalStamp).toBe(store.state() === before ? 0 : 1)
      }
    }),
    runs(200),
  )
})

test('of several updates with the same stamp only the first succeeds', () => {
  const store = firmStore()
  store.insert('Person', { name: 'ada' })
  store.update('Person', 1, { name: 'eve' }, 1)
  expect(codeOf(() => store.update('Person', 1, { name: 'bob' }, 1))).toBe('stampChanged')
  expect(store.read('Person', 1)).toMatchObject({ name: 'eve', stamp: 2 })
})

test('later writes of the transaction may use a freed unique value: two entities swap theirs through a third', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'one' })
  store.insert('Firm', { name: 'two' })
  store.writer.transact(() => {
    store.update('Firm', 1, { name: 'free' })
    store.update('Firm', 2, { name: 'ONE' })
    store.update('Firm', 1, { name: 'two' })
  })
  expect(store.read('Firm', 1)).toMatchObject({ name: 'two', stamp: 3 })
  expect(store.read('Firm', 2)).toMatchObject({ name: 'ONE', stamp: 2 })
  store.verify()
})

test('two entities that refer to each other are created in one transaction', () => {
  const store = firmStore()
  store.writer.transact(() => {
    store.insert('Firm', { name: 'Acme', boss: 7 })
    store.insert('Person', { ID: 7, firm: 1 })
  })
  expect(store.read('Firm', 1)).toMatchObject({ boss: 7 })
  expect(codeOf(() => store.insert('Person', { firm: 2 }))).toBe('relationTargetMissing')
})

test('removing follows onDelete: cascade removes, null empties, restrict refuses', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.insert('Person', { firm: 1 })
  store.insert('Person', { firm: 1, mentor: 1 })
  store.insert('Person', { mentor: 1 })
  store.update('Firm', 1, { boss: 2 })
  store.insert('Badge', { code: 'x', owner: 1 })
  expect(codeOf(() => store.remove('Firm', 1))).toBe('removeRestricted')
  expect(store.keys('Person')).toEqual([1, 2, 3])
  store.writer.transact(() => {
    store.remove('Firm', 1)
    store.remove('Badge', 'x')
  })
  expect(store.keys('Person')).toEqual([3])
  expect(store.read('Person', 3)).toMatchObject({ mentor: null, stamp: 2 })
  store.verify()
})

test('a refused write has no effect, and the transaction continues without it', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.writer.transact(() => {
    store.insert('Firm', { name: 'Bolt' })
    expect(codeOf(() => store.insert('Firm', { name: 'acme' }))).toBe('uniqueViolation')
    expect(codeOf(() => store.update('Firm', 2, { name: 'ACME' }))).toBe('uniqueViolation')
    store.insert('Firm', { name: 'Cog' })
  })
  expect(store.keys('Firm')).toEqual([1, 2, 3])
  expect(store.read('Firm', 2)).toMatchObject({ name: 'Bolt', stamp: 1 })
})

test('an outer transaction cannot commit after an inner one failed', () => {
  const store = firmStore()
  const before = store.state()
  const refused = codeOf(() => {
    store.writer.transact(() => {
      store.insert('Firm', { name: 'Acme' })
      try {
        store.writer.transact(() => {
          store.insert('Firm', { name: 'Bolt' })
          store.insert('Firm', { name: 'bolt' })
        })
      } catch {
        // The application catches the error.
      }
    })
  })
  expect(refused).toBe('uniqueViolation')
  expect(store.state()).toBe(before)
})

test('a transaction reads its own writes, applied or not', () => {
  fc.assert(
    fc.property(actions, fc.boolean(), (transaction, isApplied) => {
      const store = firmStore()
      const look = () =>
        [1, 2, 3, 4, 5].map((key) => [store.read('Firm', key), store.read('Person', key)])
      let inside: unknown
      const code = attempt(() => {
        store.writer.transact(() => {
          for (const each of transaction) attempt(() => perform(store, each))
          if (isApplied) store.writer.enter()
          inside = look()
        })
      })
      if (code === null) expect(look()).toEqual(inside)
    }),
    runs(300),
  )
})

test('a body that returns a promise is refused and rolled back', () => {
  const store = firmStore()
  const refused = codeOf(() =>
    store.writer.transact(async () => {
      store.insert('Firm', { name: 'Acme' })
    }),
  )
  expect(refused).toBe('promiseReturned')
  expect(store.keys('Firm')).toEqual([])
})

test('timestamps never go back, even if the clock does', () => {
  let now = 5000
  const store = firmStore({ clock: { now: () => now, monotonic: () => 1 } })
  const slot = store.insert('Firm', { name: 'Acme' })
  const table = store.table('Firm')
  for (const next of [1000, Number.NaN, Number.POSITIVE_INFINITY, 4999]) {
    now = next
    store.update('Firm', 1, { name: `at ${next}` })
    expect(table.timestamps[slot]).toBe(5000)
  }
  now = 6000.7
  store.update('Firm', 1, { name: 'later' })
  expect(table.timestamps[slot]).toBe(6000)
})
