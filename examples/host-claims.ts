import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { AnyDataStore } from '@entia/core'
import { createRestHandler, type RestHandler } from '@entia/rest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

// The claims that every host example must meet. Each example has a test that names its host.

export interface HostExample {
  readonly serve: (rest: RestHandler, port: number) => Promise<Served>
  readonly createStore: () => AnyDataStore
  /** The program of the example. */
  readonly program: URL
}

export interface Served {
  readonly url: string
  close(): Promise<unknown>
}

const READS = [
  '/rest',
  '/rest/$catalog/$all',
  '/rest/Employee?$filter="lastName = \'B@\' and salary > 1"&$orderby=salary&$top=1',
  '/rest/Employee(1)',
  '/rest/Employee[1]/employer?$attributes=name',
  '/rest/Employee/salary?$compute=sum',
  "/rest/Employee('a%2Fb')",
  '/rest/Employee?$filter="a%26b"&$params=["%5B"]',
  '/rest/Nosuch',
  '/rest/Employee(99)',
  '/rest/%E0%A4%A',
  '/rest/Employee/?$top=x',
  `/rest/Employee?$filter="lastName%20=%20${'x'.repeat(3000)}"`,
]

/** Headers that the handler sets; other headers belong to the host. */
const HANDLER_HEADERS = [
  'content-type',
  'etag',
  'last-modified',
  'allow',
  'cache-control',
  'x-content-type-options',
  'vary',
]

/** `fetch` with the parts of a response that are equal on every host. */
export async function ask(served: Served, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(served.url + path, { method, ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, errCodes: errCodesOf(text) }
}

function errCodesOf(text: string): readonly number[] {
  const body: { readonly __ERROR?: readonly { readonly errCode: number }[] } | null =
    text.startsWith('{') ? JSON.parse(text) : null
  return (body?.__ERROR ?? []).map(({ errCode }) => errCode)
}

/** Claims for every host, including hosts without a port. */
export function describeHost(name: string, { serve, createStore }: HostExample): void {
  describe(`${name}: every response equals the handler's`, () => {
    let store: AnyDataStore
    let rest: RestHandler
    let served: Served
    beforeEach(async () => {
      store = createStore()
      rest = createRestHandler(store, {
        limits: { maxBodyBytes: 10_000 },
        allowedOrigins: ['https://app.example'],
        live: { maxStreams: 1 },
      })
      served = await serve(rest, 0)
    })
    afterEach(() => served.close())

    test.each(['GET', 'HEAD', 'OPTIONS', 'PATCH'])('%s', async (method) => {
      for (const path of READS) {
        const expected = await rest.handle({ method, url: path })
        const answered = await ask(served, method, path)
        expect([path, answered.status, answered.text]).toEqual([
          path,
          expected.status,
          expected.body,
        ])
        for (const header of HANDLER_HEADERS)
          expect([path, header, answered.headers.get(header)]).toEqual([
            path,
            header,
            expected.headers[header] ?? null,
          ])
      }
    })

    test('a body is read for any content type', async () => {
      for (const type of [
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'application/x-any',
      ]) {
        const answered = await ask(served, 'POST', '/rest/Employee', {
          headers: { 'content-type': type },
          body: `{"lastName":"O'Brien + ${type}"}`,
        })
        expect([type, answered.status]).toEqual([type, 200])
        expect(JSON.parse(answered.text).lastName).toBe(`O'Brien + ${type}`)
      }
      expect((await ask(served, 'DELETE', '/rest/Employee(1)')).text).toBe('{"ok":true}')
      const cut = await ask(served, 'POST', '/rest/Employee', { body: '{"lastName":"x"' })
      expect([cut.status, cut.errCodes]).toEqual([400, [9102]])
    })

    test('conditional reads and writes give 304 and 412', async () => {
      const address = '/rest/Employee(1)?$attributes=lastName'
      const read = await ask(served, 'GET', address)
      const etag = read.headers.get('etag') ?? ''
      const again = await ask(served, 'GET', address, { headers: { 'if-none-match': etag } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      const write = (ifMatch: string) =>
        ask(served, 'PUT', '/rest/Employee(1)', {
          headers: { 'if-match': ifMatch },
          body: '{"salary":1}',
        })
      expect((await write('"99"')).status).toBe(412)
      expect((await write(etag)).status).toBe(200)
      expect(
        (await ask(served, 'GET', address, { headers: { 'if-none-match': etag } })).status,
      ).toBe(200)
    })

    test('an allowed origin passes the preflight, and session cookies arrive', async () => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
      const preflight = await ask(served, 'OPTIONS', '/rest/Employee(1)', { headers })
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
      expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example')
      const locked = await ask(served, 'GET', '/rest/Employee(1)?$lock=true')
      expect([locked.status, locked.headers.getSetCookie()]).toEqual([
        200,
        [expect.stringContaining('HttpOnly')],
      ])
    })

    test('a live query sends changes immediately and ends with its client', async () => {
      const abort = new AbortController()
      const path = '/rest/Employee?$live=true'
      const response = await fetch(served.url + path, { signal: abort.signal })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ])
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const decoder = new TextDecoder()
      let text = ''
      const readTo = async (mark: string): Promise<void> => {
        while (!text.includes(mark)) {
          const { done, value } = await reader.read()
          if (done) throw new Error(`The stream ended before ${mark}`)
          text += decoder.decode(value, { stream: true })
        }
      }
      await readTo('"__SENT"')
      store.dataClass('Employee').insert({ lastName: 'Ünsal' })
      await readTo('"__ORDER"')
      expect(text).toContain('event: delta')
      expect(text).toContain('Ünsal')
      expect((await ask(served, 'GET', path)).status).toBe(429)
      abort.abort()
      await reader.read().catch(() => {})
      await expect
        .poll(async () => (await rest.handle({ method: 'HEAD', url: path })).status)
        .toBe(200)
    })

    test('a body beyond the limit is refused and nothing is stored', async () => {
      const before = store.globalStamp
      const body = `[${'{"lastName":"x"},'.repeat(1000)}{"lastName":"x"}]`
      const answered = await ask(served, 'POST', '/rest/Employee', { body })
      expect([answered.status, answered.errCodes, store.globalStamp]).toEqual([413, [9103], before])
      expect((await ask(served, 'GET', '/rest/Employee(1)')).status).toBe(200)
    })
  })
}

/** Claims for every host that listens on a port. */
export function describeListening(
  name: string,
  { serve, createStore, program }: HostExample,
): void {
  describe(`${name}: on the wire`, () => {
    let store: AnyDataStore
    let served: Served
    const unhandledErrors: unknown[] = []
    const unhandled = (error: unknown) => unhandledErrors.push(error)
    beforeEach(async () => {
      unhandledErrors.length = 0
      process.on('unhandledRejection', unhandled).on('uncaughtException', unhandled)
      store = createStore()
      served = await serve(
        createRestHandler(store, { limits: { maxBodyBytes: 10_000 }, onError: unhandled }),
        0,
      )
    })
    afterEach(async () => {
      await served.close()
      process.off('unhandledRejection', unhandled).off('uncaughtException', unhandled)
      expect(unhandledErrors).toEqual([])
    })

    const raw = (text: string, hangUp?: 'at once' | 'soon') => exchange(served, text, hangUp)

    test('a truncated body saves nothing', async () => {
      const before = store.globalStamp
      const head = 'POST /rest/Employee HTTP/1.1\r\nHost: x\r\n'
      await raw(`${head}Content-Length: 100\r\n\r\n{"lastName":"x"}`, 'soon')
      await raw(`${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{"lastName":"x"}\r\n`, 'soon')
      expect((await ask(served, 'GET', '/rest/Employee(1)')).status).toBe(200)
      expect(store.globalStamp).toBe(before)
    })

    test('a client that disconnects early does not harm others', async () => {
      for (const path of ['Employee', 'Nosuch', '$catalog/$all'])
        await raw(`GET /rest/${path} HTTP/1.1\r\nHost: x\r\n\r\n`, 'at once')
      await raw(
        'POST /rest/Employee HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nx',
        'at once',
      )
      expect((await ask(served, 'GET', '/rest/Employee(1)')).status).toBe(200)
    })

    test('a body with a too large content-length is refused before it is sent', async () => {
      const answer = await raw(
        'POST /rest/Employee HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10000000000\r\n\r\n',
        'soon',
      )
      expect(answer.split(' ')[1]).toBe('413')
      expect(answer).toContain('"errCode":9103')
    })

    test('malformed HTTP gets a JSON response', async () => {
      const answer = await raw('GARBAGE\r\n\r\n')
      expect(answer.split(' ')[1]).toBe('400')
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).__ERROR).toHaveLength(1)
    })

    test('garbage after a stored change does not change its response', async () => {
      const body = '{"lastName":"Kept"}'
      const head = `POST /rest/Employee HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
      const answer = await raw(`${head}${body}GARBAGE\0\r\n\r\n`)
      const isStored = (
        await ask(served, 'GET', '/rest/Employee?$filter="lastName === Kept"')
      ).text.includes('Kept')
      expect(answer.startsWith('HTTP/1.1 200')).toBe(isStored)
    })

    test('paths outside the base path are not handled', async () => {
      for (const path of ['/', '/elsewhere', '/restful'])
        expect((await ask(served, 'GET', path)).status).toBe(404)
    })
  })

  test(`${name}: the program serves without changes`, async () => {
    const child = spawn(process.execPath, [fileURLToPath(program)], {
      env: { ...process.env, PORT: '0' },
    })
    try {
      const address = /http:\S+/.exec(await firstLine(child))?.[0]
      expect(await (await fetch(`${address}?$attributes=lastName`)).text()).toContain(
        '"lastName":"Byron"',
      )
    } finally {
      child.kill()
    }
  })
}

/** Claims for hosts that pass on the objects of node:http. */
export function describeOrder(name: string, { serve, createStore }: HostExample): void {
  test(`${name}: requests of one connection are executed in order`, async () => {
    const store = createStore()
    const served = await serve(createRestHandler(store), 0)
    try {
      const body = JSON.stringify({ lastName: 'x'.repeat(200_000) })
      const first = `POST /rest/Employee(1) HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const last = 'DELETE /rest/Employee(1) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const answer = await exchange(served, first + last)
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
      expect((await ask(served, 'GET', '/rest/Employee(1)')).status).toBe(404)
    } finally {
      await served.close()
    }
  })
}

/**
 * Writes raw bytes, optionally disconnects, and collects the response until the connection ends.
 */
function exchange(served: Served, text: string, hangUp?: 'at once' | 'soon'): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => {
      socket.write(text)
      if (hangUp === 'at once') setImmediate(() => socket.destroy())
      if (hangUp === 'soon') setTimeout(() => socket.destroy(), 50)
    })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    // A reset also ends the exchange; the collected text shows how far it came.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

/** The first line that a program prints. Rejects when it fails. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.stderr?.on('data', (chunk) => reject(new Error(String(chunk))))
    child.on('exit', () => reject(new Error(`the program ended with the output: ${text}`)))
  })
}
