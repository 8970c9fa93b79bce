import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler, type RestOptions, toNodeHandler } from '@entia/rest'
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import { connect } from '../src/connect.ts'
import type { LiveEvent } from '../src/live.ts'
import { RemoteError } from '../src/remote-error.ts'
import { createCompany } from './company.ts'

type Store = ReturnType<typeof createCompany>
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await stop(server)
})

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

/** Serves a store on a port; 0 picks a free one. */
async function serve(
  store: Store,
  port = 0,
  options: RestOptions = { live: true },
  heartbeat = 3600,
) {
  const rest = createRestHandler(store, options)
  const ids: (string | undefined)[] = []
  const handler = toNodeHandler(rest)
  const server = createServer((request, response) => {
    if (request.url?.includes('$live') === true)
      ids.push(request.headers['last-event-id'] as string | undefined)
    // Shorten the reconnect delay, so that the test does not wait.
    const write = response.write.bind(response)
    response.write = ((text: unknown) =>
      write(
        String(text)
          .replace('retry: 2000', 'retry: 10')
          .replace('heartbeat 3600', `heartbeat ${heartbeat}`),
      )) as typeof response.write
    void handler(request, response)
  })
  servers.push(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, ids, rest, port: (server.address() as AddressInfo).port }
}
const open = (port: number) => connect<Store>(`http://127.0.0.1:${port}/rest`)

/** A short form of an event, for comparisons. */
function brief<K>(event: LiveEvent<unknown, K> | undefined): unknown {
  if (event === undefined) return undefined
  if (event.kind === 'initial') return ['initial', [...event.entities.keys()]]
  return ['delta', [...event.entered.keys()], [...event.changed.keys()], event.left, event.order]
}

test('live() yields the selection and its changes until it is aborted', async () => {
  const store = createCompany()
  const { port, rest } = await serve(store, 0, { live: { maxStreams: 1 } })
  const abort = new AbortController()
  const remote = open(port)
  const events = remote.Employee.query`salary > ${24_800}`
    .orderBy('salary desc')
    .live({ signal: abort.signal })
  const next = async () => (await events.next()).value ?? undefined
  const first = await next()
  expect(brief(first)).toEqual(['initial', [250]])
  if (first?.kind !== 'initial') throw new Error('the first event is not `initial`')
  expectTypeOf(first.entities.get(1)?.salary).toEqualTypeOf<number | null | undefined>()
  expect([first.plan, first.entities.get(250)?.lastName]).toEqual(['incremental', 'N249'])
  store.Employee.update(1, { salary: 30_000 })
  const delta = await next()
  expect(brief(delta)).toEqual(['delta', [1], [], [], null])
  expect(delta?.kind === 'delta' && delta.entered.get(1)?.employer).toEqual({ key: 1 })
  store.Employee.remove(250)
  expect(brief(await next())).toEqual(['delta', [], [], [250], null])
  const last = events.next()
  abort.abort()
  expect(await last).toEqual({ done: true, value: undefined })
  const all = remote.Employee.all()
    .select('lastName')
    .live({ page: { skip: 0, top: 2 } })
  await expect
    .poll(async () => (await rest.handle({ method: 'HEAD', url: '/rest/Code?$live=true' })).status)
    .toBe(200)
  for await (const event of all) {
    expect(brief(event)).toEqual(['initial', [1, 2]])
    expect(event.kind === 'initial' && event.entities.get(2)).toEqual({ lastName: 'N001' })
    break
  }
  await expect
    .poll(async () => (await rest.handle({ method: 'HEAD', url: '/rest/Code?$live=true' })).status)
    .toBe(200)
})

test('return ends an iteration at once, while it waits for a change or for its stream', async () => {
  const { port } = await serve(createCompany())
  const end = { done: true, value: undefined }
  for (const first of [true, false]) {
    const events = open(port).Employee.all().live()
    if (first) await events.next()
    const waiting = events.next()
    expect(await events.return()).toEqual(end)
    expect(await waiting).toEqual(end)
  }
})

test('a lost connection resumes after the last event; a restarted server sends the whole selection', async () => {
  const store = createCompany()
  const { server, port, ids } = await serve(store)
  const abort = new AbortController()
  const connections: boolean[] = []
  const onConnection = (isConnected: boolean) => void connections.push(isConnected)
  const events = open(port).Code.all().live({ signal: abort.signal, onConnection })
  const next = async () => brief((await events.next()).value ?? undefined)
  store.Code.insert({ code: 'a' })
  expect(await next()).toEqual(['initial', ['a']])
  server.closeAllConnections()
  store.Code.insert({ code: 'b' })
  expect(await next()).toEqual(['delta', ['b'], [], [], null])
  expect(ids).toEqual([undefined, `2-${store.id}`.replace('2-', `${store.globalStamp - 1}-`)])
  const pending = next()
  await stop(server)
  const other = createCompany()
  for (const code of ['x', 'y']) other.Code.insert({ code })
  await new Promise((resolve) => setTimeout(resolve, 100))
  const again = await serve(other, port)
  expect(await pending).toEqual(['initial', ['x', 'y']])
  expect(again.ids).toEqual([`${store.globalStamp}-${store.id}`])
  other.Code.remove('x')
  expect(await next()).toEqual(['delta', [], [], ['x'], null])
  abort.abort()
  expect(connections.slice(0, 4)).toEqual([true, false, true, false])
  expect(connections.at(-1)).toBe(true)
})

test('a lost connection is opened again when the server answers another request, once in vain', async () => {
  const store = createCompany()
  const rest = createRestHandler(store, { live: true })
  let isDown = false
  let hasStreams = true
  let attempts = 0
  const fetch = async (request: Request): Promise<Response> => {
    if (isDown) throw new TypeError('down')
    if (!request.url.includes('$live')) return rest.fetch(request)
    attempts++
    return hasStreams ? rest.fetch(request) : new Response('no streams', { status: 503 })
  }
  const remote = connect<Store>('http://company.test/rest', { fetch })
  const states: boolean[] = []
  const onConnection = (isConnected: boolean) => void states.push(isConnected)
  const events = remote.Code.all().live({ onConnection })
  expect(brief((await events.next()).value ?? undefined)).toEqual(['initial', []])
  // Pauses do not end by themselves.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const lose = async (): Promise<void> => {
      isDown = true
      states.length = 0
      rest.endStreams()
      await vi.waitUntil(() => states.length > 0, { timeout: 60_000 })
      isDown = false
    }
    const pending = events.next()
    await lose()
    expect([attempts, states]).toEqual([1, [false]])
    await remote.Code.insert({ code: 'a' })
    expect(brief((await pending).value ?? undefined)).toEqual(['delta', ['a'], [], [], null])
    expect(attempts).toBe(2)
    const other = events.next()
    await lose()
    hasStreams = false
    for (const code of ['b', 'c', 'd']) await remote.Code.insert({ code })
    expect(attempts).toBe(3)
    hasStreams = true
    await vi.runAllTimersAsync()
    expect(brief((await other).value ?? undefined)).toEqual([
      'delta',
      ['b', 'c', 'd'],
      [],
      [],
      null,
    ])
  } finally {
    vi.useRealTimers()
    await events.return()
  }
})

test('liveIdentity tells which selections follow the same result, without a request', () => {
  const [first, other] = [open(1), open(1)]
  const rich = (remote: typeof first, salary: number) => remote.Employee.query`salary > ${salary}`
  const identity = rich(first, 5).orderBy('lastName').liveIdentity()
  expect(identity.origin).toBe(first)
  expect(rich(first, 5).orderBy('lastName').liveIdentity()).toEqual(identity)
  expect(rich(other, 5).orderBy('lastName').liveIdentity().origin).not.toBe(first)
  const texts = [
    identity.text,
    rich(first, 6).orderBy('lastName').liveIdentity().text,
    rich(first, 5).liveIdentity().text,
    rich(first, 5).orderBy('lastName').select('lastName').liveIdentity().text,
    first.Company.all().liveIdentity().text,
  ]
  expect(new Set(texts).size).toBe(texts.length)
})

test('live() throws if the first attempt gets no answer, and for every refusal', async () => {
  const store = createCompany()
  const { port, server } = await serve(store, 0, {})
  await expect(open(port).Employee.all().live().next()).rejects.toMatchObject({
    status: 400,
    errCode: 1813,
  })
  await stop(server)
  const unanswered = open(port).Employee.all().live().next()
  await expect(unanswered).rejects.toBeInstanceOf(RemoteError)
  await expect(unanswered).rejects.toMatchObject({ status: 0 })
  const stopped = open(port).Employee.all().live({ signal: AbortSignal.abort() })
  expect(await stopped.next()).toEqual({ done: true, value: undefined })
})

test('live() reconnects to a server that stays silent', async () => {
  const store = createCompany()
  const { port, ids } = await serve(store)
  const abort = new AbortController()
  const events = open(port).Code.all().live({ signal: abort.signal, silenceMilliseconds: 30 })
  await events.next()
  const pending = events.next()
  await expect.poll(() => ids.length).toBeGreaterThan(2)
  store.Code.insert({ code: 'late' })
  expect(brief((await pending).value ?? undefined)).toEqual(['delta', ['late'], [], [], null])
  abort.abort()
})

test('live() reconnects after two and a half missed heartbeats of the server', async () => {
  const store = createCompany()
  const { port, ids } = await serve(store, 0, { live: { heartbeatSeconds: 3600 } }, 0.02)
  const abort = new AbortController()
  const events = open(port).Code.all().live({ signal: abort.signal })
  await events.next()
  void events.next()
  await expect.poll(() => ids.length).toBeGreaterThan(2)
  abort.abort()
})

test('live() reports a lost network at once, waits for it, and continues', async () => {
  const network = new EventTarget()
  vi.stubGlobal('addEventListener', network.addEventListener.bind(network))
  vi.stubGlobal('removeEventListener', network.removeEventListener.bind(network))
  const report = (name: string) => void network.dispatchEvent(new Event(name))
  const store = createCompany()
  const { port, ids } = await serve(store)
  const abort = new AbortController()
  const connections: boolean[] = []
  const onConnection = (isConnected: boolean) => void connections.push(isConnected)
  const events = open(port).Code.all().live({ signal: abort.signal, onConnection })
  await events.next()
  const pending = events.next()
  report('offline')
  await expect.poll(() => connections).toEqual([true, false])
  store.Code.insert({ code: 'a' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ids).toHaveLength(1)
  report('online')
  expect(brief((await pending).value ?? undefined)).toEqual(['delta', ['a'], [], [], null])
  expect([connections, ids.length]).toEqual([[true, false, true], 2])
  abort.abort()
  vi.unstubAllGlobals()
})

test('a first attempt that finds too many streams is made again', async () => {
  const store = createCompany()
  const { port, ids } = await serve(store, 0, { live: { maxStreams: 1 } })
  const [first, second] = [new AbortController(), new AbortController()]
  const remote = open(port)
  await remote.Code.all().live({ signal: first.signal }).next()
  const pending = remote.Code.all().live({ signal: second.signal }).next()
  await expect.poll(() => ids.length).toBe(2)
  first.abort()
  expect(brief((await pending).value ?? undefined)).toEqual(['initial', []])
  second.abort()
})

test('a projection is followed with its related values, typed', async () => {
  const store = createCompany()
  const { port } = await serve(store)
  const abort = new AbortController()
  const shown = open(port).Employee.query`ID < ${3}`.select('lastName, employer.name')
  const events = shown.live({ signal: abort.signal })
  const first = (await events.next()).value
  expect(first?.kind === 'initial' && [...first.entities.values()]).toEqual([
    { lastName: 'N000', employer: { name: 'Acme' } },
    { lastName: 'N001', employer: { name: 'Éclair "& Co"' } },
  ])
  store.Company.update(1, { name: 'Apex' })
  const renamed = (await events.next()).value
  if (renamed?.kind !== 'delta') throw new Error(`${renamed?.kind} in place of a delta`)
  const one = renamed.changed.get(1)
  expectTypeOf(one?.employer).toEqualTypeOf<{ readonly name: string } | null | undefined>()
  expect([one, renamed.changed.size]).toEqual([{ lastName: 'N000', employer: { name: 'Apex' } }, 1])
  abort.abort()
})
