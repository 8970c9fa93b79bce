import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createRestHandler, type IdentityRequest, loggedIn, restError } from '../../src/index.ts'
import { fromHeader, serveIdentified as serve } from './identified-staff.ts'
import { expectError, send as sendTo } from './send.ts'
import { createStaff, USERS } from './staff.ts'

const CURRENT = '/rest/$directory/currentUser'
const LOCK = '/rest/Person(1)?$lock=true'

const currentUser = { ID: 'ada', userName: 'ada', fullName: 'ada' }

describe('the identity of a request', () => {
  test.each([
    ['at once', (user: object | null) => user],
    ['later', async (user: object | null) => user],
  ])('is answered %s, and is the current user', async (_when, give) => {
    const { as } = serve({ identify: (request) => give(fromHeader(request)) as never })
    expect((await as('ada')('GET', CURRENT)).body).toEqual({ result: currentUser })
    expect((await as(null)('GET', CURRENT)).body).toEqual({ result: null })
    const belongs = '/rest/$directory/currentUserBelongsTo'
    expect((await as('ada:x')('POST', belongs, ['x'])).body).toEqual({ result: true })
    expect((await as('ada:y')('POST', belongs, ['x'])).body).toEqual({ result: false })
  })

  test('can come from the request of the host', async () => {
    const requests: unknown[] = []
    const { rest } = serve({
      identify: (request) => {
        const { method, path, remoteAddress, isSecure, context, headers } = request
        const header = [request.header('x-one'), request.header('none')]
        requests.push({ method, path, remoteAddress, isSecure, context, header })
        requests.push([...headers])
        return null
      },
    })
    const url = 'https://hr.test/rest/Person(1)?$attributes=name'
    await rest.handle({
      method: 'get',
      url,
      headers: { Host: 'hr.test', 'X-One': ['a', 'b'], ':authority': 'hr.test' },
      remoteAddress: '10.0.0.1',
      isSecure: true,
      context: { user: 7 },
    })
    expect(requests.splice(0)).toEqual([
      {
        method: 'GET',
        path: '/rest/Person(1)',
        remoteAddress: '10.0.0.1',
        isSecure: true,
        context: { user: 7 },
        header: ['a, b', null],
      },
      [
        ['host', 'hr.test'],
        ['x-one', 'a, b'],
      ],
    ])
    const request = new Request(url, { headers: { 'x-one': 'c' } })
    await rest.fetch(request)
    expect(requests.splice(0)).toEqual([
      expect.objectContaining({ context: request, header: ['c', null], isSecure: true }),
      [['x-one', 'c']],
    ])
    await rest.fetch(request, { context: 'mine' })
    expect(requests[0]).toMatchObject({ context: 'mine' })
  })

  test('is determined once, before the body is read, and never for a preflight request', async () => {
    let calls = 0
    const { as } = serve({
      allowedOrigins: ['https://app.test'],
      identify: () => {
        calls++
        throw new Error('no valid token')
      },
    })
    const origin = { origin: 'https://app.test' }
    const preflight = await as(null, origin)('OPTIONS', '/rest/Person')
    expect([preflight.status, calls]).toEqual([200, 0])
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization')
    expectError(await as('x')('POST', '/rest/Person', '{malformed'), 401, 9122)
    expect(calls).toBe(1)
  })

  test('refuses the request if verification fails, which is not a fault of the program', async () => {
    const { as, reported, store } = serve()
    for (const url of [CURRENT, '/rest/Person', '/rest/$catalog', '/rest/$info'])
      expectError(await as('forged')('GET', url), 401, 9122)
    expect((await as('forged')('GET', CURRENT)).text).not.toContain('signature')
    expect(reported).toEqual([])
    expect(store.sessions.size).toBe(0)
    for (const fault of [new TypeError('x is not a function'), 'thrown text']) {
      const broken = serve({ identify: () => Promise.reject(fault) })
      expectError(await broken.as(null)('GET', CURRENT), 401, 9122)
      expect(broken.reported).toEqual([fault])
    }
  })

  const named = (name: string, message: string, more: object = {}) =>
    Object.assign(new Error(message), { name, ...more })

  test.each([
    named('JsonWebTokenError', 'jwt malformed'),
    named('TokenExpiredError', 'jwt expired', { expiredAt: new Date(0) }),
    named('NotBeforeError', 'jwt not active'),
    named('JWSSignatureVerificationFailed', 'failed', {
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    }),
    named('JWKSNoMatchingKey', 'no applicable key', { code: 'ERR_JWKS_NO_MATCHING_KEY' }),
    named('UnauthorizedError', 'No', { status: 401 }),
    named('FastJwtError', 'x', { code: 'FAST_JWT_INVALID_SIGNATURE' }),
    named('HttpError', 'No', { statusCode: 403 }),
    new Error('Wrong number of segments in token: abc'),
    new Error('invalid signature'),
  ])('is refused silently: %s', async (error) => {
    const { as, reported } = serve({ identify: () => Promise.reject(error) })
    expectError(await as('x')('GET', CURRENT), 401, 9122)
    expect(reported).toEqual([])
  })

  test.each([
    new Error('the database is down'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    named('DatabaseError', 'password authentication failed', { severity: 'FATAL', code: '28P01' }),
    named('MongoServerSelectionError', 'connect ECONNREFUSED'),
    named('ConnectionError', 'the token table is locked', { errno: 1205 }),
    named('JWKSTimeout', 'request timed out', { code: 'ERR_JWKS_TIMEOUT' }),
    named('AxiosError', 'Request failed', { status: 503 }),
    named('Error', 'connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
    new TypeError('fetch failed', { cause: named('Error', 'no', { syscall: 'connect' }) }),
  ])('fails where what it needs fails, and the host is notified: %s', async (error) => {
    const { as, reported } = serve({ identify: () => Promise.reject(error) })
    const reply = await as('ada')('GET', CURRENT)
    expectError(reply, 500, 9010)
    expect(reply.text).not.toContain(error.message)
    expect(reported).toEqual([error])
  })

  test('may be refused with a custom error', async () => {
    const refusals = [
      restError('tooManyRequests', { retryAfterSeconds: 7 }),
      new EntiaError('functionRefused', { errCode: 10_001, message: 'Not from here.' }),
    ]
    for (const [error, status, code] of [
      [refusals[0], 429, 9114],
      [refusals[1], 422, 10_001],
    ] as const) {
      const { as, reported } = serve({ identify: () => Promise.reject(error) })
      expectError(await as(null)('GET', '/rest/Person'), status, code)
      expect(reported).toEqual([])
    }
  })

  test.each([
    [true],
    ['ada'],
    [{}],
    [{ fullName: 'x' }],
    [{ ID: '' }],
    [{ ID: 'a', groups: 'b' }],
    [{ ID: 'a', claims: [] }],
    [Object.prototype],
  ])('that is malformed is a failure of the application: %j', async (found) => {
    const { as, reported } = serve({ identify: () => found as never })
    expectError(await as(null)('GET', '/rest/Person'), 500, 9010)
    expect(reported).toHaveLength(1)
  })

  test.each([[undefined], [null], [false]] as const)('of a guest is %s', async (found) => {
    const { as } = serve({ identify: () => found })
    expect((await as(null)('GET', CURRENT)).body).toEqual({ result: null })
  })
})

describe('guests', () => {
  test('get 401 without a login address where a session is needed', async () => {
    const { as, store } = serve()
    const reply = await as(null)('GET', LOCK)
    expectError(reply, 401, 9120)
    expect(reply.text).toContain('send the credentials that the application expects')
    expect((await as(null)('GET', '/rest/Person(1)')).status).toBe(200)
    expect((await as(null)('PUT', '/rest/Person(1)', { name: 'x' })).status).toBe(200)
    expect([reply.headers['set-cookie'], store.sessions.size]).toEqual([undefined, 0])
  })

  test('see only the catalog with forceLogin', async () => {
    const { as } = serve({ forceLogin: true })
    const reply = await as(null)('GET', '/rest/Person')
    expectError(reply, 401, 9120)
    expect(reply.text).not.toContain('$directory/login')
    expect((await as(null)('GET', '/rest/$catalog')).status).toBe(200)
    expect((await as('ada')('GET', '/rest/Person')).status).toBe(200)
  })

  test('cannot log in by a password or by a function', async () => {
    const { as } = serve()
    expectError(await as(null)('POST', '/rest/$directory/login', ['ada', 'x']), 404, 1814)
    const { store } = createStaff()
    const user = { ID: 'x', userName: 'x', fullName: 'x', groups: [] }
    const Empty = defineDataClass('Empty', { ID: attribute.long({ key: true }) })
    const functions = { enter: { exposed: true, run: () => loggedIn(user) } }
    const other = createDataStore({ name: 'other', dataClasses: [Empty], functions })
    const reported: unknown[] = []
    const rest = createRestHandler(other, {
      identify: () => null,
      onError: (error) => reported.push(error),
    })
    expectError(await sendTo(rest, 'POST', '/rest/$catalog/enter', []), 500, 9199)
    expect(String(reported[0])).toContain('"identify"')
    expect(() => createRestHandler(store, { users: USERS, identify: () => null })).toThrow(
      'The option "identify"',
    )
  })
})

test('a page of another site cannot change anything, however the user is identified', async () => {
  const { as } = serve({ allowedOrigins: ['https://app.test'] })
  for (const extra of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }])
    expectError(await as('ada')('PUT', '/rest/Person(1)', { name: 'x' }, extra), 403, 9106)
  const allowed = { origin: 'https://app.test', 'sec-fetch-site': 'cross-site' }
  expect((await as('ada')('PUT', '/rest/Person(1)', { name: 'x' }, allowed)).status).toBe(200)
})

test('authorize gets the user with the claims and the context of the request, typed', async () => {
  const staff = createStaff()
  const questions: unknown[] = []
  const rest = createRestHandler(staff.store, {
    identify({ header, context }: IdentityRequest<{ readonly region: string }>) {
      const ID = header('authorization')
      expectTypeOf(context).toEqualTypeOf<{ readonly region: string }>()
      return ID === null ? null : { ID, claims: { tenant: 7 } }
    },
    authorize({ user, context, dataClass, action }) {
      expectTypeOf(user?.claims).toEqualTypeOf<{ tenant: number } | undefined>()
      expectTypeOf(context.region).toEqualTypeOf<string>()
      questions.push([user?.ID, user?.claims.tenant, context.region])
      if (dataClass !== 'Person' || action !== 'read') return true
      return user !== null && { filter: 'name begin :1', parameters: [context.region] }
    },
  })
  const ask = (headers: { readonly [name: string]: string }) =>
    rest.handle({ method: 'GET', url: '/rest/Person', headers, context: { region: 'B' } })
  const answer = await ask({ host: 'x', authorization: 'ada' })
  expect(JSON.parse(String(answer.body)).__COUNT).toBe(1)
  expect((await ask({ host: 'x' })).status).toBe(401)
  expect(new Set(questions.map((each) => JSON.stringify(each)))).toEqual(
    new Set(['["ada",7,"B"]', '[null,null,"B"]']),
  )
})

test('other stores of the handler see the same identity and context, in their own sessions', async () => {
  const [first, second] = [createStaff(), createStaff()]
  const seen: unknown[] = []
  const rest = createRestHandler(first.store, {
    catalogs: { more: second.store },
    identify: ({ context, path }: IdentityRequest<string>): { readonly ID: string } => {
      seen.push([context, path])
      return { ID: context }
    },
  })
  const url = '/rest/more/Person(1)?$lock=true'
  await rest.handle({ method: 'GET', url, headers: { host: 'x' }, context: 'ada' })
  expect(seen).toEqual([['ada', '/rest/more/Person(1)']])
  expect([first.store.sessions.size, second.store.locks.size]).toEqual([0, 1])
})
