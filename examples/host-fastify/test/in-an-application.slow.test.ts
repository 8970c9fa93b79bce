import { createRestHandler, toFastifyPlugin } from '@entia/rest'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { ask, type Served } from '../../host-claims.ts'
import { createStore } from '../store.mjs'

let served: Served
afterEach(() => served.close())

async function start(build: (app: FastifyInstance) => void, options = {}): Promise<void> {
  const app = Fastify({ forceCloseConnections: true, ...options })
  build(app)
  served = { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

const pluginOf = (basePath: string) =>
  toFastifyPlugin(
    createRestHandler(createStore(), { basePath, allowedOrigins: ['https://app.example'] }),
  )

test('the handler reads its own bodies, and other routes keep their parsers', async () => {
  await start(
    (app) => {
      app.register(pluginOf('/rest'))
      app.post('/mine', async (request) => ({ parsed: request.body }))
    },
    { bodyLimit: 10 },
  )
  const body = '{"a":1}'
  const headers = { 'content-type': 'application/json' }
  expect((await ask(served, 'POST', '/mine', { headers, body })).text).toBe('{"parsed":{"a":1}}')
  const larger = '{"lastName":"longer than bodyLimit"}'
  expect((await ask(served, 'POST', '/mine', { headers, body: larger })).status).toBe(413)
  expect((await ask(served, 'POST', '/rest/Employee', { headers, body: larger })).status).toBe(200)
})

test('hooks of the application run for every content type', async () => {
  await start((app) => {
    app.addHook('preHandler', async (_request, reply) => reply.code(401).send('not you'))
    app.register(pluginOf('/rest'))
  })
  for (const type of [
    'application/json',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
  ]) {
    const headers = { 'content-type': type }
    const refused = await ask(served, 'POST', '/rest/Employee', {
      headers,
      body: '{"lastName":"x"}',
    })
    expect([type, refused.status, refused.text]).toEqual([type, 401, 'not you'])
  }
})

test('an invalid media type, which fastify refuses, gets a response of the handler', async () => {
  await start((app) => app.register(pluginOf('/rest')))
  const headers = { 'content-type': 'nonsense' }
  const refused = await ask(served, 'POST', '/rest/Employee', { headers, body: '{"lastName":"x"}' })
  expect([refused.status, refused.errCodes]).toEqual([415, [9107]])
})

test('cookies, Vary and serializers of the application do not affect the response', async () => {
  await start((app) => {
    app.setReplySerializer((payload) => `serialized ${JSON.stringify(payload)}`)
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('set-cookie', 'theme=dark').header('vary', 'Accept-Encoding')
    })
    app.register(pluginOf('/rest'))
  })
  const locked = await ask(served, 'GET', '/rest/Employee(1)?$lock=true')
  expect(JSON.parse(locked.text).result).toBe(true)
  expect(locked.headers.getSetCookie()).toEqual([
    'theme=dark',
    expect.stringContaining('4DSID_hr='),
  ])
  expect(locked.headers.get('vary')).toBe('Accept-Encoding, Origin')
})

describe('below a prefix', () => {
  test.each([
    ['/rest', '/api', '/api/rest'],
    ['/api/rest', '/api', '/api/rest'],
    ['/rest', '/rest', '/rest'],
    ['', '/rest', '/rest'],
    ['/rest', '/tenants/:id', '/tenants/7/rest'],
  ])(
    'base path "%s" under %s answers at %s, and its addresses work',
    async (basePath, prefix, mountPoint) => {
      await start((app) => app.register(pluginOf(basePath), { prefix }))
      const read = await ask(served, 'GET', `${mountPoint}/Employee(1)?$attributes=employer`)
      const { uri } = JSON.parse(read.text).employer.__deferred
      expect(uri).toBe(`${mountPoint}/Company[1]`)
      expect((await ask(served, 'GET', uri)).status).toBe(200)
      expect((await ask(served, 'GET', `${mountPoint}?x=1`)).text).toContain(
        `"${mountPoint}/$catalog/Employee"`,
      )
      expect((await ask(served, 'GET', '/elsewhere')).status).toBe(404)
    },
  )
})
