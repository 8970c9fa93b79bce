import { createDataStore } from '@entia/core'
import { createLocalEngine, ENGINE, type Served } from '@entia/engine'
import { expect, test, vi } from 'vitest'
import { restError } from '../../src/errors/rest-error.ts'
import { createRestHandler } from '../../src/index.ts'

const store = createDataStore({ name: 'empty', dataClasses: [] })

const get = async (rest: ReturnType<typeof createRestHandler>, url: string) => {
  const { status, headers, body } = await rest.handle({ method: 'GET', url, headers: {} })
  return { status, retryAfter: headers['retry-after'], cookie: headers['set-cookie'], body }
}

test('the addresses exist only if the option is set', async () => {
  expect((await get(createRestHandler(store), '/rest/$health/live')).status).toBe(404)
  const rest = createRestHandler(store, { health: true })
  expect(await get(rest, '/rest/$health/live')).toMatchObject({ status: 200, cookie: undefined })
  expect((await get(rest, '/rest/$health/ready')).status).toBe(200)
  expect((await get(rest, '/rest/$health')).status).toBe(404)
  expect((await get(rest, '/rest/$health/other')).status).toBe(404)
})

test('callers without a user get answers, regardless of permissions', async () => {
  const rest = createRestHandler(store, {
    health: true,
    forceLogin: true,
    authorize: () => false,
    users: { login: () => null },
  })
  expect((await get(rest, '/rest/$health/ready')).status).toBe(200)
  expect((await get(rest, '/rest/$catalog')).status).not.toBe(500)
})

test('a stopping server is live and not ready, and answers requests', async () => {
  const onError = vi.fn()
  const rest = createRestHandler(store, { health: true, onError })
  rest.prepareToStop()
  expect(await get(rest, '/rest/$health/ready')).toMatchObject({ status: 503, retryAfter: '1' })
  expect((await get(rest, '/rest/$health/live')).status).toBe(200)
  expect((await get(rest, '/rest/$catalog')).status).toBe(200)
  expect(onError).not.toHaveBeenCalled()
})

test('a server that cannot reach its storage is live and not ready', async () => {
  const served: Served = {
    catalog: store.catalog,
    [ENGINE]: () => ({
      ...createLocalEngine(store),
      ping: async () => {
        throw restError('engineUnavailable', { retryAfterSeconds: 1 })
      },
    }),
    close: () => {},
  }
  const rest = createRestHandler(served, { health: true, onError: () => {} })
  expect(await get(rest, '/rest/$health/ready')).toMatchObject({ status: 503, retryAfter: '1' })
  expect((await get(rest, '/rest/$health/live')).status).toBe(200)
})
