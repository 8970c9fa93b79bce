import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createLocalEngine } from '@entia/engine'
import { afterEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler, toNodeHandler } from '../../src/index.ts'
import { AnswerBudget } from '../../src/transport/body/answer-budget.ts'
import { createHandlerOf } from '../../src/transport/handler/rest-handler.ts'

const KIB = 1024
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Pages of some kilobytes: 600 are more than a connection takes before its client reads. */
function createLibrary(kibibytes = 14, pages = 600) {
  const Page = defineDataClass('Page', {
    ID: attribute.long({ key: true }),
    text: attribute.string(),
    number: attribute.long(),
  })
  const store = createDataStore({ name: 'library', dataClasses: [Page] })
  store.Page.load(
    Array.from({ length: pages }, (_, at) => ({
      ID: at,
      text: `${at} é `.padEnd(kibibytes * KIB, 'x'),
      number: 0,
    })),
  )
  return store
}

async function listen(rest: RestHandler): Promise<number> {
  const server = createServer(toNodeHandler(rest))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const LONG = '/rest/Page?$top=600'

/** A client that requests a long page and reads nothing. */
function stall(port: number, path = LONG): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  closers.push(() => socket.destroy())
  return socket
}

async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isMet()); tries++) {
    if (tries > 200) throw new Error('The condition was not met.')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

test.each([LONG, '/Page?_limit=600'])(
  'clients that read nothing neither fill the memory nor keep others out: %s',
  async (path) => {
    const rest = createRestHandler(createLibrary(), {
      plain: { basePath: '' },
      limits: { maxPendingAnswerBytes: 20_000 * KIB },
    })
    const port = await listen(rest)
    const address = `http://127.0.0.1:${port}`
    const first = stall(port, path)
    await once(first, 'readable')
    for (let at = 0; at < 12; at++) stall(port, path)
    let refusal = ''
    await until(async () => {
      const response = await fetch(address + path)
      const text = await response.text()
      if (response.status === 503) refusal = `${response.headers.get('retry-after')} ${text}`
      return refusal !== ''
    })
    expect(refusal).toMatch(/^1 /)
    expect(refusal).toContain('limits.maxPendingAnswerBytes')
    expect((await fetch(`${address}/rest/Page(3)`)).status).toBe(200)
    expect((await fetch(`${address}/rest/Page?$top=9`)).status).toBe(200)
  },
)

test('an answer that does not fit is refused before it is read again', async () => {
  const engine = createLocalEngine(createLibrary())
  let reads = 0
  const readSelection: typeof engine.readSelection = (query, caller) => {
    reads++
    return engine.readSelection(query, caller)
  }
  const limits = { maxPendingAnswerBytes: 20_000 * KIB }
  const rest = createHandlerOf({ ...engine, readSelection }, { limits })
  const ask = (path: string) => rest.fetch(new Request(`http://x${path}`))
  const held = await ask(LONG)
  expect(held.status).toBe(200)
  expect((await ask(LONG)).status).toBe(503)
  expect(reads).toBe(2)
  for (let at = 0; at < 400; at++) expect((await ask(LONG)).status).toBe(503)
  expect(reads).toBe(2)
  expect((await ask('/rest/Page?$top=9')).status).toBe(200)
  expect((await ask('/rest/Page?$top=600&$attributes=ID')).status).toBe(200)
  await held.body!.cancel()
  const later = await ask(LONG)
  expect(later.status).toBe(200)
  await later.body!.cancel()
})

test('a connection that takes nothing is closed, and its space is free again', async () => {
  const limits = { maxPendingAnswerBytes: 20_000 * KIB, maxStalledAnswerSeconds: 1 }
  const port = await listen(createRestHandler(createLibrary(), { limits }))
  await once(stall(port), 'readable')
  await until(async () => {
    const response = await fetch(`http://127.0.0.1:${port}${LONG}`)
    await response.arrayBuffer()
    return response.status === 200
  })
})

test('a slow reader gets the same bytes as a fast one while entities change', async () => {
  const store = createLibrary()
  const rest = createRestHandler(store)
  const port = await listen(rest)
  const address = `http://127.0.0.1:${port}${LONG}`
  const fast = Buffer.from(await (await fetch(address)).arrayBuffer())
  const slow = connect(port, '127.0.0.1')
  closers.push(() => slow.destroy())
  slow.write(`GET ${LONG} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await once(slow, 'readable')
  const web = (await rest.fetch(new Request(address))).body!.getReader()
  const pieces: Uint8Array[] = []
  for (let at = 0; at < 20; at++) {
    store.Page.update(at * 20 + 1, { number: 7 })
    store.Page.remove(at * 20 + 2)
    pieces.push((await web.read()).value!)
  }
  for (let read = await web.read(); !read.done; read = await web.read()) pieces.push(read.value)
  expect(Buffer.concat(pieces).equals(fast)).toBe(true)
  const received = Buffer.concat(await slow.toArray())
  expect(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(fast)).toBe(true)
})

test('an answer to HEAD, a revalidated one and one of a host that reports nothing hold no space', async () => {
  const store = createLibrary(200, 10)
  const rest = createRestHandler(store, { limits: { maxPendingAnswerBytes: 500 * KIB } })
  for (let at = 0; at < 5; at++) {
    const url = 'http://x/rest/Page(5)'
    expect((await rest.handle({ method: 'GET', url })).status).toBe(200)
    expect((await rest.fetch(new Request(url, { method: 'HEAD' }))).status).toBe(200)
    const whole = await rest.fetch(new Request(url))
    const etag = whole.headers.get('etag')
    expect((await whole.text()).length).toBe(Number(whole.headers.get('content-length')) - 1)
    const headers = { 'if-none-match': etag! }
    expect((await rest.fetch(new Request(url, { headers }))).status).toBe(304)
    const cancelled = await rest.fetch(new Request(url))
    await cancelled.body!.cancel()
  }
})

test('the answer to a change is sent even if it exceeds the budget', async () => {
  const rest = createRestHandler(createLibrary(1), { limits: { maxPendingAnswerBytes: 1000 } })
  const body = JSON.stringify({ __KEY: '7', __STAMP: 1, text: 'y'.repeat(100 * KIB) })
  const request = new Request('http://x/rest/Page?$method=update', { method: 'POST', body })
  const response = await rest.fetch(request)
  expect(response.status).toBe(200)
  expect((await response.text()).length).toBeGreaterThan(100 * KIB)
})

describe('the budget of answers', () => {
  test('closes what takes nothing: late, or early if another answer needs the space', () => {
    let now = 0
    const ticks = new Set<() => void>()
    const budget = new AnswerBudget(
      { maxPendingAnswerBytes: 100, maxStalledAnswerSeconds: 60 },
      () => now,
      (_milliseconds, tick) => {
        ticks.add(tick)
        return () => void ticks.delete(tick)
      },
    )
    const closed: string[] = []
    const begin = (name: string, bytes: number) => {
      const hold = budget.begin(name, false)
      hold.grow(bytes)
      hold.sentBy(() => void closed.push(name))
      return hold
    }
    const first = begin('first', 60)
    begin('second', 40)
    now = 9_000
    expect(() => begin('third', 30)).toThrow('limits.maxPendingAnswerBytes')
    expect(() => budget.refuseKnown('third')).toThrow('limits.maxPendingAnswerBytes')
    budget.refuseKnown('another')
    first.taken()
    now = 11_000
    // There is room for it once a slow connection is closed.
    budget.refuseKnown('third')
    begin('fourth', 40)
    expect(closed).toEqual(['second'])
    now = 70_000
    for (const tick of ticks) tick()
    expect(closed).toEqual(['second', 'first'])
    now = 80_000
    for (const tick of ticks) tick()
    expect(closed).toEqual(['second', 'first', 'fourth'])
    expect(budget.total).toBe(0)
    expect(ticks.size).toBe(0)
  })
})
