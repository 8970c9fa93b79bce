import { describe, expect, test } from 'vitest'
import { createRestHandler, type RestOptions } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, send } from './send.ts'

const ask = (options: RestOptions, headers: { readonly [name: string]: string } = {}) =>
  send(
    createRestHandler(createHr(), options),
    'GET',
    '/rest/Employee(1)?$attributes=lastName',
    undefined,
    headers,
  )

describe('allowedHosts', () => {
  const allowedHosts = ['localhost', '[::1]', 'DB.example:8080']

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost:8080',
    'localhost:1',
    '[::1]:80',
    '[::1]',
    'db.example:8080',
  ])('%s is served', async (host) => {
    expect((await ask({ allowedHosts }, { host })).status).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.localhost',
    'localhost.evil.example',
    'db.example',
    'db.example:80',
    '[::2]',
  ])('"%s" is not', async (host) => {
    expectError(await ask({ allowedHosts }, { host }), 421, 9113)
  })

  test('a request without a host is refused if the option is set; the HTTP/2 authority counts as a host', async () => {
    for (const headers of [{}, { host: '' }]) {
      const refused = await ask({ allowedHosts }, headers)
      expectError(refused, 400, 9116)
      expect(refused.body.__ERROR[0].message).toContain('The request names no host')
    }
    expect((await ask({ allowedHosts }, { ':authority': 'localhost' })).status).toBe(200)
    expect((await ask({}, { host: 'evil.example' })).status).toBe(200)
  })

  test('a foreign host name that resolves to the server is refused before anything is stored', async () => {
    const store = createHr()
    const before = store.globalStamp
    const headers = {
      host: 'evil.example',
      origin: 'http://evil.example',
      'sec-fetch-site': 'same-origin',
    }
    expectError(
      await send(
        createRestHandler(store, { allowedHosts }),
        'PUT',
        '/rest/Employee(1)',
        { salary: 1 },
        headers,
      ),
      421,
      9113,
    )
    expect(store.globalStamp).toBe(before)
  })
})

describe('admit', () => {
  test('refuses with 429 and the time to retry', async () => {
    const refused = await ask({ admit: () => ({ retryAfterSeconds: 1.2 }) })
    expectError(refused, 429, 9114)
    expect(refused.headers['retry-after']).toBe('2')
    const forGood = await ask({ admit: async () => false })
    expectError(forGood, 429, 9114)
    expect(forGood.headers['retry-after']).toBeUndefined()
    expect((await ask({ admit: async () => true })).status).toBe(200)
  })

  test('is called before the body is read, with the request', async () => {
    let pulled = 0
    async function* body() {
      pulled++
      yield '{}'
    }
    const seen: unknown[] = []
    const rest = createRestHandler(createHr(), {
      admit: ({ method, url, remoteAddress }) => {
        seen.push([method, url, remoteAddress])
        return false
      },
    })
    await rest.handle({
      method: 'PUT',
      url: '/rest/Employee(1)',
      body: body(),
      remoteAddress: '10.0.0.1',
    })
    expect([pulled, seen]).toEqual([0, [['PUT', '/rest/Employee(1)', '10.0.0.1']]])
  })

  test('refuses the request if it fails', async () => {
    const reported: unknown[] = []
    const failed = await ask({
      admit: () => {
        throw new Error('no counter')
      },
      onError: (error) => reported.push(error),
    })
    expectError(failed, 500, 9199)
    expect(reported).toEqual([new Error('no counter')])
  })
})

test('a preflight request is answered for pages of allowed origins only', async () => {
  const rest = createRestHandler(createHr(), { allowedOrigins: ['https://app.example'] })
  const preflight = (origin: string, url: string) =>
    send(rest, 'OPTIONS', url, undefined, { origin, 'access-control-request-method': 'POST' })
  const allowed = await preflight('https://app.example', '/rest/$catalog')
  expect(allowed.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-max-age': '600',
    vary: 'Origin',
  })
  expect(allowed.headers['access-control-allow-headers']).toContain('If-None-Match')
  const foreign = await preflight('https://evil.example', '/rest/$catalog')
  expect(Object.keys(foreign.headers).filter((name) => name.startsWith('access-control-'))).toEqual(
    [],
  )
})
