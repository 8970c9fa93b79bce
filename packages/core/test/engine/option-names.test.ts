import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  type Untyped,
} from '../../src/index.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})

const ADA = { ID: 'ada', userName: 'ada', fullName: 'Ada', groups: [] }

/** Calls with options, without types: a misspelt stamp would make a write unconditional. */
const calls: Readonly<Record<string, (store: Untyped, options: object) => unknown>> = {
  update: (store, options) => store.Note.update(1, { text: 'b' }, options),
  remove: (store, options) => store.Note.remove(1, options),
  load: (store, options) => store.Note.load([{ text: 'b' }], options),
  query: (store, options) => store.Note.query('text = a', [], options),
  view: (store, options) => store.view(options),
  live: (store, options) => store.Note.all().live(() => {}, options),
  'sessions.open': (store, options) => store.sessions.open(options),
  'sessions.login': (store, options) => store.sessions.login(null, ADA, options),
  'sessions.identified': (store, options) => store.sessions.identified(ADA, options),
  'entitySets.create': (store, options) => store.entitySets.create(store.Note.all(), options),
  'uploads.put': (store, options) =>
    store.uploads.put(createMedia('image/png', new Uint8Array([1])), options),
  'locks.lock': (store, options) => store.locks.lock('Note', 1, store.sessions.open(), options),
  'locks.probe': (store, options) => store.locks.probe('Note', 1, options),
}

const open = () => {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  store.Note.insert({ text: 'a' })
  return store
}

test.each(Object.keys(calls))('%s refuses an unknown option and does nothing', (name) => {
  const store = open()
  const before = [store.globalStamp, store.sessions.size, store.entitySets.size]
  expect(() => calls[name]!(store, { stmp: 1 })).toThrow(
    /^The name of an option must be one of [A-Za-z, ]+, not "stmp"\.$/,
  )
  const sessions = name === 'locks.lock' ? 1 : 0
  expect([store.globalStamp, store.sessions.size - sessions, store.entitySets.size]).toEqual(before)
})

test.each(Object.keys(calls))('%s takes options without properties', (name) => {
  expect(() => calls[name]!(open(), {})).not.toThrow()
})

test('updateAll refuses an unknown property of a change', () => {
  const store = open()
  const changes: Untyped = [{ key: 1, patch: { text: 'b' }, stmp: 7 }]
  expect(() => store.Note.updateAll(changes)).toThrow(
    'must be an object { key, patch, stamp? }, not an object with "stmp"',
  )
  expect(store.Note.get(1)?.text).toBe('a')
})
