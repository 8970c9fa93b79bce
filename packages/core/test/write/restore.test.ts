import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadMany } from '../../src/write/load.ts'
import { runs } from '../runs.ts'
import { actions, performAll } from './firm-actions.ts'
import { codeOf, firmStore, type TestStore } from './firm-store.ts'

const run = (store: TestStore, transactions: readonly Parameters<typeof performAll>[1][]): void =>
  transactions.forEach((each) => void performAll(store, each))
const some = fc.array(actions, { maxLength: 6 })

test('a restore brings back the same bytes as one commit, and can itself be undone by a restore', () => {
  fc.assert(
    fc.property(some, some, (first, second) => {
      const store = firmStore()
      run(store, first)
      const before = store.state()
      const snapshot = store.snapshots.take()
      run(store, second)
      const later = store.state()
      const { globalStamp } = store.writer
      // Commits that undid each other leave nothing to undo.
      const wasChanged = later !== before
      const afterwards = store.snapshots.take()

      expect(store.snapshots.restore(snapshot)).toBe(wasChanged)
      expect(store.state()).toBe(before)
      expect(store.writer.globalStamp).toBe(globalStamp + (wasChanged ? 1 : 0))
      store.verify()
      store.snapshots.restore(afterwards)
      expect(store.state()).toBe(later)
      store.verify()
      store.snapshots.restore(snapshot)
      expect(store.state()).toBe(before)
      store.verify()
    }),
    runs(200),
  )
})

test('a restored store continues like the earlier one, with the same keys and record numbers', () => {
  fc.assert(
    fc.property(some, some, some, (first, second, third) => {
      const twin = firmStore()
      run(twin, first)
      run(twin, third)
      const store = firmStore()
      run(store, first)
      const snapshot = store.snapshots.take()
      run(store, second)
      store.snapshots.restore(snapshot)
      run(store, third)
      const withoutTimes = (text: string) => text.replace(/^(\[\d+,\d+),\d+/gm, '$1')
      const lines = (each: TestStore) => withoutTimes(each.state()).split('\n').slice(0, -2)
      expect(lines(store)).toEqual(lines(twin))
    }),
    runs(100),
  )
})

test('a restore that fails at its k-th step is rolled back', () => {
  for (let k = 1; k <= 6; k++) {
    let left = 0
    const store = firmStore({
      allocation: () => {
        if (--left === 0) throw new RangeError('out of memory')
      },
    })
    const snapshot = store.snapshots.take()
    for (const name of ['a', 'b', 'c', 'd']) store.insert('Firm', { name })
    store.update('Firm', 2, { name: 'bb' })
    store.remove('Firm', 3)
    const before = store.state()
    left = k
    expect(() => store.snapshots.restore(snapshot)).toThrow('out of memory')
    expect(store.state()).toBe(before)
    store.verify()
    left = 0
    store.snapshots.restore(snapshot)
    expect(store.keys('Firm')).toEqual([])
  }
})

test('a restore undoes a load', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'first' })
  const before = store.state()
  const snapshot = store.snapshots.take()
  loadMany(
    store.writer,
    store.table('Firm'),
    Array.from({ length: 300 }, (_, i) => ({ name: `firm ${i}` })),
  )
  store.remove('Firm', 1)
  store.snapshots.restore(snapshot)
  expect(store.state()).toBe(before)
  store.verify()
})

test('a snapshot of another store, a disposed one, and other values are refused', () => {
  const store = firmStore()
  const snapshot = store.snapshots.take()
  expect(codeOf(() => firmStore().snapshots.restore(snapshot))).toBe('snapshotForeign')
  snapshot.dispose()
  snapshot.dispose()
  expect(codeOf(() => store.snapshots.restore(snapshot))).toBe('snapshotForeign')
  expect(codeOf(() => store.snapshots.restore({ globalStamp: 0 }))).toBe('snapshotForeign')
  expect(codeOf(() => store.writer.transact(() => store.snapshots.take()))).toBe('notInTransaction')
})
