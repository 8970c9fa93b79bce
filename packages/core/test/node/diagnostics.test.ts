import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import {
  COMMIT_CHANNEL,
  type CommitEvent,
  publishDiagnostics,
  QUERY_CHANNEL,
  type QueryEvent,
} from '../../src/node.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  size: attribute.long({ indexed: true }),
})

let at = 0
/** A millisecond passes with each look at it. */
const clock = { now: () => 1_700_000_000_000, monotonic: () => ++at }
const createNotes = () => createDataStore({ name: 'notes', dataClasses: [Note], clock })

let store = createNotes()
let queries: QueryEvent[] = []
let commits: CommitEvent[] = []
const onQuery = (event: unknown): void => void queries.push(event as QueryEvent)
const onCommit = (event: unknown): void => void commits.push(event as CommitEvent)

beforeEach(() => {
  at = 500
  store = createNotes()
  store.Note.load([
    { text: 'a', size: 1 },
    { text: 'b', size: 2 },
    { text: 'c', size: 3 },
  ])
  queries = []
  commits = []
  subscribe(QUERY_CHANNEL, onQuery)
  subscribe(COMMIT_CHANNEL, onCommit)
})
afterEach(() => {
  unsubscribe(QUERY_CHANNEL, onQuery)
  unsubscribe(COMMIT_CHANNEL, onCommit)
})

describe('a query', () => {
  test('is published with the names of OpenTelemetry, without the values of its placeholders', () => {
    publishDiagnostics(store)
    expect(store.Note.query('size > :1', [1]).count).toBe(2)
    expect(queries).toEqual([
      {
        'db.system.name': 'entia',
        'db.namespace': 'notes',
        'db.collection.name': 'Note',
        'db.operation.name': 'query',
        'db.query.text': 'size > :1',
        'db.response.returned_rows': 2,
        'db.client.operation.duration': expect.any(Number),
      },
    ])
    expect(queries[0]!['db.client.operation.duration']).toBeGreaterThan(0)
    expect(queries[0]!['db.client.operation.duration']).toBeLessThan(1)
  })

  test('of a view, of a sliced read or of a deferred scan is published once, with its count', () => {
    store.Note.load(Array.from({ length: 5000 }, (_, size) => ({ text: `n${size % 7}`, size })))
    publishDiagnostics(store)
    store
      .view({ rows: { Note: 'size > 10' } })
      .dataClass('Note')
      .query('text = n3')
    store.Note.query('text = n3')
    const reading = store.reading(() => store.Note.query('text = n4').count)
    while (!reading.advance()) {}
    const found = queries.map((event) => event['db.response.returned_rows'])
    expect(found).toEqual([
      store.Note.all()
        .toArray()
        .filter(({ text, size }) => text === 'n3' && Number(size) > 10).length,
      store.Note.all()
        .toArray()
        .filter(({ text }) => text === 'n3').length,
      reading.value,
    ])
  })

  test('that fails is published with its error and still throws', () => {
    publishDiagnostics(store)
    expect(() => store.Note.query('sise > 1')).toThrow('sise')
    expect(queries).toMatchObject([
      { 'error.type': 'filterCannotBeAnalysed', 'db.response.status_code': '1201' },
    ])
    expect(queries[0]).not.toHaveProperty(['db.response.returned_rows'])
  })

  test('is published without its text if the option says so', () => {
    publishDiagnostics(store, { queryText: false })
    store.Note.query('size = 1')
    expect(queries).toHaveLength(1)
    expect(queries[0]).not.toHaveProperty(['db.query.text'])
  })
})

describe('a commit', () => {
  test('is published with its counts: single writes, transactions, loads, restores', () => {
    publishDiagnostics(store)
    const mark = store.snapshot()
    const { ID } = store.Note.insert({ text: 'd', size: 4 })
    store.Note.update(ID, { text: 'e' })
    store.transact(() => {
      store.Note.insert({ text: 'f' })
      store.Note.update(ID, { size: 5 })
      store.Note.remove(1)
    })
    store.Note.load([{ text: 'g' }, { text: 'h' }])
    store.restore(mark)
    const shown = commits.map((event) => [
      event['entia.global_stamp'],
      event['entia.inserts'],
      event['entia.updates'],
      event['entia.removals'],
    ])
    expect(shown.slice(0, 4)).toEqual([
      [2, 1, 0, 0],
      [3, 0, 1, 0],
      [4, 1, 1, 1],
      [5, 2, 0, 0],
    ])
    expect(shown).toHaveLength(5)
    expect(commits[0]).toMatchObject({
      'db.system.name': 'entia',
      'db.namespace': 'notes',
      'db.operation.name': 'commit',
    })
    for (const event of commits) {
      expect(event['db.client.operation.duration']).toBeGreaterThan(0)
      expect(event['db.client.operation.duration']).toBeLessThan(0.1)
    }
  })

  test('that fails or changes nothing is not published', () => {
    publishDiagnostics(store)
    expect(() =>
      store.transact(() => {
        store.Note.insert({ text: 'd' })
        throw new Error('no')
      }),
    ).toThrow('no')
    store.Note.update(1, {})
    expect(commits).toEqual([])
  })
})

test('nothing is published before subscribing, after unsubscribing, or for other stores', () => {
  store.Note.query('size = 1')
  const stop = publishDiagnostics(store)
  const other = createNotes()
  other.Note.insert({ text: 'x' })
  other.Note.query('size = 1')
  stop()
  store.Note.insert({ text: 'y' })
  store.Note.query('size = 1')
  expect([queries, commits]).toEqual([[], []])
})

test('without subscribers no clock is read and scans are deferred', () => {
  publishDiagnostics(store)
  unsubscribe(QUERY_CHANNEL, onQuery)
  unsubscribe(COMMIT_CHANNEL, onCommit)
  const before = at
  store.Note.query('size > 1')
  store.Note.insert({ text: 'z' })
  expect(at).toBe(before)
})

test('a value that is not a store and an unknown option are refused', () => {
  expect(() => publishDiagnostics({} as never)).toThrow('store')
  expect(() => publishDiagnostics(store, { queryText: 'no' as never })).toThrow('queryText')
})
