import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { afterEach, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'

const ID = 'a-stream-that-cannot-be-guessed'
const users: Record<string, boolean> = {}
const store = createDataStore({
  name: 'notes',
  dataClasses: [
    defineDataClass('Note', {
      ID: attribute.long({ key: true }),
      owner: attribute.string(),
    }),
  ],
})
store.Note.load([
  { ID: 1, owner: 'ann' },
  { ID: 2, owner: 'bob' },
])
const rest = createRestHandler(store, {
  live: { heartbeatSeconds: 1 },
  identify: (request) => {
    const name = request.header('authorization')
    return name !== null && users[name] !== false ? { ID: name, userName: name, groups: [] } : null
  },
  authorize: ({ user }) =>
    user === null ? false : { filter: 'owner = :1', parameters: [user.ID] },
})
afterEach(() => {
  rest.endStreams()
  for (const name of Object.keys(users)) delete users[name]
})

const ask = (method: string, path: string, user: string | null, sharing?: string) =>
  rest.fetch(
    new Request(`http://x.example/rest/${path}`, {
      method,
      headers: {
        ...(user === null ? {} : { authorization: user }),
        ...(sharing === undefined ? {} : { 'live-stream': sharing }),
      },
    }),
  )
const follow = (user: string, sharing: string, path = 'Note?$live=true') =>
  ask('GET', path, user, sharing)

/** Opens a stream; the function returns what arrived until a text arrives. */
async function open(user: string) {
  const response = await follow(user, `${ID} 0`)
  expect([response.status, response.headers.get('live-stream')]).toEqual([200, ID])
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let all = ''
  return async (text: string): Promise<string> => {
    while (!all.includes(text)) {
      const { value, done } = await reader.read()
      if (done) return `${all}(end)`
      all += decoder.decode(value)
    }
    return all
  }
}

test('a query that is added to a stream has its number in each event, and ends alone', async () => {
  const until = await open('ann')
  expect(await until('"owner":"ann"')).toMatch(/^retry: 2000\n: heartbeat 1\n\nevent: initial/)
  const added = await follow('ann', `${ID} 7`, 'Note?$filter="ID=1"&$live=true')
  expect([added.status, await added.json()]).toEqual([202, { added: true }])
  expect(await until('query: 7')).toContain('query: 7\nevent: initial\n')
  expect((await ask('DELETE', `$live/${ID}/7`, 'ann')).status).toBe(200)
  expect(await until('event: end')).toContain('query: 7\nevent: end\n')
  store.Note.insert({ ID: 9, owner: 'ann' })
  expect(await until('event: delta')).not.toContain('query: 7\nevent: delta')
  await ask('DELETE', `$live/${ID}/0`, 'ann')
  expect(await until('never')).toContain('(end)')
})

test('a query sees what its own request may see, and never enters the stream of another user', async () => {
  const until = await open('ann')
  const foreign = await follow('bob', `${ID} 1`)
  expect([foreign.status, await foreign.text()]).toEqual([404, expect.stringContaining('9167')])
  expect((await follow('bob', `${ID} 0`)).status).toBe(400)
  await ask('DELETE', `$live/${ID}/0`, 'bob')
  store.Note.insert({ ID: 3, owner: 'bob' })
  store.Note.insert({ ID: 4, owner: 'ann' })
  const text = await until('event: delta')
  expect(text).not.toContain('bob')
  // The caller of each query is checked with every heartbeat.
  await follow('ann', `${ID} 1`)
  users.ann = false
  expect((await until('never')).endsWith('(end)')).toBe(true)
})

test('a query waits a moment for its stream, and an unknown one and a wrong header are refused', async () => {
  const early = follow('ann', `${ID} 1 opening`)
  const until = await open('ann')
  expect((await early).status).toBe(202)
  expect(await until('query: 1')).toContain('query: 1\nevent: initial')
  // A removal may overtake the request.
  await ask('DELETE', `$live/${ID}/2`, 'ann')
  expect((await follow('ann', `${ID} 2`)).status).toBe(202)
  expect((await follow('ann', 'another-stream-without-owner 1 opening')).status).toBe(404)
  expect((await follow('ann', 'another-stream-without-owner 1')).status).toBe(404)
  for (const wrong of ['x', `${ID}`, `${ID} -1`, `short 1`, `${ID} 1 2`])
    expect((await follow('ann', wrong)).status).toBe(400)
  expect((await ask('GET', `$live/${ID}/1`, 'ann')).status).toBe(405)
  expect((await ask('DELETE', `$live/${ID}`, 'ann')).status).toBe(404)
})
