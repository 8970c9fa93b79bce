import { expect, test } from 'vitest'
import { attribute, createDataStore, createMedia, defineDataClass } from '../../src/index.ts'
import { Watch, type WatchedQuery } from '../../src/query/watch.ts'
import { watchOf } from '../../src/store/capability/live-queries.ts'
import { checksum } from '../../src/store/dump/line-writer.ts'

/** A clock that advances by ten at each reading and does not start at 0. */
function steps() {
  let now = 1000
  return { now: () => 1_700_000_000_000, monotonic: () => (now += 10) }
}

test('a query is reported with its count and duration, or with its error', () => {
  const watch = new Watch(steps())
  const notices: WatchedQuery[] = []
  const commits: number[] = []
  const watcher = {
    observesQueries: true,
    observesCommits: true,
    query: (query: WatchedQuery) => void notices.push(query),
    commit: (_: unknown, milliseconds: number) => void commits.push(milliseconds),
  }
  const found = watch.query(watcher, 'Note', 'n = :1', () => ({ count: 3 }))
  expect(found).toEqual({ count: 3 })
  const failure = new Error('x')
  expect(() =>
    watch.query(watcher, 'Note', 'n', () => {
      throw failure
    }),
  ).toThrow(failure)
  expect(notices).toEqual([
    { dataClass: 'Note', filter: 'n = :1', count: 3, milliseconds: 10, error: null },
    { dataClass: 'Note', filter: 'n', count: null, milliseconds: 10, error: failure },
  ])

  watch.begin()
  watch.end(null as never)?.()
  expect(commits).toEqual([])
  watch.watcher = watcher
  watch.begin()
  watch.end(null as never)?.()
  expect(commits).toEqual([10])
  watch.watcher = { ...watcher, observesCommits: false }
  watch.begin()
  watch.end(null as never)?.()
  expect(commits).toEqual([10])
})

test('the watcher of a store gets its queries and commits until it is removed', () => {
  const Plain = defineDataClass('Plain', { ID: attribute.long({ key: true }), n: attribute.long() })
  const store = createDataStore({ name: 'plain', dataClasses: [Plain], clock: steps() })
  const watch = watchOf(store)
  const notices: string[] = []
  watch.watcher = {
    observesQueries: true,
    observesCommits: true,
    query: ({ dataClass, filter, count }) => void notices.push(`${dataClass}: ${filter}: ${count}`),
    commit: ({ changes }) => void notices.push(`${changes.length} changed`),
  }
  store.Plain.insert({ ID: 1, n: 1 })
  expect(store.Plain.query('n = :1', [1]).count).toBe(1)
  expect(() => store.Plain.query('m = 1')).toThrow('m')
  expect(notices).toEqual(['1 changed', 'Plain: n = :1: 1', 'Plain: m = 1: null'])
  watch.watcher = { ...watch.watcher, observesQueries: false }
  store.Plain.query('n = 1')
  watch.watcher = null
  store.Plain.update(1, { n: 2 })
  expect(store.Plain.query('n = 2').count).toBe(1)
  expect(notices).toHaveLength(3)
  expect(() => watchOf({})).toThrow()
})

test('the checksum is that of zip files, for one piece or several', () => {
  const bytes = new TextEncoder().encode('123456789')
  expect(checksum(bytes)).toBe('cbf43926')
  expect(checksum(bytes.subarray(0, 4), bytes.subarray(4))).toBe('cbf43926')
  expect(checksum()).toBe('00000000')
  expect(checksum(new Uint8Array([0]))).toBe('d202ef8d')
})

test('async bodies, invalid selections and too large uploads are named', () => {
  const Plain = defineDataClass('Plain', { ID: attribute.long({ key: true }) })
  const store = createDataStore({ name: 'plain', dataClasses: [Plain], uploads: { maxBytes: 3 } })
  const waiting = (async () => {}) as never
  expect(() => store.as(null, waiting)).toThrow('The body of as')
  expect(() => store.transact(() => store.transact(waiting))).toThrow('The body of a transaction')
  expect(() => store.entitySets.create('x' as never)).toThrow('a selection of this store')
  expect(() => store.entitySets.create(store.Plain.all(), { id: '7' } as never)).toThrow('The id')
  expect(store.uploads.put(createMedia('a/b', new Uint8Array(3)))).toMatch(/^[0-9A-F]{32}$/i)
  expect(() => store.uploads.put(createMedia('a/b', new Uint8Array(4)))).toThrow(
    'bytes of an upload',
  )
})
