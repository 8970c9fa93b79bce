import { beforeEach, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

const Note = defineDataClass('Note', { ID: attribute.long({ key: true }), n: attribute.long() })
const open = () => createDataStore({ name: 'notes', dataClasses: [Note] })
let store: ReturnType<typeof open>
beforeEach(() => {
  store = open()
  store.Note.load([{ ID: 1, n: 1 }])
})

/** What an AbortSignal does, and who listens to it. */
function signal() {
  const listeners = new Map<string, Set<() => void>>()
  const of = (kind: string) => listeners.get(kind) ?? new Set()
  return {
    aborted: false,
    addEventListener: (kind: string, listener: () => void) => void listeners.set(kind, of(kind).add(listener)),
    removeEventListener: (kind: string, listener: () => void) => void of(kind).delete(listener),
    listening: () => [...listeners].filter(([, set]) => set.size > 0).map(([kind]) => kind),
    abort() {
      this.aborted = true
      for (const listener of [...of('abort')]) listener()
    },
  }
}

test('a listener of errors hears of them until it is taken away', () => {
  const heard: unknown[] = []
  const stop = store.on('error', (error) => heard.push(error))
  const quiet = store.on('commit', () => {
    throw new Error('of the application')
  })
  store.Note.update(1, { n: 2 })
  expect(heard.map(String)).toEqual(['Error: of the application'])
  stop()
  store.Note.update(1, { n: 3 })
  expect(heard).toHaveLength(1)
  quiet()
})

test('the same function heard twice is told twice, and taken away once at a time', () => {
  let told = 0
  const listener = () => void told++
  const [first, second] = [store.on('commit', listener), store.on('commit', listener)]
  store.Note.update(1, { n: 2 })
  expect(told).toBe(2)
  first()
  first()
  store.Note.update(1, { n: 3 })
  expect(told).toBe(3)
  second()
  store.Note.update(1, { n: 4 })
  expect(told).toBe(3)
})

test('a live query ends with its signal, and leaves nothing behind on one that stays', () => {
  const ended = signal()
  let told = 0
  let stops = 0
  store.Note.all().live(() => void told++, { signal: ended, stopped: () => void stops++ })
  store.Note.update(1, { n: 2 })
  expect(told).toBe(1)
  ended.abort()
  expect(stops).toBe(1)
  store.Note.update(1, { n: 3 })
  expect(told).toBe(1)

  const kept = signal()
  const live = store.Note.all().live(() => void told++, { signal: kept })
  expect(kept.listening()).toEqual(['abort'])
  live.stop()
  live.stop()
  expect(kept.listening()).toEqual([])
  store.Note.update(1, { n: 4 })
  expect(told).toBe(1)
})

test('a live query whose signal is aborted already gives what there is, and is told nothing', () => {
  const over = signal()
  over.abort()
  let told = 0
  const live = store.Note.all().live(() => void told++, { signal: over })
  expect(live.initial.map(({ key }) => key)).toEqual([1])
  store.Note.update(1, { n: 2 })
  expect(told).toBe(0)
})

test.each([null, 1, {}, { aborted: false, addEventListener: () => {} }])('%j is no signal', (given) => {
  expect(() => store.Note.all().live(() => {}, { signal: given as never })).toThrow('an AbortSignal')
})

test('a commit that changes nothing of a live result is not told to it, and one heard by nobody else is', () => {
  const deltas: number[] = []
  const live = store.Note.query('n > 10').live((delta) => deltas.push(delta.globalStamp))
  store.Note.update(1, { n: 5 })
  expect(deltas).toEqual([])
  store.Note.update(1, { n: 11 })
  expect(deltas).toEqual([store.globalStamp])
  live.stop()
})

test('going back to a snapshot is a commit only where something comes back', () => {
  const snapshot = store.snapshot()
  const comesBack = (): boolean => {
    const before = store.globalStamp
    store.restore(snapshot)
    return store.globalStamp > before
  }
  expect(comesBack()).toBe(false)
  store.Note.insert({ ID: 2, n: 2 })
  store.Note.remove(2)
  // Nothing of it is left, and no sequence went on.
  expect(comesBack()).toBe(false)
  store.Note.update(1, { n: 2 })
  store.Note.update(1, { n: 1 })
  // The value is the same, the stamp was not.
  expect(comesBack()).toBe(true)
  expect(store.Note.get(1)).toMatchObject({ n: 1, stamp: 1 })
  store.Note.load([{ ID: 3, n: 3 }])
  expect(comesBack()).toBe(true)
  expect(store.Note.count).toBe(1)
  store.Note.remove(1)
  expect(comesBack()).toBe(true)
  expect(store.Note.get(1)).toMatchObject({ n: 1, stamp: 1 })
  // Another entity in the same place, with the same values.
  store.transact(() => {
    store.Note.remove(1)
    store.Note.insert({ ID: 1, n: 1 })
  })
  expect(comesBack()).toBe(true)
  store.verify()
})

test('sequences come back, too, also where no entity is left of what moved them', () => {
  const Counted = defineDataClass('Counted', { ID: attribute.long({ key: true, autoSequence: true }) })
  const counts = createDataStore({ name: 'counts', dataClasses: [Counted] })
  const snapshot = counts.snapshot()
  const { ID } = counts.Counted.insert({})
  counts.Counted.remove(ID)
  counts.restore(snapshot)
  expect(counts.Counted.insert({}).ID).toBe(ID)
})

test('verify refuses a store that is closed, as every call does', () => {
  store.close()
  try {
    store.verify()
    expect.unreachable()
  } catch (error) {
    expect(isEntiaError(error)).toBe(true)
  }
})

test('nobody hears of anything after the store is closed', () => {
  let told = 0
  store.on('commit', () => void told++)
  store.close()
  expect(() => store.Note.update(1, { n: 9 })).toThrow('closed')
  expect(told).toBe(0)
})
