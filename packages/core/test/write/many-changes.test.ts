import { expect, test } from 'vitest'
import { firmStore, type TestStore } from './firm-store.ts'

const PEOPLE = 400

/** Enough people for a few blocks of an index, with keys that tie. */
function filled(port: Parameters<typeof firmStore>[0] = {}): TestStore {
  const store = firmStore(port)
  store.writer.transact(() => {
    store.insert('Firm', { name: 'one' })
    for (let i = 1; i <= PEOPLE; i++) store.insert('Person', person(i))
  })
  return store
}

const person = (i: number): object => ({
  name: `P${i % 7}`,
  email: `${i}@x`,
  pay: i % 3 === 0 ? null : (i * 37) % 50,
  day: '2020-01-01',
  active: i % 2 === 0,
  firm: i % 5 === 0 ? 1 : null,
})

/** Updates, removals, insertions into freed record numbers, and entities written more than once. */
function change(store: TestStore): void {
  for (let i = 1; i <= 200; i++) {
    store.update('Person', i, { pay: (i * 11) % 60, active: i % 4 === 0 ? null : i % 3 === 0 })
    if (i % 6 === 0) store.remove('Person', i)
    if (i % 10 === 0) store.insert('Person', { ...person(1000 + i), pay: 5 })
    if (i % 9 === 0 && i % 6 !== 0)
      store.update('Person', i, { pay: (i * 37) % 50, day: '2021-02-03' })
  }
}

test('many changes in one commit have the same result as one by one', () => {
  const together = filled()
  const single = filled()
  together.writer.transact(() => change(together))
  change(single)
  together.verify()
  single.verify()
  const read = (store: TestStore): unknown[] =>
    store.keys('Person').map((key) => store.read('Person', key))
  expect(read(together).length).toBeGreaterThan(350)
  expect(read(together)).toEqual(read(single))
})

test('a restore undoes many changes', () => {
  const store = filled()
  const before = store.state()
  const mark = store.snapshots.take()
  store.writer.transact(() => change(store))
  store.snapshots.restore(mark)
  store.verify()
  expect(store.state()).toBe(before)
})

test('a commit of many changes that fails at any step is rolled back, even if part of it was applied before', () => {
  let failures = 0
  for (let k = 1; ; k += 61) {
    let steps = 0
    let isArmed = false
    const store = filled({
      allocation: () => {
        if (isArmed && ++steps === k) throw new RangeError('out of memory')
      },
    })
    const before = store.state()
    isArmed = true
    let isDone = false
    try {
      store.writer.transact(() => {
        for (let i = 201; i <= 300; i++) store.update('Person', i, { pay: i % 13 })
        store.writer.enter()
        change(store)
      })
      isDone = true
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      failures++
      isArmed = false
      store.verify()
      expect(store.state()).toBe(before)
      store.writer.transact(() => change(store))
    }
    store.verify()
    if (isDone) break
  }
  expect(failures).toBeGreaterThan(10)
})
