import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createRestHandler, toExpressHandler } from '@entia/rest'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { ask, type Served } from '../../host-claims.ts'
import { createStore } from '../store.mjs'

let served: Served
afterEach(() => served.close())

const failures: unknown[] = []
const remember: ErrorRequestHandler = (error, _request, response, _next) => {
  failures.push(error)
  response.status(500).send('the application failed')
}

/** Starts an application whose error handler records the errors that reach it. */
async function start(build: (app: Express) => void): Promise<void> {
  failures.length = 0
  const app = express()
  build(app)
  app.use(remember)
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

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const save = (type: string, body: string) =>
  ask(served, 'POST', '/rest/Employee?$method=update', { headers: { 'content-type': type }, body })

describe('after body parsers of the application', () => {
  test.each([
    ['express.json()', express.json(), JSON_TYPE],
    ['express.json() of any type', express.json({ type: '*/*' }), FORM],
    ['express.json() that does not read this type', express.json(), 'text/plain'],
    ['express.text()', express.text({ type: '*/*' }), JSON_TYPE],
    ['express.raw()', express.raw({ type: '*/*' }), JSON_TYPE],
    ['express.urlencoded()', express.urlencoded(), FORM],
    ['express.urlencoded({ extended: true })', express.urlencoded({ extended: true }), FORM],
  ])('%s', async (_title, parser, type) => {
    await start((app) => app.use(parser, toExpressHandler(createRestHandler(createStore()))))
    const saved = await save(type, '{"lastName":"Grün=x&y", "salary":7}')
    expect([saved.status, JSON.parse(saved.text).lastName]).toEqual([200, 'Grün=x&y'])
    const removed = await ask(served, 'POST', '/rest/Employee(1)?$method=delete', {
      headers: { 'content-type': type, 'content-length': '0' },
    })
    expect(removed.text).toBe('{"ok":true}')
    expect((await ask(served, 'GET', '/rest/Employee(1)')).status).toBe(404)
  })

  test('a body that a form parser may have changed is refused', async () => {
    const store = createStore()
    await start((app) => app.use(express.urlencoded(), toExpressHandler(createRestHandler(store))))
    const before = store.globalStamp
    for (const body of [
      '{"lastName":"C+"}',
      '{"lastName":"a b"}',
      '{"lastName":"%41"}',
      '{"lastName":"x=&y"}',
      '[{"lastName":"x"}]',
    ]) {
      const refused = await save(FORM, body)
      expect([body, refused.status, refused.errCodes]).toEqual([body, 400, [9102]])
    }
    expect(store.globalStamp).toBe(before)
  })

  test('a body that was consumed is refused, so that a deletion never lacks its filter', async () => {
    const store = createStore()
    await start((app) => {
      app.use(async (request, _response, next) => {
        for await (const _ of request);
        next()
      })
      app.use(toExpressHandler(createRestHandler(store)))
    })
    const url = '/rest/Employee?$method=delete&$filter="salary > 0"'
    const refused = await ask(served, 'POST', url, { body: '[{"__KEY":"1"}]' })
    expect([refused.status, refused.errCodes, store.Employee.count]).toEqual([400, [9102], 2])
  })
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
      await start((app) =>
        app.use(prefix, toExpressHandler(createRestHandler(createStore(), { basePath }))),
      )
      const read = await ask(served, 'GET', `${mountPoint}/Employee(1)?$attributes=employer`)
      const { uri } = JSON.parse(read.text).employer.__deferred
      expect(uri).toBe(`${mountPoint}/Company[1]`)
      expect((await ask(served, 'GET', uri)).status).toBe(200)
      expect((await ask(served, 'GET', `${mountPoint}?x=1`)).text).toContain(
        `"${mountPoint}/$catalog/Employee"`,
      )
      const locked = await ask(served, 'GET', `${mountPoint}/Employee(1)?$lock=true`)
      expect(locked.headers.get('set-cookie')).toContain(`Path=${mountPoint};`)
    },
  )
})

describe('next to the application', () => {
  test('other paths reach the next handler, and no failure reaches the error handler', async () => {
    const store = createStore()
    const reported: unknown[] = []
    const rest = createRestHandler(store, {
      admit: () => {
        throw new Error('the limiter is broken')
      },
      onError: (error) => reported.push(error),
    })
    await start((app) => {
      app.use(toExpressHandler(rest))
      app.get('/restful', (_request, response) => void response.send('mine'))
    })
    expect((await ask(served, 'GET', '/restful')).text).toBe('mine')
    const failed = await ask(served, 'GET', '/rest/Employee')
    expect([failed.status, failed.errCodes, reported, failures]).toEqual([
      500,
      [9199],
      [new Error('the limiter is broken')],
      [],
    ])
  })

  test('cookies and Vary of the application are kept', async () => {
    const rest = createRestHandler(createStore(), { allowedOrigins: ['https://app.example'] })
    await start((app) => {
      app.use((_request, response, next) => {
        response.cookie('theme', 'dark').vary('Accept-Encoding')
        next()
      })
      app.use(toExpressHandler(rest))
    })
    const locked = await ask(served, 'GET', '/rest/Employee(1)?$lock=true')
    expect(locked.headers.getSetCookie()).toEqual([
      'theme=dark; Path=/',
      expect.stringContaining('4DSID_hr='),
    ])
    expect(locked.headers.get('vary')).toBe('Accept-Encoding, Origin')
  })
})
