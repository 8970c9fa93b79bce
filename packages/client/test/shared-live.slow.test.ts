import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler, type RestHandler, type RestOptions, toNodeHandler } from '@entia/rest'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { connect } from '../src/connect.ts'
import { createCompany } from './company.ts'

type Store = ReturnType<typeof createCompany>
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

interface Setting {
  readonly options?: RestOptions
  /** The handler of each request, as behind a load balancer. */
  readonly route?: (handlers: readonly RestHandler[]) => RestHandler
  /** Called before a request is handled. */
  readonly before?: (url: string) => Promise<void>
  /** A server of an earlier version. */
  readonly isOld?: boolean
}

/** Serves a store with real HTTP. */
async function serve(store: Store, { options = {}, route, before, isOld }: Setting = {}) {
  const limits = { maxStreamsPerSession: 100, ...(options.live as object) }
  const handlers = [0, 1].map(() => createRestHandler(store, { ...options, live: limits }))
  const nodes = new Map(handlers.map((rest) => [rest, toNodeHandler(rest)]))
  const streams = new Set<ServerResponse>()
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (isOld === true) delete request.headers['live-stream']
    const write = response.write.bind(response)
    response.write = ((text: unknown) => {
      if (request.url?.includes('$live') === true && response.statusCode === 200) {
        streams.add(response)
        response.on('close', () => streams.delete(response))
      }
      return write(String(text).replace('retry: 2000', 'retry: 5'))
    }) as typeof response.write
    await before?.(request.url ?? '')
    await nodes.get(route?.(handlers) ?? handlers[0]!)!(request, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    requests,
    open: () => connect<Store>(`http://127.0.0.1:${port}/rest`),
    /** Event streams that are open. */
    streams: () => streams.size,
    cut: () => {
      for (const response of streams) response.destroy()
    },
    handlers,
  }
}

/** Follows the codes that begin with a letter; `shown` has what it knows. */
function follow(remote: ReturnType<typeof connect<Store>>, letter: string) {
  const abort = new AbortController()
  const shown = new Set<string>()
  let error: unknown = null
  let events = 0
  const done = (async () => {
    const selection = remote.Code.query`code begin ${letter}`
    for await (const event of selection.live({ signal: abort.signal })) {
      events++
      if (event.kind === 'initial') shown.clear()
      else for (const key of event.left) shown.delete(String(key))
      const fresh = event.kind === 'initial' ? event.entities : event.entered
      for (const key of fresh.keys()) shown.add(String(key))
    }
  })().catch((thrown: unknown) => {
    error = thrown
  })
  return {
    letter,
    shown,
    done,
    abort: () => abort.abort(),
    error: () => error,
    events: () => events,
  }
}
type Following = ReturnType<typeof follow>

const codesOf = (store: Store, letter: string) =>
  store.Code.query('code begin :1', [letter])
    .toArray()
    .map(({ code }) => code)
    .sort()
const areCurrent = (store: Store, all: readonly Following[]) =>
  expect
    .poll(() => all.map(({ letter, shown }) => [letter, [...shown].sort()]))
    .toEqual(all.map(({ letter }) => [letter, codesOf(store, letter)]))

async function end(all: readonly Following[], streams: () => number): Promise<void> {
  for (const one of all) one.abort()
  await Promise.all(all.map(({ done }) => done))
  expect(all.map(({ error }) => error())).toEqual(all.map(() => null))
  await expect.poll(streams).toBe(0)
}

const LETTERS = [...'abcdefghij']

test('ten live queries share one connection, also after it was cut, and saves do not wait', async () => {
  const store = createCompany()
  const { open, streams, cut, requests } = await serve(store)
  const remote = open()
  const all = LETTERS.map((letter) => follow(remote, letter))
  await expect.poll(() => all.every(({ events }) => events() > 0)).toBe(true)
  expect(streams()).toBe(1)
  for (const letter of LETTERS) await remote.Code.insert({ code: `${letter}1` })
  await areCurrent(store, all)
  cut()
  store.Code.insert({ code: 'a2' })
  store.Code.remove('b1')
  await areCurrent(store, all)
  await expect.poll(streams).toBe(1)
  // The end of the query that opened the stream leaves the others.
  all[0]!.abort()
  store.Code.insert({ code: 'c2' })
  await areCurrent(store, all.slice(1))
  expect(requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1)
  await end(all, streams)
})

test('each query is followed whatever is opened, ended, written and cut, in any order', async () => {
  const step = fc.record({
    kind: fc.constantFrom('open', 'open', 'end', 'write', 'write', 'cut'),
    at: fc.nat(9),
    wait: fc.constantFrom(0, 0, 1, 4),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const store = createCompany()
      const { open, streams, cut } = await serve(store)
      const remote = open()
      let all: Following[] = []
      for (const [i, { kind, at, wait }] of steps.entries()) {
        const letter = LETTERS[at]!
        if (kind === 'open') all.push(follow(remote, letter))
        else if (kind === 'write') store.Code.insert({ code: `${letter}${i}` })
        else if (kind === 'cut') cut()
        else if (all.length > 0) {
          const [one] = all.splice(at % all.length, 1)
          one!.abort()
          await one!.done
          expect(one!.error()).toBe(null)
        }
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      }
      await areCurrent(store, all)
      expect(streams()).toBeLessThanOrEqual(1)
      await end(all, streams)
      all = []
    }),
    runs(12),
  )
})

test('behind a load balancer without affinity, and with an earlier server, each query works', async () => {
  const store = createCompany()
  let turn = 0
  const balanced = await serve(store, { route: (handlers) => handlers[turn++ % 2]! })
  const old = await serve(store, { isOld: true })
  for (const { open, streams } of [balanced, old]) {
    const remote = open()
    const all = LETTERS.slice(0, 4).map((letter) => follow(remote, letter))
    await expect.poll(() => all.every(({ events }) => events() > 0)).toBe(true)
    store.Code.insert({ code: `a${turn}` })
    store.Code.insert({ code: `d${turn}` })
    await areCurrent(store, all)
    await end(all, streams)
  }
})

test('a refused first query does not disturb the others, and a slow one is not waited for', async () => {
  const store = createCompany()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { open, streams } = await serve(store, {
    before: (url) => (url.includes('slow') ? held : Promise.resolve()),
  })
  const remote = open()
  const refused = remote.Code.query`cod = ${'x'}`.live()
  const failed = expect(refused.next()).rejects.toMatchObject({ status: 400 })
  const all = ['a', 'b', 'slow', 'c'].map((letter) => follow(remote, letter))
  await failed
  const [a, b, , c] = all
  await expect.poll(() => [a, b, c].every((one) => one!.events() > 0)).toBe(true)
  release()
  store.Code.insert({ code: 'slow1' })
  await areCurrent(store, all)
  expect(streams()).toBe(1)
  await end(all, streams)
})
