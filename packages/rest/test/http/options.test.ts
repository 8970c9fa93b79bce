import { isEntiaError } from '@entia/core'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get } from './send.ts'

/** From JavaScript anything may come. */
const create = createRestHandler as (store: unknown, options?: unknown) => ReturnType<typeof createRestHandler>

function refusalOf(store: unknown, options?: unknown): string {
  try {
    create(store, options)
    return 'accepted'
  } catch (error) {
    return isEntiaError(error, 'argumentInvalid') ? error.message : `another error: ${String(error)}`
  }
}

test.each([
  [{ basepath: '/rest' }, 'The option "basepath" must be one of basePath, dateOnlyFormat'],
  [{ basePath: 5 }, 'The option "basePath" must be text'],
  [{ dateOnlyFormat: 'iso' }, 'The option "dateOnlyFormat" must be "!!yyyy-mm-dd!!" or "d!m!yyyy", not "iso"'],
  [{ allowedOrigins: 'https://app.example' }, 'The option "allowedOrigins" must be an array of texts'],
  [{ onError: true }, 'The option "onError" must be a function'],
  [{ limits: 5 }, 'The option "limits" must be an object'],
  [{ limits: { maxtop: 5 } }, 'The option "limits.maxtop" must be one of maxUrlCharacters'],
  [{ limits: { maxTop: '5' } }, 'The option "limits.maxTop" must be a whole number from 0, not "5"'],
  [{ limits: { maxTop: 1.5 } }, 'The option "limits.maxTop" must be a whole number from 0, not 1.5'],
  [{ limits: { maxTop: -1 } }, 'The option "limits.maxTop"'],
  [{ limits: { maxTop: Number.NaN } }, 'The option "limits.maxTop"'],
  [null, 'The options must be an object, not null'],
])('an option that cannot be is refused by name: %j', (options, message) => {
  expect(refusalOf(createHr(), options)).toContain(message)
})

test.each([[undefined], [null], [{}], ['store'], [Promise.resolve()]])('what is no store is refused: %s', (store) => {
  expect(refusalOf(store)).toContain('The store must be a store made by createDataStore')
})

test('what is undefined has its default', async () => {
  const rest = create(createHr(), { basePath: undefined, limits: { maxTop: undefined, defaultTop: 2 } })
  expect([rest.basePath, rest.limits.maxTop]).toEqual(['/rest', 10_000])
  expect((await get(rest, '/rest/Employee')).body.__SENT).toBe(2)
})

test('the base path alone answers the short catalog, and takes no changes', async () => {
  const rest = create(createHr())
  const catalog = await get(rest, '/rest/$catalog')
  for (const url of ['/rest', '/rest/', '/rest?']) expect((await get(rest, url)).text).toBe(catalog.text)
  const reply = await rest.handle({ method: 'POST', url: '/rest', body: '{}' })
  expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
