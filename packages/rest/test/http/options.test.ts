import { isEntiaError } from '@entia/core'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get } from './send.ts'

/** JavaScript programs can pass values of any type. */
const create = createRestHandler as (
  store: unknown,
  options?: unknown,
) => ReturnType<typeof createRestHandler>

function refusalOf(store: unknown, options?: unknown): string {
  try {
    create(store, options)
    return 'accepted'
  } catch (error) {
    return isEntiaError(error, 'argumentInvalid')
      ? error.message
      : `another error: ${String(error)}`
  }
}

test.each([
  [{ basepath: '/rest' }, 'The name of an option must be one of basePath, dateOnlyFormat'],
  [{ basePath: 5 }, 'The option "basePath" must be text'],
  [
    { dateOnlyFormat: 'iso' },
    'The option "dateOnlyFormat" must be "!!yyyy-mm-dd!!" or "d!m!yyyy", not "iso"',
  ],
  [
    { allowedOrigins: 'https://app.example' },
    'The option "allowedOrigins" must be an array of texts',
  ],
  [{ onError: true }, 'The option "onError" must be a function'],
  [{ limits: 5 }, 'The option "limits" must be an object'],
  [{ limits: { maxtop: 5 } }, 'The name of an option of limits must be one of maxUrlCharacters'],
  [
    { limits: { maxTop: '5' } },
    'The option "limits.maxTop" must be a whole number from 0, not "5"',
  ],
  [
    { limits: { maxTop: 1.5 } },
    'The option "limits.maxTop" must be a whole number from 0, not 1.5',
  ],
  [{ limits: { maxTop: -1 } }, 'The option "limits.maxTop"'],
  [{ limits: { maxTop: Number.NaN } }, 'The option "limits.maxTop"'],
  [{ basePath: '/a b' }, 'with escapes (%20) for blanks'],
  [{ basePath: '/rést' }, 'The option "basePath" must be text such as "/rest"'],
  [{ basePath: '/rest?x' }, 'The option "basePath"'],
  [{ basePath: '/%2' }, 'The option "basePath"'],
  [
    { allowedOrigins: ['https://a.example', 'app.example'] },
    'The option "allowedOrigins"[1] must be "*" or an origin',
  ],
  [{ allowedOrigins: ['*.a'] }, 'scheme://host[:port], such as "https://app.example", not "*.a"'],
  [{ allowedOrigins: ['https://app.example/'] }, 'The option "allowedOrigins"[0]'],
  [{ allowedOrigins: ['https://App.example'] }, 'The option "allowedOrigins"[0]'],
  [{ allowedOrigins: ['https://app.example:443'] }, 'The option "allowedOrigins"[0]'],
  [{ allowedOrigins: [5] }, 'The option "allowedOrigins"[0]'],
  [
    { allowedHosts: ['localhost', 'http://localhost'] },
    'The option "allowedHosts"[1] must be a host as requests name it',
  ],
  [{ allowedHosts: ['*'] }, 'The option "allowedHosts"[0]'],
  [
    { users: [{ name: 'a', password: 'b' }, { name: 'c' }] },
    'The option "users"[1] must be { name, password }',
  ],
  [
    { users: [null] },
    'The option "users"[0] must be { name, password } of texts that are not empty',
  ],
  [{ users: [{ name: 'a', password: 'b', groups: 'x' }] }, 'The option "users"[0]'],
  [
    {
      users: [
        { name: 'a', password: 'b' },
        { name: 'a', password: 'c' },
      ],
    },
    'The option "users"[1].name must be one that no other user has, not "a"',
  ],
  [{ users: {} }, 'The option "users" must be an object with "login", or an array'],
  [null, 'The options must be an object, not null'],
])('an invalid option is refused by name: %j', (options, message) => {
  expect(refusalOf(createHr(), options)).toContain(message)
})

test.each([[undefined], [null], [{}], ['store'], [Promise.resolve()]])(
  'what is no store is refused: %s',
  (store) => {
    expect(refusalOf(store)).toContain('The store must be a store made by createDataStore')
  },
)

test('undefined options have their defaults', async () => {
  const rest = create(createHr(), {
    basePath: undefined,
    limits: { maxTop: undefined, defaultTop: 2 },
  })
  expect([rest.basePath, rest.limits.maxTop]).toEqual(['/rest', 10_000])
  expect((await get(rest, '/rest/Employee')).body.__SENT).toBe(2)
})

test('maxTop also bounds pages without $top and expanded relations', async () => {
  const rest = create(createHr(), { limits: { maxTop: 1, defaultTop: 5 } })
  expect(rest.limits.defaultTop).toBe(1)
  expect((await get(rest, '/rest/Employee')).body).toMatchObject({ __COUNT: 4, __SENT: 1 })
  expect((await get(rest, '/rest/Company(1)?$expand=employees')).body.employees).toMatchObject({
    __SENT: 1,
  })
})

test('the base path answers the short catalog and refuses changes', async () => {
  const rest = create(createHr())
  const catalog = await get(rest, '/rest/$catalog')
  for (const url of ['/rest', '/rest/', '/rest?'])
    expect((await get(rest, url)).text).toBe(catalog.text)
  const reply = await rest.handle({ method: 'POST', url: '/rest', body: '{}' })
  expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

test.each([
  'http://localhost:3000',
  'https://app.example',
  'https://xn--mnchen-3ya.example',
  'http://[::1]:8080',
  'app+x://host',
])('the origin %s is one', async (origin) => {
  const rest = create(createHr(), { allowedOrigins: [origin] })
  const reply = await rest.handle({ method: 'GET', url: '/rest/Employee(1)', headers: { origin } })
  expect(reply.headers['access-control-allow-origin']).toBe(origin)
})

test.each(['/a%20b', '/r%C3%A9st', 'api/v1/', '/rest'])(
  'under the base path %s an address is found',
  async (basePath) => {
    const rest = create(createHr(), { basePath })
    expect((await get(rest, `${rest.basePath}/Employee(1)`)).body.__KEY).toBe('1')
  },
)

test.each([
  [undefined],
  [null],
  ['GET /rest'],
  [{}],
  [{ method: 'GET' }],
  [{ url: '/rest' }],
  [{ method: '', url: '/rest' }],
  [{ method: 5, url: '/rest' }],
  [{ method: 'GET', url: new URL('http://x/rest') }],
  [{ method: 'GET', url: '/rest', headers: null }],
  [{ method: 'GET', url: '/rest', headers: 'host: x' }],
])('an invalid request object gets an error answer: %j', async (input) => {
  const reported: unknown[] = []
  const rest = create(createHr(), { onError: (error: unknown) => reported.push(error) })
  const reply = await rest.handle(input as never)
  expect([reply.status, JSON.parse(String(reply.body)).__ERROR[0].errCode, reported]).toEqual([
    400,
    9117,
    [],
  ])
})

test.each([
  [{ plain: { ids: undefined } }, { plain: { id: undefined } }],
  [{ openapi: { title: undefined } }, { openapi: { name: undefined } }],
  [{ slow: { milliseconds: 5, report: undefined } }, { slow: { milliseconds: 5, log: undefined } }],
  [{ entitySets: { scope: undefined } }, { entitySets: { scopes: undefined } }],
  [{ live: { maxStreams: undefined } }, { live: { streams: undefined } }],
  [{ replicas: { maxStreams: undefined } }, { replicas: { streams: undefined } }],
])('an undefined member counts as absent, and a misspelt one is refused: %o', (known, misspelt) => {
  expect(refusalOf(createHr(), known)).toBe('accepted')
  expect(refusalOf(createHr(), misspelt)).toContain(`The option "${Object.keys(misspelt)[0]}"`)
})
