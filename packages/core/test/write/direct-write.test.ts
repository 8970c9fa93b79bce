import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EntiaError } from '../../src/errors.ts'
import { recordChanges } from '../../src/write/record-changes.ts'
import { runs } from '../runs.ts'
import { action, perform } from './firm-actions.ts'
import { firmStore, type TestStore } from './firm-store.ts'

function refusalFrom(run: () => void): string | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof EntiaError) return `${error.code}: ${error.message}`
    throw error
  }
}

test('a single write has the same effect, and the same error message, as a transaction with this write', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 25 }), (actions) => {
      const single = firmStore()
      const wrapped = firmStore()
      for (const [i, each] of actions.entries()) {
        single.now = wrapped.now = 5000 + i * 10
        const refusal = refusalFrom(() => perform(single, each))
        single.now = wrapped.now = 5000 + i * 10
        expect(refusalFrom(() => wrapped.writer.transact(() => perform(wrapped, each)))).toBe(
          refusal,
        )
        expect(single.state()).toBe(wrapped.state())
        expect(single.writer.globalStamp).toBe(wrapped.writer.globalStamp)
      }
      single.verify()
      expect(recordChanges(single.writer.history.since(0))).toEqual(
        recordChanges(wrapped.writer.history.since(0)),
      )
    }),
    runs(300),
  )
})

test.each<[string, (store: TestStore) => void]>([
  [
    'insertion',
    (store) => store.insert('Person', { name: 'new', email: 'new@x', pay: 3, firm: 1, mentor: 3 }),
  ],
  [
    'update',
    (store) =>
      store.update('Person', 1, { name: 'new', email: 'new@x', pay: 9, firm: null, mentor: 2 }),
  ],
  ['removal', (store) => store.remove('Person', 3)],
])('an %s that fails at its k-th step is rolled back, for every k', (_, write) => {
  let failures = 0
  for (let k = 1; ; k++) {
    let left = 0
    const store = firmStore({
      allocation: () => {
        if (--left === 0) throw new RangeError('out of memory')
      },
    })
    store.insert('Firm', { name: 'Acme' })
    for (const name of ['a', 'b', 'c'])
      store.insert('Person', { name, email: `${name}@x`, pay: 1, firm: 1 })
    const before = store.state()
    left = k
    try {
      write(store)
      break
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      failures++
      left = 0
      expect(store.state()).toBe(before)
      store.verify()
      write(store)
      store.verify()
    }
  }
  expect(failures).toBeGreaterThan(1)
})
