import type { AnyDataStore } from '@entia/core'
import { expect, test } from 'vitest'
import {
  createRestHandler,
  openApiOf,
  type RestHandler,
  type RestOptions,
} from '../../src/index.ts'
import { createStaff } from '../http/staff.ts'
import { follow } from '../live/follow.ts'
import { servedLater } from './async-engine.ts'

type Staff = ReturnType<typeof createStaff>
type Exchange = (
  method: string,
  url: string,
  more?: { readonly as?: string; readonly body?: unknown; readonly headers?: object },
) => Promise<unknown>

/** Runs a scenario against a handler, and returns all that its clients received. */
async function transcriptOf(
  scenario: (send: Exchange, rest: RestHandler, staff: Staff) => Promise<unknown>,
  options: RestOptions,
  serve: (store: AnyDataStore) => Parameters<typeof createRestHandler>[0],
): Promise<readonly unknown[]> {
  const staff = createStaff({ idleSeconds: 600 })
  const transcript: unknown[] = []
  const onError = (error: unknown) => transcript.push(String(error))
  const rest = createRestHandler(serve(staff.store), { ...options, onError })
  const cookies = new Map<string, string>()
  const send: Exchange = async (method, url, { as = '', body, headers = {} } = {}) => {
    const cookie = cookies.get(as)
    const reply = await rest.handle({
      method,
      url,
      headers: { host: 'h', ...(cookie === undefined ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const given = reply.headers['set-cookie']?.split(';')[0]
    if (given !== undefined && as !== '') cookies.set(as, given)
    transcript.push([method, url, reply.status, reply.headers, String(reply.body)])
    return JSON.parse(String(reply.body) || 'null')
  }
  transcript.push(await scenario(send, rest, staff))
  transcript.push(staff.store.sessions.list(), staff.store.locks.size, staff.store.globalStamp)
  return transcript
}

const users = [
  { name: 'ada', password: 'a', groups: ['staff'] },
  { name: 'bob', password: 'b' },
]

const scenarios: readonly (readonly [
  what: string,
  options: RestOptions,
  scenario: Parameters<typeof transcriptOf>[0],
])[] = [
  [
    'logins, another user in the same browser, logouts',
    { users },
    async (send) => {
      const as = 'browser'
      await send('GET', '/rest/Person(1)?$lock=true', { as })
      await send('POST', '/rest/$directory/login', { as, body: ['ada', 'wrong'] })
      await send('POST', '/rest/$directory/login', { as, body: ['ada', 'a'] })
      await send('GET', '/rest/$directory/currentUser', { as })
      await send('GET', '/rest/Person(1)?$lock=true', { as: 'other' })
      await send('POST', '/rest/$directory/login', { as, body: ['bob', 'b'] })
      await send('GET', '/rest/$info', { as })
      await send('POST', '/rest/$directory/logout', { as })
      await send('GET', '/rest/$directory/currentUser', { as })
    },
  ],
  [
    'a refused request and a refused lock leave no session behind',
    { entitySets: { scope: 'session' } },
    async (send) => {
      await send('GET', '/rest/Person(1)?$lock=true', { as: 'holder' })
      await send('GET', '/rest/Person(1)?$lock=true')
      await send('GET', '/rest/Person(99)?$lock=true')
      await send('GET', '/rest/Person?$method=entityset&$filter="nobody = 1"')
      const id = 'F'.repeat(32)
      await send('GET', `/rest/Person/$entityset/${id}?$savedfilter="ID > 1"&$filter="nobody = 1"`)
    },
  ],
  [
    'entity sets that belong to a session, made, made again, combined and released',
    { entitySets: { scope: 'session' } },
    async (send) => {
      const as = 'maker'
      const made = (await send('GET', '/rest/Person?$method=entityset', { as })) as {
        readonly __ENTITYSET: string
      }
      const address = made.__ENTITYSET
      await send('GET', address, { as })
      await send('GET', address, { as: 'stranger' })
      const gone = `/rest/Person/$entityset/${'A'.repeat(32)}?$savedfilter="ID > 1"`
      await send('GET', `${gone}&$compute=$all&$attributes=ID`, { as })
      await send('GET', `${gone}&$method=entityset&$timeout=50`, { as })
      await send('GET', `${address}?$logicOperator=AND&$otherCollection=${'A'.repeat(32)}`, { as })
      await send('GET', '/rest/$info/entityset', { as })
      await send('GET', `${address}?$method=release`, { as })
      await send('GET', address, { as })
    },
  ],
  [
    'a batch with a failure, an atomic one, $refresh, deletions by filter and by set',
    {},
    async (send) => {
      const body = [{ name: 'New' }, { __KEY: '99', name: 'None' }, { __KEY: '1', name: 'One' }]
      await send('POST', '/rest/Person?$method=update', { body })
      await send('POST', '/rest/Person?$method=update&$atomic=true', { body })
      await send('POST', '/rest/Person?$method=update&$refresh=true', { body: body.slice(0, 1) })
      await send('POST', '/rest/Person?$method=delete&$filter="name = New"')
      const set = (await send('GET', '/rest/Person?$method=entityset')) as {
        readonly __ENTITYSET: string
      }
      await send('POST', `${set.__ENTITYSET}?$method=delete`)
      await send('GET', '/rest/Person')
    },
  ],
  [
    'functions, uploads, values, groups, plans, metrics and other addresses',
    { metrics: () => true, plain: true, openapi: true },
    async (send) => {
      await send('POST', '/rest/Person(1)/ping', { body: [] })
      await send('POST', '/rest/Person(99)/ping', { body: [] })
      await send('POST', '/rest/$catalog/other', { body: [] })
      await send('POST', '/rest/$upload?$binary=true', { body: 'text' })
      await send('GET', '/rest/Person/name?$distinct=true')
      await send('GET', '/rest/Person?$groupby=name')
      await send('GET', '/rest/Person?$filter="ID > 1"&$queryplan=true&$querypath=true')
      await send('GET', '/Person?ID_gte=2')
      await send('POST', '/Person', { body: { name: 'Plain' } })
      await send('GET', '/rest/$openapi')
      await send('GET', '/rest/$nothing')
    },
  ],
  [
    'callers whom the application identifies, with permissions',
    {
      identify: ({ header }) => (header('x-user') === null ? null : { ID: header('x-user')! }),
      authorize: ({ user }) => user !== null,
    },
    async (send) => {
      const headers = { 'x-user': 'ada' }
      await send('GET', '/rest/Person', { headers })
      await send('GET', '/rest/Person')
      await send('GET', '/rest/Person(1)?$lock=true', { headers })
      await send('POST', '/rest/Person?$method=update', { headers, body: { name: 'Hers' } })
      await send('POST', '/rest/$directory/logout', { headers })
    },
  ],
]

test.each(scenarios)(
  'an asynchronous engine gives the same answers as the local one: %s',
  async (_what, options, run) => {
    const expected = await transcriptOf(run, options, (store) => store)
    const found = await transcriptOf(run, options, servedLater)
    expect(found).toEqual(expected)
    expect(expected.length).toBeGreaterThan(6)
  },
)

/** The events of a client that connects, disconnects and reconnects, until its session ends. */
async function liveScenario(
  send: Exchange,
  rest: RestHandler,
  { store }: Staff,
): Promise<readonly unknown[]> {
  const session = store.sessions.open({})
  const headers = { cookie: `4DSID_staff_of_X=${session.token}` }
  const events: unknown[] = []
  const first = await follow(rest, '/rest/Person?$live=true&$filter="ID > 1"')
  events.push(await first.next())
  await send('POST', '/rest/Person?$method=update', { body: { name: 'Seen' } })
  const seen = await first.next()
  events.push(seen)
  await first.leave()
  await send('POST', '/rest/Person?$method=update', { body: { name: 'Missed' } })
  for (const id of [seen?.id ?? '', `999-${seen?.id.split('-')[1]}`, `1-${'0'.repeat(32)}`]) {
    const again = await follow(rest, '/rest/Person?$live=true&$filter="ID > 1"', {
      headers: { 'last-event-id': id },
    })
    events.push(again.status, await again.next())
    await again.leave()
  }
  const own = await follow(rest, '/rest/Person?$live=true', { headers })
  events.push(await own.next())
  await send('POST', '/rest/$directory/logout', { headers })
  await send('POST', '/rest/Person?$method=update', { body: { name: 'Secret' } })
  events.push(await own.next(), await own.next())
  return events
}

test('live queries of an asynchronous engine send the same events, and end with their session', async () => {
  const options = { live: true }
  const expected = await transcriptOf(liveScenario, options, (store) => store)
  expect(await transcriptOf(liveScenario, options, servedLater)).toEqual(expected)
  const events = expected.at(-4) as readonly unknown[]
  expect(JSON.stringify(events)).not.toContain('Secret')
  expect(events.slice(-2)).toMatchObject([{ name: 'end', data: { reason: 'session' } }, null])
})

test('an asynchronous engine answers after the option "durable" has settled', async () => {
  const { store } = createStaff()
  let flushes = 0
  const durable = async (): Promise<void> => void flushes++
  const rest = createRestHandler(servedLater(store), { durable })
  await rest.handle({ method: 'GET', url: '/rest/Person' })
  await rest.handle({ method: 'GET', url: '/rest/Person' })
  expect(flushes).toBe(2)
})

test('a store with its own engine needs a catalog and the engine, and describes itself', () => {
  const { store } = createStaff()
  const served = servedLater(store)
  expect(openApiOf(served)).toEqual(openApiOf(store))
  const { catalog: _, ...bare } = served
  expect(() => createRestHandler(bare as never)).toThrow('The store must be')
})
