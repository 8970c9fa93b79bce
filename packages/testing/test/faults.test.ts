import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { setupServer } from 'msw/node'
import { expect, test } from 'vitest'
import { type Fault, withFaults } from '../src/faults/with-faults.ts'
import { handlersOf } from '../src/msw.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})
function open(faults: readonly Fault[], seed = 1) {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  store.Note.insert({ text: 'a' })
  const slept: number[] = []
  const sleep = async (milliseconds: number): Promise<void> => void slept.push(milliseconds)
  const rest = withFaults(createRestHandler(store), { faults, seed, sleep })
  const ask = (method = 'GET', path = 'Note', body?: string) =>
    rest.fetch(
      new Request(`http://x/rest/${path}`, { method, ...(body === undefined ? {} : { body }) }),
    )
  return { store, rest, slept, ask }
}

test('without faults the handler is unchanged', async () => {
  const { ask, store } = open([])
  const plain = createRestHandler(store)
  expect(await (await ask()).json()).toEqual(
    await (await plain.fetch(new Request('http://x/rest/Note'))).json(),
  )
})

test('the seed decides which requests fail', async () => {
  const statuses = async (seed: number): Promise<number[]> => {
    const { ask } = open([{ rate: 0.3, failure: 'unavailable' }], seed)
    return Promise.all(Array.from({ length: 100 }, async () => (await ask()).status))
  }
  const first = await statuses(1)
  expect(first.filter((status) => status === 500).length).toBeGreaterThan(15)
  expect(first.filter((status) => status === 500).length).toBeLessThan(45)
  expect(await statuses(1)).toEqual(first)
  expect(await statuses(2)).not.toEqual(first)
})

test('a failure has the form of the interface, and the request is not executed', async () => {
  const { ask, store } = open([
    { when: ({ method }) => method === 'POST', failure: 'tooManyRequests' },
  ])
  const answer = await ask('POST', 'Note?$method=update', '{"text":"b"}')
  expect(answer.status).toBe(429)
  expect(
    ((await answer.json()) as { __ERROR: { message: string }[] }).__ERROR[0]?.message,
  ).toContain('many')
  expect(store.Note.count).toBe(1)
  expect((await ask()).status).toBe(200)
})

test('a fault can reply with any error of the store; a network failure has no reply', async () => {
  const { ask } = open([{ failure: new EntiaError('entitySetNotFound', { id: 'X' }) }])
  expect((await ask()).status).toBe(404)
  const { ask: askNobody, rest } = open([{ failure: 'network' }])
  await expect(askNobody()).rejects.toThrow('fetch failed')
  await expect(rest.handle({ method: 'GET', url: '/rest/Note' })).rejects.toThrow('fetch failed')
})

test('`before` causes a real stamp conflict', async () => {
  let save = (): void => {}
  const { ask, store } = open([{ when: ({ method }) => method === 'POST', before: () => save() }])
  save = () => void store.Note.update(1, { text: 'theirs' })
  const answer = await ask('POST', 'Note?$method=update', '{"__KEY":"1","__STAMP":1,"text":"ours"}')
  expect(answer.status).toBe(409)
  expect(store.Note.get(1)?.text).toBe('theirs')
})

test('the delay is within its range, and precedes the reply', async () => {
  const { ask, slept } = open([{ latency: ['50ms', '0.3s'] }, { latency: 7, rate: 0 }])
  for (let i = 0; i < 20; i++) await ask()
  expect(slept).toHaveLength(20)
  expect(slept.every((milliseconds) => milliseconds >= 50 && milliseconds <= 300)).toBe(true)
  expect(new Set(slept).size).toBeGreaterThan(5)
})

test.each([
  [{ rat: 0.1 }, 'one of rate, when, latency, before, failure, not "rat"'],
  [{ rate: 5 }, 'a number from 0 to 1, not the number 5'],
  [{ rate: '5 %' }, 'a number from 0 to 1, not the text "5 %"'],
  [{ latency: '5 minutes' }, 'not "5 minutes"'],
  [{ latency: ['1s', 'x'] }, 'not "x"'],
  [{ failure: 'unavailible' }, 'one of unavailable, tooManyRequests, network, not the text'],
])('the fault %j is refused before any request', (fault, message) => {
  expect(() => open([fault as Fault])).toThrow(message)
})

test('MSW handlers serve the store with its faults, and pass other addresses through', async () => {
  const { rest, store } = open([
    { when: ({ url }) => url.includes('Note(1)'), failure: 'unavailable' },
  ])
  const server = setupServer(...handlersOf(rest, { origin: 'https://api.example' }))
  server.listen({ onUnhandledRequest: 'error' })
  try {
    expect(
      await (await fetch('https://api.example/rest/Note?$filter="text=a"')).json(),
    ).toMatchObject({ __COUNT: 1 })
    expect((await fetch('https://api.example/rest/Note(1)')).status).toBe(500)
    await expect(fetch('https://other.example/rest/Note')).rejects.toThrow()
    await expect(fetch('https://api.example/restaurant')).rejects.toThrow()
  } finally {
    server.close()
  }
  const plain = setupServer(...handlersOf(store, { basePath: '/data', plain: true }))
  plain.listen()
  try {
    expect(await (await fetch('http://anywhere.example/data/Note')).json()).toMatchObject({
      __COUNT: 1,
    })
    const notes = 'http://anywhere.example/Note'
    expect(await (await fetch(`${notes}?text=a`)).json()).toMatchObject([{ text: 'a' }])
    expect((await fetch(`${notes}/1`, { method: 'PATCH', body: '{"text":"b"}' })).status).toBe(200)
    expect((await fetch(notes, { method: 'OPTIONS' })).status).toBe(204)
  } finally {
    plain.close()
  }
})
