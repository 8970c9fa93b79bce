import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, expectError, get, json, post, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

describe('verbs', () => {
  test('HEAD answers what GET does, without the body', async () => {
    const url = '/rest/Employee(1)?$attributes=lastName'
    const reply = await send(rest, 'HEAD', url)
    const { text: body, headers } = await get(rest, url)
    expect([reply.status, reply.text, reply.headers.etag]).toEqual([200, '', headers.etag])
    expect(headers.etag).toMatch(/^"2-/)
    expect(reply.headers['content-length']).toBe(String(new TextEncoder().encode(body).length))
    expect((await send(rest, 'HEAD', '/rest/Employee(99)')).status).toBe(404)
    expect((await send(rest, 'HEAD', '/rest/Employee(1)?$method=delete')).status).toBe(405)
  })

  test('OPTIONS and a wrong verb are answered with the allowed verbs', async () => {
    const data = await send(rest, 'OPTIONS', '/rest/Employee')
    expect([data.status, data.body, data.headers.allow]).toEqual([
      200,
      { ok: true },
      'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    ])
    expect((await send(rest, 'OPTIONS', '/rest/$catalog')).headers.allow).toBe('GET, HEAD, OPTIONS')
    const patch = await send(rest, 'PATCH', '/rest/Employee(1)', {})
    expectError(patch, 405, 9105)
    expect(patch.headers.allow).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS')
    expect((await post(rest, '/rest/$catalog', {})).headers.allow).toBe('GET, HEAD, OPTIONS')
    expect((await get(rest, '/rest/Employee(1)?$method=delete')).headers.allow).toBe('POST, DELETE')
    expect((await send(rest, 'get', '/rest/Employee(1)')).status).toBe(200)
  })
})

describe('headers', () => {
  test('answers are JSON with nosniff, and errors have no-store', async () => {
    const ok = await get(rest, '/rest/Employee(1)')
    expect(ok.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    })
    expectError(await get(rest, '/rest/Nosuch'), 404, 1800)
  })

  test('a page of another site cannot change anything', async () => {
    const allowing = createRestHandler(store, { allowedOrigins: ['https://app.example'] })
    const write = (handler: RestHandler, headers: { readonly [name: string]: string }) =>
      send(handler, 'POST', '/rest/Employee(1)', { salary: 1 }, headers)
    const before = store.globalStamp
    for (const headers of [
      { origin: 'https://evil.example', host: 'db.example' },
      { origin: 'null', host: 'db.example' },
      { origin: 'nonsense', host: 'db.example' },
      { origin: 'https://db.example.evil.example', host: 'db.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://db.example', host: 'db.example' },
    ])
      for (const handler of [rest, allowing]) expectError(await write(handler, headers), 403, 9106)
    expect(store.globalStamp).toBe(before)
    for (const headers of [
      {},
      { origin: 'https://db.example', host: 'db.example' },
      { origin: 'http://DB.example:8080', host: 'db.example:8080' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://public.example', host: 'internal' },
      { 'sec-fetch-site': 'none' },
    ])
      expect((await write(rest, headers)).status).toBe(200)
    const allowed = await write(allowing, {
      origin: 'https://app.example',
      'sec-fetch-site': 'cross-site',
    })
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://app.example',
    ])
    const read = await send(rest, 'GET', '/rest/Employee(1)', undefined, {
      origin: 'https://evil.example',
    })
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })

  test('headers may have names in any case, and may be an object with get', async () => {
    expectError(
      await send(rest, 'POST', '/rest/Employee(1)', {}, { 'Sec-Fetch-Site': 'cross-site' }),
      403,
      9106,
    )
    const headers = new Headers({ 'If-Match': '"1"' })
    const reply = await rest.handle({
      method: 'PUT',
      url: '/rest/Employee(1)',
      headers,
      body: '{"salary":1}',
    })
    expect(reply.status).toBe(412)
  })
})

describe('bodies', () => {
  const body = '{"__KEY":"1","firstName":"Zoë"}'
  const bytes = new TextEncoder().encode(body)
  async function* chunks() {
    for (const byte of bytes) yield Uint8Array.of(byte)
  }

  test('text, bytes, streams and parsed values are equivalent', async () => {
    const sources: readonly unknown[] = [
      body,
      bytes,
      bytes.buffer,
      Buffer.from(bytes),
      chunks(),
      new Blob([bytes]).stream(),
      JSON.parse(body),
      [JSON.parse(body)],
    ]
    for (const source of sources) {
      store.Employee.update(1, { firstName: 'Ada' })
      const reply = await rest.handle({ method: 'POST', url: '/rest/Employee', body: source })
      expect([reply.status, store.Employee.get(1)?.firstName]).toEqual([200, 'Zoë'])
    }
  })

  test('JSON declared as a form is read, without the five escapes of a real client', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await send(
      rest,
      'POST',
      '/rest/Employee?$method=update',
      '{"lastName":"O%27Brien %21%28%2A%29"}',
      form,
    )
    expect(reply.body.lastName).toBe("O'Brien !(*)")
  })

  test('a body beyond the limit is refused by its content-length, or as soon as it is too long', async () => {
    const small = createRestHandler(store, { limits: { maxBodyBytes: 100 } })
    let pulled = 0
    async function* endless() {
      for (;;) {
        pulled++
        yield new Uint8Array(64)
      }
    }
    const announced = await small.handle({
      method: 'POST',
      url: '/rest/Employee',
      headers: { 'content-length': '101' },
      body: endless(),
    })
    expect([announced.status, pulled]).toEqual([413, 0])
    const streamed = await small.handle({ method: 'POST', url: '/rest/Employee', body: endless() })
    expect([streamed.status, pulled]).toEqual([413, 2])
    expect(errCodes({ body: JSON.parse(String(streamed.body)) })).toEqual([9103])
    for (const [length, status] of [
      [100, 200],
      [101, 413],
    ] as const) {
      const text = `{"lastName":"x"}${' '.repeat(length - 16)}`
      for (const source of [text, new TextEncoder().encode(text)])
        expect(
          (await small.handle({ method: 'POST', url: '/rest/Employee', body: source })).status,
        ).toBe(status)
    }
  })

  test('invalid UTF-8 and a truncated body save nothing', async () => {
    async function* broken() {
      yield new TextEncoder().encode('[{"lastName":"x"}')
      throw new Error('socket hang up')
    }
    const before = store.globalStamp
    for (const source of [Uint8Array.of(0x22, 0xff, 0x22), broken()]) {
      const reply = await rest.handle({ method: 'POST', url: '/rest/Employee', body: source })
      expect([reply.status, errCodes({ body: JSON.parse(String(reply.body)) })]).toEqual([
        400,
        [9102],
      ])
    }
    const controller = new AbortController()
    controller.abort()
    const aborted = await rest.handle({
      method: 'POST',
      url: '/rest/Employee',
      body,
      signal: controller.signal,
    })
    expect([aborted.status, store.globalStamp]).toEqual([400, before])
  })

  test('the body of a read is ignored', async () => {
    expect(
      (
        await send(rest, 'GET', '/rest/Employee(1)', 'not json', {
          'content-length': '99999999999',
        })
      ).status,
    ).toBe(200)
  })
})

describe('fetch', () => {
  const call = (url: string, init?: RequestInit) =>
    rest.fetch(new Request(`http://db.example${url}`, init))

  test('reads and writes with web requests', async () => {
    const read = await call('/rest/Employee?$filter="lastName = \'Byron\' & salary > 1"&$top=1')
    expect([read.status, read.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
    expect((await json(read)).__COUNT).toBe(1)
    const written = await call('/rest/Employee[1]', { method: 'POST', body: '{"salary":1}' })
    expect((await json(written)).salary).toBe(1)
    const gone = await call('/rest/Employee[1]#part', { method: 'DELETE' })
    expect(await json(gone)).toEqual({ ok: true })
    expect((await call('/rest/Employee[1]', { method: 'HEAD' })).status).toBe(404)
  })

  test('the host of the request is its own origin', async () => {
    const headers = (origin: string) => ({
      method: 'POST',
      body: '{"salary":1}',
      headers: { origin },
    })
    expect((await call('/rest/Employee(1)', headers('http://db.example'))).status).toBe(200)
    expect((await call('/rest/Employee(1)', headers('http://evil.example'))).status).toBe(403)
  })
})

describe('our own failures', () => {
  test('are 500 without internal details, and are reported to the host', async () => {
    const seen: unknown[] = []
    const failing = createRestHandler(store, { onError: (error) => seen.push(error) })
    const bug = new Error('secret /path/of/ours')
    const broken = {
      get: () => {
        throw bug
      },
    }
    // A model cannot be made to fail from outside; a header lookup can.
    const reply = await failing.handle({
      method: 'PUT',
      url: '/rest/Employee(1)',
      headers: broken,
      body: '{}',
    })
    expect([reply.status, errCodes({ body: JSON.parse(String(reply.body)) })]).toEqual([
      500,
      [9199],
    ])
    expect(reply.body).not.toContain('secret')
    expect(seen).toEqual([bug])
  })
})
