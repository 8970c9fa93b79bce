import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  createRestHandler,
  type RestHandler,
  toExpressHandler,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from '../../src/index.ts'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from '../../src/transport/hosts/fastify-plugin.ts'
import { createHr } from '../http/models.ts'

// Simulates what real hosts do not do on demand. The tests of the examples use real hosts.

class FakeRequest extends EventEmitter {
  method = 'GET'
  url = '/rest/Employee(1)'
  headers: { [name: string]: string } = {}
  httpVersionMajor = 1
  body: unknown = undefined
  readableEnded = false
  resume(): void {}
  pause(): void {}
  destroy(): void {}
}

class FakeResponse extends EventEmitter {
  headersSent = false
  destroyed = false
  writableFinished = false
  status = 0
  headers: { readonly [name: string]: unknown } = {}
  text = ''
  /** The error of the first attempt to send. */
  failure: Error | null = null
  writeHead(status: number, headers: object): void {
    if (this.failure !== null) {
      const { failure } = this
      this.failure = null
      throw failure
    }
    this.headersSent = true
    Object.assign(this, { status, headers })
  }
  write(body: string | Uint8Array): void {
    this.text += body
  }
  end(body: string | Uint8Array = ''): void {
    this.text += body
    this.writableFinished = true
  }
  destroy(): void {
    this.destroyed = true
  }
}

const restOf = (onError?: (error: unknown) => void): RestHandler =>
  createRestHandler(createHr(), onError === undefined ? {} : { onError })

const writing = (body: string): FakeRequest =>
  Object.assign(new FakeRequest(), {
    method: 'PUT',
    headers: { 'content-length': String(body.length) },
    body: JSON.parse(body),
    readableEnded: true,
  })

describe('node', () => {
  test('a host that fails to send an answer gets a JSON 500 and is notified', async () => {
    const reported: unknown[] = []
    const response = Object.assign(new FakeResponse(), { failure: new Error('invalid header') })
    await toNodeHandler(restOf((error) => reported.push(error)))(new FakeRequest(), response)
    expect([response.status, JSON.parse(response.text).__ERROR[0].errCode]).toEqual([500, 9199])
    expect(reported).toEqual([new Error('invalid header')])
  })

  test('outside the base path the bridge calls `next` once without an error, or answers 404 if there is none', async () => {
    const request = Object.assign(new FakeRequest(), { url: '/other' })
    for (const toHandler of [toNodeHandler, toExpressHandler]) {
      const calls: unknown[][] = []
      const response = new FakeResponse()
      await toHandler(restOf())(request, response, (...values) => void calls.push(values))
      expect([calls, response.headersSent]).toEqual([[[]], false])
    }
    const response = new FakeResponse()
    await toNodeHandler(restOf())(request, response)
    expect([response.status, JSON.parse(response.text).__ERROR[0].errCode]).toEqual([404, 9108])
  })

  test('a client that disconnects while its body arrives changes nothing and gets no answer', async () => {
    for (const event of ['aborted', 'close', 'error']) {
      const store = createHr()
      const before = store.globalStamp
      const request = Object.assign(new FakeRequest(), {
        method: 'PUT',
        headers: { 'content-length': '12' },
      })
      const response = new FakeResponse()
      const answered = toNodeHandler(createRestHandler(store))(request, response)
      request.emit('data', new TextEncoder().encode('{"salary":1}'))
      request.emit(event, new Error('gone'))
      response.destroyed = true
      response.emit('close')
      request.emit('close')
      await answered
      expect([event, store.globalStamp, response.headersSent]).toEqual([event, before, false])
    }
  })

  test('a client that disconnects after sending its body changes nothing', async () => {
    const store = createHr()
    const before = store.globalStamp
    const response = new FakeResponse()
    const rest = createRestHandler(store, { admit: () => Promise.resolve(true) })
    const answered = toNodeHandler(rest)(writing('{"salary":1}'), response)
    response.destroyed = true
    response.emit('close')
    await answered
    expect(store.globalStamp).toBe(before)
  })

  test('a request of a client that disconnected before the handler ran does nothing', async () => {
    const store = createHr()
    const before = store.globalStamp
    for (const more of [{}, { body: undefined, readableEnded: false }]) {
      const request = Object.assign(writing('{"salary":1}'), { aborted: true }, more)
      const response = new FakeResponse()
      await toNodeHandler(createRestHandler(store))(request, response)
      expect([response.status, store.globalStamp]).toEqual([400, before])
    }
  })

  test('a pipelined request waits for its turn on the connection, or until the client disconnects', async () => {
    for (const [isGone, status] of [
      [false, 200],
      [true, 400],
    ] as const) {
      const store = createHr()
      const socket = { _httpMessage: new FakeResponse() }
      const request = Object.assign(writing('{"salary":1}'), { socket })
      const response = Object.assign(new FakeResponse(), { socket: null })
      const answered = toNodeHandler(createRestHandler(store))(request, response)
      await new Promise((resolve) => setImmediate(resolve))
      expect([response.headersSent, store.Employee.get(1)?.salary === 1]).toEqual([false, false])
      if (isGone) Object.assign(request, { aborted: true }).emit('aborted')
      else response.emit('socket', socket)
      await answered
      expect([response.status, store.Employee.get(1)?.salary === 1]).toEqual([status, !isGone])
    }
  })

  test("the client's address from a trusted proxy, and TLS, reach the session", async () => {
    const request = Object.assign(new FakeRequest(), {
      url: '/rest/Employee(1)?$lock=true',
      ip: '10.1.2.3',
      secure: true,
    })
    const response = new FakeResponse()
    const store = createHr()
    const rest = createRestHandler(store)
    await toNodeHandler(rest)(request, response)
    expect(response.headers['set-cookie']).toContain('Secure')
    const second = await rest.handle({ method: 'GET', url: '/rest/Employee(1)?$lock=true' })
    expect(JSON.parse(String(second.body)).__STATUS.lockInfo.IPAddr).toBe('10.1.2.3')
  })
})

describe('koa', () => {
  const contextOf = (request: FakeRequest, response: FakeResponse) => {
    const headers: { [name: string]: string | string[] } = {}
    return {
      req: request,
      res: response,
      request: { body: request.body },
      method: request.method,
      url: request.url,
      originalUrl: request.url,
      ip: '127.0.0.1',
      secure: false,
      status: 404,
      body: undefined as unknown,
      headers,
      set: (given: { [name: string]: string | string[] }) => void Object.assign(headers, given),
    }
  }

  test('the middleware sets the answer in the context, and only awaits `next` for other addresses', async () => {
    const context = contextOf(new FakeRequest(), new FakeResponse())
    await toKoaMiddleware(restOf())(context, async () => expect.unreachable())
    expect([context.status, context.headers['last-modified']]).toEqual([200, expect.any(String)])
    const foreign = contextOf(
      Object.assign(new FakeRequest(), { url: '/other' }),
      new FakeResponse(),
    )
    let calls = 0
    await toKoaMiddleware(restOf())(foreign, async () => void calls++)
    expect([calls, foreign.status, foreign.body]).toEqual([1, 404, undefined])
  })
})

describe('fastify', () => {
  type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

  /** Registers the plugin and answers the routes it takes. */
  async function routesOf(
    rest: RestHandler,
    prefix: string,
  ): Promise<ReadonlyMap<string, Handler>> {
    const routes = new Map<string, Handler>()
    const instance: FastifyInstance = {
      prefix,
      removeAllContentTypeParsers: () => undefined,
      addContentTypeParser: () => undefined,
      setErrorHandler: () => undefined,
      all: (path, handler) => void routes.set(path, handler),
    }
    await toFastifyPlugin(rest)(instance, {})
    return routes
  }

  test.each([
    ['/rest', '', ['/rest', '/rest/*']],
    ['', '', ['/', '/*']],
    ['/rest', '/api', ['/rest', '/rest/*']],
    ['/api/rest', '/api/', ['/rest', '/rest/*']],
    ['/rest', '/rest', ['', '/*']],
    ['', '/rest', ['', '/*']],
  ])('base path "%s" below "%s" takes %j', async (basePath, prefix, paths) => {
    const routes = await routesOf(createRestHandler(createHr(), { basePath }), prefix)
    expect([...routes.keys()]).toEqual(paths)
  })

  test('a stream with which a hook replaces the body is read as the body', async () => {
    const store = createHr()
    const handler = (await routesOf(createRestHandler(store), '')).get('/rest/*')
    async function* unpacked() {
      yield new TextEncoder().encode('{"salary":5}')
    }
    const raw = Object.assign(new FakeRequest(), {
      method: 'PUT',
      headers: { 'content-length': '3' },
    })
    const sent: unknown[] = []
    const reply: FastifyReply = {
      raw: new FakeResponse(),
      code: (status) => void sent.push(status),
      headers: () => undefined,
      getHeader: () => undefined,
      getHeaders: () => ({}),
      hijack: () => undefined,
      send: () => undefined,
    }
    await handler?.({ raw, body: unpacked(), ip: '127.0.0.1', protocol: 'http' }, reply)
    expect([sent, store.Employee.get(1)?.salary]).toEqual([[200], 5])
  })
})

describe('fetch', () => {
  test('a body that the host has consumed is refused', async () => {
    const store = createHr()
    const request = new Request(
      'http://db.example/rest/Employee?$method=delete&$filter="salary>0"',
      {
        method: 'POST',
        body: '[{"__KEY":"1"}]',
      },
    )
    await request.text()
    const before = store.globalStamp
    expect([(await createRestHandler(store).fetch(request)).status, store.globalStamp]).toEqual([
      400,
      before,
    ])
  })

  test('a body that is too large is refused, also if the host keeps a copy of it', async () => {
    const rest = createRestHandler(createHr(), { limits: { maxBodyBytes: 100 } })
    const request = new Request('http://db.example/rest/Employee', {
      method: 'POST',
      body: 'x'.repeat(1000),
    })
    const copy = request.clone()
    expect((await rest.fetch(request)).status).toBe(413)
    expect(copy.bodyUsed).toBe(false)
  })

  test('an aborted request changes nothing', async () => {
    const store = createHr()
    const abort = new AbortController()
    const request = new Request('http://db.example/rest/Employee(1)', {
      method: 'PUT',
      body: '{"salary":1}',
      signal: abort.signal,
    })
    const before = store.globalStamp
    const answered = createRestHandler(store).fetch(request)
    abort.abort()
    expect([(await answered).status, store.globalStamp]).toEqual([400, before])
  })
})
