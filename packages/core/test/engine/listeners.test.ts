import { beforeEach, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

const Note = defineDataClass('Note', { ID: attribute.long({ key: true }), n: attribute.long() })
const open = () => createDataStore({ name: 'notes', dataClasses: [Note] })
let store: ReturnType<typeof open>
beforeEach(() => {
  store = open()
  store.Note.load([{ ID: 1, n: 1 }])
})

/** An AbortSignal that lists its listeners. */
function signal() {
  const listeners = new Map<string, Set<() => void>>()
  const of = (kind: string) => listeners.get(kind) ?? new Set()
  return {
    aborted: false,
    addEventListener: (kind: string, listener: () => void) =>
      void listeners.set(kind, of(kind).add(listener)),
    removeEventListener: (kind: string, listener: () => void) => void of(kind).delete(listener),
    listening: () => [...listeners].filter(([, set]) => set.size > 0).map(([kind]) => kind),
    abort() {
      this.aborted = true
      for (const listener of [...of('abort')]) listener()
    },
  }
}

test('an error listener is called until it is removed', () => {
  const received: unknown[] = []
  const stop = store.on('error', (error) => received.push(error))
  const quiet = store.on('commit', () => {
    throw new Error('of the application')
  })
  store.Note.update(1, { n: 2 })
  expect(received.map(String)).toEqual(['Error: of the application'])
  stop()
  store.Note.update(1, { n: 3 })
  expect(received).toHaveLength(1)
  quiet()
})

test('a function registered twice is called twice and removed once at a time', () => {
  let reported = 0
  const listener = () => void reported++
  const [first, second] = [store.on('commit', listener), store.on('commit', listener)]
  store.Note.update(1, { n: 2 })
  expect(reported).toBe(2)
  first()
  first()
  store.Note.update(1, { n: 3 })
  expect(reported).toBe(3)
  second()
  store.Note.update(1, { n: 4 })
  expect(reported).toBe(3)
})

test('a live query ends with its signal, and leaves no listener on a signal that stays', () => {
  const ended = signal()
  let reported = 0
  let stops = 0
  store.Note.all().live(() => void reported++, { signal: ended, stopped: () => void stops++ })
  store.Note.update(1, { n: 2 })
  expect(reported).toBe(1)
  ended.abort()
  expect(stops).toBe(1)
  store.Note.update(1, { n: 3 })
  expect(reported).toBe(1)

  const kept = signal()
  const live = store.Note.all().live(() => void reported++, { signal: kept })
  expect(kept.listening()).toEqual(['abort'])
  live.stop()
  live.stop()
  expect(kept.listening()).toEqual([])
  store.Note.update(1, { n: 4 })
  expect(reported).toBe(1)
})

test('a live query with an aborted signal returns its result and reports no deltas', () => {
  const over = signal()
  over.abort()
  let reported = 0
  const live = store.Note.all().live(() => void reported++, { signal: over })
  expect(live.initial.map(({ key }) => key)).toEqual([1])
  store.Note.update(1, { n: 2 })
  expect(reported).toBe(0)
})

test.each([null, 1, {}, { aborted: false, addEventListener: () => {} }])(
  '%j is refused as a signal',
  (given) => {
    expect(() => store.Note.all().live(() => {}, { signal: given as never })).toThrow(
      'an AbortSignal',
    )
  },
)

test('a commit that does not change the result produces no delta, and one without other listeners does', () => {
  const deltas: number[] = []
  const live = store.Note.query('n > 10').live((delta) => deltas.push(delta.globalStamp))
  store.Note.update(1, { n: 5 })
  expect(deltas).toEqual([])
  store.Note.update(1, { n: 11 })
  expect(deltas).toEqual([store.globalStamp])
  live.stop()
})

test('a restore makes a commit only if it changes something', () => {
  const snapshot = store.snapshot()
  const comesBack = (): boolean => {
    const before = store.globalStamp
    store.restore(snapshot)
    return store.globalStamp > before
  }
  expect(comesBack()).toBe(false)
  store.Note.insert({ ID: 2, n: 2 })
  store.Note.remove(2)
  // The insertion is undone, and no sequence advanced.
  expect(comesBack()).toBe(false)
  store.Note.update(1, { n: 2 })
  store.Note.update(1, { n: 1 })
  // The value is equal, but the stamp was not.
  expect(comesBack()).toBe(true)
  expect(store.Note.get(1)).toMatchObject({ n: 1, stamp: 1 })
  store.Note.load([{ ID: 3, n: 3 }])
  expect(comesBack()).toBe(true)
  expect(store.Note.count).toBe(1)
  store.Note.remove(1)
  expect(comesBack()).toBe(true)
  expect(store.Note.get(1)).toMatchObject({ n: 1, stamp: 1 })
  // Another entity in the same slot, with equal values.
  store.transact(() => {
    store.Note.remove(1)
    store.Note.insert({ ID: 1, n: 1 })
  })
  expect(comesBack()).toBe(true)
  store.verify()
})

test('a restore also resets sequences, even without the entities that moved them', () => {
  const Counted = defineDataClass('Counted', {
    ID: attribute.long({ key: true, autoSequence: true }),
  })
  const counts = createDataStore({ name: 'counts', dataClasses: [Counted] })
  const snapshot = counts.snapshot()
  const { ID } = counts.Counted.insert({})
  counts.Counted.remove(ID)
  counts.restore(snapshot)
  expect(counts.Counted.insert({}).ID).toBe(ID)
})

test('verify refuses a closed store, as every call does', () => {
  store.close()
  try {
    store.verify()
    expect.unreachable()
  } catch (error) {
    expect(isEntiaError(error)).toBe(true)
  }
})

test('no listener is called after the store is closed', () => {
  let reported = 0
  store.on('commit', () => void reported++)
  store.close()
  expect(() => store.Note.update(1, { n: 9 })).toThrow('closed')
  expect(reported).toBe(0)
})
