import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createStore } from '@entia/core/kernel'
import { expect, test } from 'vitest'
import { type TestHooks, useDataStoreWith } from '../src/fixtures/use-data-store.ts'
import { createFakeClock } from '../src/ports/fake-clock.ts'
import { createFakeIds } from '../src/ports/fake-ids.ts'

const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string({ indexed: true }),
})

/** A minimal test runner that collects its hooks. */
function createRunner() {
  const bodies = {
    beforeEach: [] as (() => void)[],
    afterEach: [] as (() => void)[],
    afterAll: [] as (() => void)[],
  }
  const hooks: TestHooks = {
    beforeEach: (body) => bodies.beforeEach.push(body),
    afterEach: (body) => bodies.afterEach.push(body),
    afterAll: (body) => bodies.afterAll.push(body),
  }
  const run = (of: keyof typeof bodies): void => {
    for (const body of bodies[of]) body()
  }
  return {
    use: useDataStoreWith(hooks),
    runTest<R>(body: () => R): R {
      run('beforeEach')
      try {
        return body()
      } finally {
        run('afterEach')
      }
    },
    end: () => run('afterAll'),
  }
}

function openNotes() {
  const clock = createFakeClock()
  const ids = createFakeIds()
  const runner = createRunner()
  const store = runner.use(
    () => createDataStore({ name: 'notes', dataClasses: [Note], clock, ids }),
    {
      rewind: [clock, ids],
      verify: true,
    },
  )
  return { store, clock, runner }
}

test('every test starts with the same data', () => {
  const { store, runner } = openNotes()
  store.Note.load([{ text: 'a' }, { text: 'b' }])
  const before = store.dump()
  const contents = (): unknown => store.Note.all().orderBy('text').select('text')
  const states: unknown[] = []
  for (const change of [
    () => store.Note.all().remove(),
    () => store.Note.load([{ text: 'c' }, { text: 'd' }]),
    () =>
      store.Note.updateAll(
        store.Note.all()
          .toArray()
          .map(({ key }) => ({ key, patch: { text: 'z' } })),
      ),
    () => {
      throw new Error('a test that fails')
    },
  ]) {
    try {
      runner.runTest(() => {
        states.push(contents())
        change()
      })
    } catch {}
  }
  expect(states).toEqual(Array(4).fill([{ text: 'a' }, { text: 'b' }]))
  expect(store.Note.count).toBe(2)
  expect(before.length).toBeGreaterThan(0)
})

test('a test after which the store is not sound does not reach the next', () => {
  const { store, clock, runner } = openNotes()
  const time = clock.now()
  const { verify } = store
  const faulty = () =>
    runner.runTest(() => {
      store.Note.insert({ text: 'a' })
      store.sessions.open()
      clock.advance('1h')
      store.verify = () => {
        store.verify = verify
        throw new Error('not sound')
      }
    })
  expect(faulty).toThrow('not sound')
  expect([store.Note.count, store.sessions.size, clock.now()]).toEqual([0, 0, time])
})

test('sessions, locks, sets, times and ids of a test do not reach the next', () => {
  const { store, clock, runner } = openNotes()
  const first = store.Note.insert({ text: 'a' })
  const body = () => {
    const session = store.sessions.open()
    const kept = {
      sessions: store.sessions.size,
      locked: store.locks.lock('Note', first.key, session).kind,
      set: store.entitySets.create(store.Note.all(), { owner: session }),
      key: store.Note.insert({ text: 'b' }).key,
      time: clock.now(),
    }
    clock.advance('3h')
    return kept
  }
  const once = runner.runTest(body)
  expect(runner.runTest(body)).toEqual(once)
  expect([store.sessions.size, store.locks.size, store.entitySets.list().length]).toEqual([0, 0, 0])
})

test('earlier sessions and the data of a beforeAll stay', () => {
  const { store, runner } = openNotes()
  const session = store.sessions.open()
  const id = store.entitySets.create(store.Note.all())
  runner.runTest(() => store.sessions.open())
  expect(store.sessions.peek(session.token)?.id).toBe(session.id)
  expect(store.entitySets.get(id)?.count).toBe(0)
})

test('a store that opens asynchronously is awaited', async () => {
  const runner = createRunner()
  const store = await runner.use(async () =>
    createDataStore({ name: 'notes', dataClasses: [Note] }),
  )
  runner.runTest(() => store.Note.insert({ text: 'a' }))
  expect(store.Note.count).toBe(0)
  runner.end()
  expect(() => store.Note.insert({ text: 'a' })).toThrow('closed')
})

test('a store without snapshots or sessions is refused before the tests run', () => {
  const partial = createStore({ name: 'notes', dataClasses: [Note] }) as never
  expect(() => createRunner().use(() => partial)).toThrow(
    'The store of useDataStore must be one with the capabilities "persistence", "server"',
  )
})

test('a store in place of a function, and unknown options, are refused', () => {
  const { use } = createRunner()
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  expect(() => use(store as never)).toThrow('a function that creates the store, not an object')
  expect(() => use(() => store, { rewinds: [] } as never)).toThrow('one of rewind, verify')
})
