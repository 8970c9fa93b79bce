import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createRestHandler, toKoaMiddleware } from '@entia/rest'
import { bodyParser } from '@koa/bodyparser'
import Koa, { type Context } from 'koa'
import { afterEach, expect, test } from 'vitest'
import { ask, type Served } from '../../host-claims.ts'
import { createStore } from '../store.mjs'

let served: Served
afterEach(() => served.close())

async function start(build: (app: Koa) => void): Promise<void> {
  const app = new Koa()
  build(app)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  served = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each([
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/octet-stream',
])('after a body parser, a body of type %s is unchanged', async (type) => {
  const store = createStore()
  await start((app) =>
    app.use(bodyParser({ enableTypes: ['json', 'form', 'text'] })).use(rest(store)),
  )
  const headers = { 'content-type': type }
  const body = '[{"lastName":"C+ & a=b %41"}]'
  const saved = await ask(served, 'POST', '/rest/Employee', { headers, body })
  expect([saved.status, JSON.parse(saved.text).__ENTITIES?.[0].lastName]).toEqual([
    200,
    'C+ & a=b %41',
  ])
  const removed = await ask(served, 'POST', '/rest/Employee(1)?$method=delete', {
    headers: { ...headers, 'content-length': '0' },
  })
  expect(removed.text).toBe('{"ok":true}')
})

const rest = (store: ReturnType<typeof createStore>) =>
  toKoaMiddleware(
    createRestHandler(store, {
      limits: { maxBodyBytes: 1000 },
      allowedOrigins: ['https://app.example'],
    }),
  )

test('outer middleware sees the response and can add headers', async () => {
  const responses: unknown[] = []
  await start((app) => {
    app.use(async (context, next) => {
      context.cookies.set('theme', 'dark')
      context.vary('Accept-Encoding')
      await next()
      context.set('x-took', 'no time')
      responses.push([context.status, typeof context.body])
    })
    app.use(rest(createStore()))
    app.use((context: Context) => {
      context.body = `mine: ${context.path}`
    })
  })
  const locked = await ask(served, 'GET', '/rest/Employee(1)?$lock=true')
  expect([locked.status, locked.headers.get('x-took'), locked.headers.get('vary')]).toEqual([
    200,
    'no time',
    'Accept-Encoding, Origin',
  ])
  expect(locked.headers.getSetCookie()).toEqual([
    expect.stringContaining('theme=dark'),
    expect.stringContaining('4DSID_hr='),
  ])
  expect((await ask(served, 'GET', '/rest/Nosuch')).status).toBe(404)
  expect((await ask(served, 'GET', '/restful')).text).toBe('mine: /restful')
  expect(responses).toEqual([
    [200, 'string'],
    [404, 'string'],
    [200, 'string'],
  ])
})
