import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { expect, test } from 'vitest'
import { createRestHandler, type RestOptions } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get, post, send } from './send.ts'

const nextTick = () => new Promise((resolve) => setImmediate(resolve))

/** A handler whose `durable` resolves when the test calls `keepAll`. */
function heldHr(options: RestOptions = {}) {
  const store = createHr()
  const waiting: (() => void)[] = []
  const durable = () => new Promise<void>((resolve) => void waiting.push(resolve))
  const rest = createRestHandler(store, { ...options, durable })
  const keepAll = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  /** True when the answer is there before the commits are durable. */
  const isEarly = async (answer: Promise<unknown>): Promise<boolean> => {
    let isAnswered = false
    void answer.then(() => (isAnswered = true))
    for (let i = 0; i < 5; i++) await nextTick()
    return isAnswered
  }
  return { store, rest, keepAll, isEarly }
}

test('an answer to a change waits until the change is durable', async () => {
  const { store, rest, keepAll, isEarly } = heldHr()
  const answer = post(rest, '/rest/Company', { name: 'New' })
  expect(await isEarly(answer)).toBe(false)
  expect(store.Company.query('name = New').count).toBe(1)
  keepAll()
  expect((await answer).status).toBe(200)
})

const readers = [
  { what: 'an entity', path: 'Company(1)', status: 200 },
  { what: 'a page', path: 'Company?$top=1', status: 200 },
  { what: 'a deletion that is refused', method: 'DELETE', path: 'Company(1)', status: 409 },
  { what: 'an entity that does not exist', path: 'Company(99)', status: 404 },
  { what: 'an aggregate', path: 'Employee/salary?$compute=sum', status: 200 },
  { what: 'distinct values', path: 'Company/name?$distinct=true', status: 200 },
  { what: '$info', path: '$info', status: 200 },
  {
    what: 'an entity that is not modified',
    path: 'Company(1)',
    status: 304,
    headers: { 'if-none-match': '*' },
  },
  { what: 'HEAD', method: 'HEAD', path: 'Company(1)', status: 200 },
]
test.each(readers)(
  '$what: no answer shows a commit before it is durable, or waits if there is none',
  async (reader) => {
    const { path, status, method = 'GET', headers = {} } = reader
    const { store, rest, keepAll, isEarly } = heldHr()
    const read = () =>
      rest.handle({ method, url: `/rest/${path}`, headers: { host: 'localhost', ...headers } })
    const first = read()
    expect(await isEarly(first)).toBe(false)
    keepAll()
    expect((await first).status).toBe(status)
    if (method !== 'DELETE') expect(await isEarly(read())).toBe(true)
    store.Company.insert({ name: 'New' })
    const second = read()
    expect(await isEarly(second)).toBe(false)
    keepAll()
    await second
  },
)

test('a read that waits for nothing is answered without a promise', async () => {
  const { rest, keepAll } = heldHr()
  const first = get(rest, '/rest/Company')
  await nextTick()
  keepAll()
  await first
  const answer = rest.handle.handleSync?.({
    method: 'GET',
    url: '/rest/Company',
    headers: { host: 'localhost' },
  })
  expect(answer).toMatchObject({ status: 200 })
})

test('a live query shows a commit once it is durable, and ends if that fails', async () => {
  let fail = false
  let keep = (): void => undefined
  const failure = new Error('no space left on device')
  const reported: unknown[] = []
  const store = createHr()
  const durable = async () => {
    await new Promise<void>((resolve) => (keep = resolve))
    if (fail) throw failure
  }
  const rest = createRestHandler(store, {
    durable,
    live: true,
    onError: (error) => reported.push(error),
  })
  const opening = rest.handle({
    method: 'GET',
    url: '/rest/Company?$live=true',
    headers: { host: 'localhost' },
  })
  await nextTick()
  keep()
  const { stream } = await opening
  const texts = stream![Symbol.asyncIterator]()
  expect((await texts.next()).value).toContain('event: initial')
  const next = async () => {
    let isThere = false
    const text = texts.next().finally(() => (isThere = true))
    for (let i = 0; i < 5; i++) await nextTick()
    expect(isThere).toBe(false)
    return { text }
  }
  store.Company.insert({ name: 'First' })
  const first = await next()
  // It is sent with the next event: the first one is on its way already.
  store.Company.insert({ name: 'Second' })
  await nextTick()
  keep()
  expect((await first.text).value).toContain('First')
  const second = await next()
  keep()
  expect((await second.text).value).toContain('Second')
  fail = true
  store.Company.insert({ name: 'Lost' })
  const third = await next()
  keep()
  expect((await third.text).value).not.toContain('Lost')
  expect((await texts.next()).done).toBe(true)
  expect(reported).toHaveLength(1)
})

test('a live query ends at once when its client disconnects, also while it waits', async () => {
  const { store, rest, keepAll, isEarly } = heldHr({ live: true })
  const opening = rest.handle({
    method: 'GET',
    url: '/rest/Company?$live=true',
    headers: { host: 'localhost' },
  })
  await nextTick()
  keepAll()
  const texts = (await opening).stream![Symbol.asyncIterator]()
  await texts.next()
  store.Company.insert({ name: 'New' })
  const waiting = texts.next()
  expect(await isEarly(waiting)).toBe(false)
  await texts.return?.()
  expect((await waiting).done).toBe(true)
  keepAll()
})

test('a change that cannot be made durable gets 500, and the host is notified', async () => {
  const reported: unknown[] = []
  const failure = new Error('no space left on device')
  const rest = createRestHandler(createHr(), {
    durable: () => Promise.reject(failure),
    onError: (error) => reported.push(error),
  })
  const answer = await send(rest, 'DELETE', '/rest/Employee(4)')
  expect(answer.status).toBe(500)
  expect(answer.text).not.toContain('space')
  expect(reported).toEqual([failure])
})

test('the error of a change that failed after a commit also waits until the commit is durable', async () => {
  const Note = defineDataClass('Note', { ID: attribute.long({ key: true, autoSequence: true }) })
  const store = createDataStore({
    name: 'notes',
    dataClasses: [Note],
    functions: {
      write: {
        exposed: true,
        run: () => {
          store.dataClass('Note').insert({})
          throw new Error('too late')
        },
      },
    },
  }) as AnyDataStore
  const kept: number[] = []
  const rest = createRestHandler(store, {
    durable: async () => void kept.push(store.dataClass('Note').all().count),
  })
  expect((await post(rest, '/rest/$catalog/write')).status).toBe(500)
  expect(kept).toEqual([1])
})

test('a change after the journal was closed is not confirmed and not shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-'))
  try {
    const store = createHr()
    const journal = await openJournal(store, folder)
    const reported: unknown[] = []
    const rest = createRestHandler(store, {
      durable: () => journal.flush(),
      onError: (error) => reported.push(error),
    })
    expect((await post(rest, '/rest/Company', { name: 'Kept' })).status).toBe(200)
    await journal.close()
    expect((await post(rest, '/rest/Company', { name: 'Lost' })).status).toBe(500)
    expect(reported).toEqual([expect.objectContaining({ code: 'journalFailed' })])
    // A reader would see it.
    expect((await get(rest, '/rest/Company')).status).toBe(500)
  } finally {
    await rm(folder, { recursive: true })
  }
})
