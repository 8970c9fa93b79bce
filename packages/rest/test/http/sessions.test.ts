import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRestHandler, type RestOptions, toNodeHandler } from '../../src/index.ts'
import { Browser } from './browser.ts'
import { expectError, send } from './send.ts'
import { createStaff, USERS } from './staff.ts'

const LOCK = '/rest/Person(1)?$lock=true'

function serve(options: RestOptions = {}, sessions = {}) {
  const staff = createStaff(sessions)
  return { ...staff, rest: createRestHandler(staff.store, { users: USERS, ...options }) }
}

describe('the cookie', () => {
  test('is set with the first session: HttpOnly, SameSite and limited to the base path', async () => {
    const { rest, store } = serve()
    const reply = await send(rest, 'GET', LOCK)
    const token =
      store.sessions.list().length === 1 ? reply.headers['set-cookie']?.split(/[=;]/)[1] : null
    expect(token).toMatch(/^token-[0-9a-f]{32}$/)
    expect(reply.headers['set-cookie']).toBe(
      `4DSID_staff_of_X=${token}; Path=/rest; HttpOnly; SameSite=Strict`,
    )
  })

  test.each([
    ['', '/'],
    ['/', '/'],
    ['/a/b-c', '/a/b-c'],
    ['/a;b', '/'],
  ])('of the base path "%s" has the path %s', async (basePath, path) => {
    const { rest } = serve({ basePath })
    const reply = await send(rest, 'GET', LOCK.replace('/rest', basePath.replace(/\/$/, '')))
    expect(reply.headers['set-cookie']).toContain(`; Path=${path}; `)
  })

  test.each([
    ['auto', true, true],
    ['auto', false, false],
    [true, false, true],
    [false, true, false],
  ] as const)(
    'secureCookies %s over TLS %s: Secure %s',
    async (secureCookies, isSecure, expected) => {
      const { rest } = serve({ secureCookies })
      const reply = await rest.handle({ method: 'GET', url: LOCK, isSecure })
      expect(reply.headers['set-cookie']?.endsWith('; Secure')).toBe(expected)
    },
  )

  test('is Secure if a Fetch request came by https', async () => {
    const { rest } = serve()
    for (const [scheme, key] of [
      ['https', 1],
      ['http', 2],
    ] as const) {
      const reply = await rest.fetch(
        new Request(`${scheme}://x.test${LOCK.replace('1', String(key))}`),
      )
      expect(reply.headers.get('set-cookie')?.endsWith('; Secure')).toBe(scheme === 'https')
    }
  })

  test.each([
    [{ socket: { encrypted: true } }, true],
    [{ socket: {} }, false],
    [{ secure: true, socket: {} }, true],
    [{ secure: false, socket: { encrypted: true } }, false],
  ])('of a request of node:http or Express %j: Secure %s', async (request, expected) => {
    const { rest } = serve()
    const reported: unknown[] = []
    const nothing = () => undefined
    const streamless = {
      method: 'GET',
      url: LOCK,
      headers: {},
      readableEnded: true,
      on: nothing,
      off: nothing,
    }
    await toNodeHandler(rest)(
      { ...streamless, resume: nothing, pause: nothing, destroy: nothing, ...request },
      {
        headersSent: false,
        writeHead: (_status, headers) => reported.push(headers['set-cookie']),
        write: nothing,
        end: nothing,
      },
    )
    expect(String(reported[0]).endsWith('; Secure')).toBe(expected)
  })

  test('is found among other cookies, and not set again', async () => {
    const { rest, store } = serve()
    const browser = new Browser(rest)
    await browser.get(LOCK)
    const cookie = `theme=dark; x="4DSID_staff_of_X=no"; ${browser.cookie} ; last=1`
    const reply = await send(rest, 'GET', LOCK, undefined, { cookie })
    expect([reply.body.result, reply.headers['set-cookie'], store.sessions.size]).toEqual([
      true,
      undefined,
      1,
    ])
  })
})

describe('a session is made when something needs it', () => {
  test.each([
    ['GET', '/rest/Person', undefined],
    ['GET', '/rest/Person(1)', undefined],
    ['GET', '/rest/$catalog/$all', undefined],
    ['GET', '/rest/$info', undefined],
    ['GET', '/rest/$directory/currentUser', undefined],
    ['GET', '/rest/$directory/logout', undefined],
    ['POST', '/rest/$directory/login', ['ada', 'wrong']],
    ['POST', '/rest/Person', { name: 'Dan' }],
    ['GET', '/rest/Person(1)?$lock=false', undefined],
    ['GET', '/rest/Person?$lock=true', undefined],
    ['GET', '/rest/Person(99)?$lock=true', undefined],
    [
      'GET',
      '/rest/Person/$entityset/00000000000000000000000000000001?$savedfilter="nosuch=1"',
      undefined,
    ],
  ])('and %s %s does not', async (method, url, body) => {
    const { rest, store } = serve()
    const reply = await send(rest, method, url, body)
    expect([store.sessions.size, reply.headers['set-cookie']?.includes('token-') ?? false]).toEqual(
      [0, false],
    )
  })
})

describe('a cookie with an unknown token leads to no session', () => {
  const HOSTILE = [
    '4DSID_staff_of_X=forged',
    '4DSID_staff_of_X=',
    '4DSID_staff_of_X',
    '4DSID_staff_of_X=__proto__',
    '4DSID_staff_of_X=%5F%5Fproto%5F%5F',
    '4DSID_staff_of_X=constructor',
    '4DSID_staff_of_X=../../etc/passwd',
    '4DSID_staff_of_X=%E0%A4%A',
    `4DSID_staff_of_X=${'x'.repeat(6000)}`,
    '__proto__=1',
    '=;=;;;',
    ';',
    '4dsid_staff_of_x=forged',
  ]

  test.each(HOSTILE.map((cookie) => [cookie.slice(0, 60), cookie] as const))(
    '%s',
    async (_shown, cookie) => {
      const { rest, store } = serve()
      const read = await send(rest, 'GET', '/rest/Person(1)', undefined, { cookie })
      expect([read.status, read.headers['set-cookie'], store.sessions.size]).toEqual([
        200,
        undefined,
        0,
      ])
      const lock = await send(rest, 'GET', LOCK, undefined, { cookie })
      expect([
        lock.body.result,
        lock.headers['set-cookie']?.startsWith('4DSID_staff_of_X=token-'),
      ]).toEqual([true, true])
      expect(store.sessions.peek(cookie.slice(cookie.indexOf('=') + 1))).toBeUndefined()
    },
  )

  test('any text', async () => {
    const { rest, store } = serve()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
        const { status } = await send(rest, 'GET', '/rest/Person(1)', undefined, {
          cookie: `4DSID_staff_of_X=${text}`,
        })
        return status === 200 && store.sessions.size === 0
      }),
    )
  })

  test('two different cookies of the name count as none, since one of them is forged', async () => {
    const { rest } = serve()
    const [ada, planted] = [new Browser(rest), new Browser(rest)]
    await ada.post('/rest/$directory/login', ['ada', 'Pässwörd'])
    await planted.get('/rest/Person(2)?$lock=true')
    const currentUser = async (cookie: string) =>
      (await send(rest, 'GET', '/rest/$directory/currentUser', undefined, { cookie })).body.result
        ?.ID ?? null
    expect(await currentUser(`${ada.cookie}; ${planted.cookie}`)).toBeNull()
    expect(await currentUser(`${planted.cookie}; ${ada.cookie}`)).toBeNull()
    expect(await currentUser(`${ada.cookie}; ${ada.cookie}`)).toBe('ada')
  })
})

describe('a session ends', () => {
  test('after its idle time, which each request restarts', async () => {
    const { rest, pass, store } = serve({}, { idleSeconds: 100 })
    const browser = new Browser(rest)
    await browser.get(LOCK)
    for (let n = 0; n < 5; n++) {
      pass(99)
      expect((await browser.get('/rest/Person(2)')).status).toBe(200)
    }
    expect(store.sessions.size).toBe(1)
    pass(100)
    expect([store.sessions.size, store.locks.size]).toEqual([0, 0])
    const first = browser.cookie
    await browser.get(LOCK)
    expect(browser.cookie).not.toBe(first)
  })

  test('by logout, over GET and POST, which also deletes the cookie', async () => {
    for (const method of ['GET', 'POST']) {
      const { rest, store } = serve()
      const browser = new Browser(rest)
      await browser.get(LOCK)
      const reply = await browser.send(method, '/rest/$directory/logout')
      expect([reply.status, reply.body]).toEqual([200, { result: true }])
      expect(reply.headers['set-cookie']).toBe(
        '4DSID_staff_of_X=; Max-Age=0; Path=/rest; HttpOnly; SameSite=Strict',
      )
      expect([store.sessions.size, store.locks.size, browser.cookie]).toEqual([0, 0, null])
    }
  })

  test('and later requests with its cookie have none, even if their body was arriving', async () => {
    const { rest, store, seen } = serve()
    const browser = new Browser(rest)
    await browser.post('/rest/$directory/login', ['ada', 'Pässwörd'])
    const cookie = browser.cookie!
    const late = rest.handle({
      method: 'POST',
      url: '/rest/Person',
      headers: { cookie },
      body: (async function* () {
        await browser.get('/rest/$directory/logout')
        yield '{"name":"Late"}'
      })(),
    })
    const reply = await late
    expect([reply.status, store.Person.all().count, seen]).toEqual([401, 3, []])
  })
})

test('hooks see the session of a write, or null', async () => {
  const { rest, seen } = serve()
  const [ada, guest, nobody] = [new Browser(rest), new Browser(rest), new Browser(rest)]
  await ada.post('/rest/$directory/login', ['ada', 'Pässwörd'])
  await guest.get('/rest/Person(3)?$lock=true')
  for (const browser of [ada, guest, nobody])
    await browser.post('/rest/Person', { __KEY: '2', email: `${seen.length}` })
  expect(seen).toEqual(['ada', 'guest', null])
})

describe('a request that needs no session after all', () => {
  test('opens no session, sets no cookie and evicts no session for a refused lock', async () => {
    const { rest, store } = serve({}, { max: 2 })
    const holder = new Browser(rest)
    await holder.get(LOCK)
    await new Browser(rest).post('/rest/$directory/login', ['ada', 'Pässwörd'])
    for (const headers of [{}, { 'if-match': '"9"' }] as const) {
      const reply = await send(rest, 'GET', LOCK, undefined, headers)
      expect([
        reply.body.__STATUS.status,
        reply.headers['set-cookie'],
        store.sessions.size,
      ]).toEqual([3, undefined, 2])
    }
    const stale = await send(rest, 'GET', '/rest/Person(2)?$lock=true', undefined, {
      'if-match': '"9"',
    })
    expect([stale.body.__STATUS.status, stale.headers['set-cookie'], store.sessions.size]).toEqual([
      2,
      undefined,
      2,
    ])
    const unlocked = await send(rest, 'GET', '/rest/Person(1)?$lock=false')
    expect([unlocked.body.__STATUS.status, store.sessions.size]).toEqual([3, 2])
  })

  test('opens no session if it fails: a set of another session is not recreated', async () => {
    const { rest, store } = serve({ entitySets: { scope: 'session' } })
    const maker = new Browser(rest)
    const { __ENTITYSET } = (await maker.get('/rest/Person?$method=entityset')).body
    const reply = await send(rest, 'GET', `${__ENTITYSET}?$savedorderby=name`)
    expectError(reply, 404, 1802)
    expect([reply.headers['set-cookie'], store.sessions.size]).toEqual([undefined, 1])
    const large = createRestHandler(store, {
      entitySets: { scope: 'session' },
      limits: { maxAnswerCharacters: 10 },
    })
    const tooLarge = await send(large, 'GET', '/rest/Person?$method=entityset')
    expectError(tooLarge, 400, 9055)
    expect([tooLarge.headers['set-cookie'], store.sessions.size]).toEqual([undefined, 1])
    // An earlier session continues.
    const other = new Browser(rest)
    await other.get('/rest/Person(2)?$lock=true')
    expect((await other.get(`${__ENTITYSET}?$savedorderby=name`)).status).toBe(404)
    expect([store.sessions.size, store.locks.size]).toEqual([2, 1])
  })
})

describe('guests without a cookie', () => {
  test('do not end the session of a user, however many they are', async () => {
    const { rest, store } = serve({}, { max: 6, maxGuests: 4, maxPerAddress: 3 })
    const ada = new Browser(rest)
    await ada.post('/rest/$directory/login', ['ada', 'Pässwörd'])
    for (let n = 0; n < 20; n++) {
      const url = `/rest/Person(${(n % 3) + 1})?$lock=true`
      await rest.handle({ method: 'GET', url, remoteAddress: `10.0.0.${n % 5}` })
    }
    expect(store.sessions.size).toBeLessThanOrEqual(6)
    expect((await ada.get('/rest/$directory/currentUser')).body.result?.ID).toBe('ada')
  })

  test('of one address are limited, with the time to retry', async () => {
    const { rest, pass } = serve({}, { maxPerAddress: 2, idleSeconds: 100 })
    const lock = (key: number, remoteAddress: string) =>
      rest.handle({ method: 'GET', url: `/rest/Person(${key})?$lock=true`, remoteAddress })
    for (const key of [1, 2]) await lock(key, '10.0.0.1')
    pass(40)
    const refused = await lock(3, '10.0.0.1')
    expect([refused.status, refused.headers['retry-after'], refused.headers['set-cookie']]).toEqual(
      [429, '60', undefined],
    )
    expect(String(refused.body)).toContain('sessions.maxPerAddress')
    expect(String((await lock(3, '10.0.0.2')).body)).toContain('"result":true')
  })
})

test('are refused if all sessions hold locks, and no session ends', async () => {
  const { rest, store } = serve({}, { max: 2 })
  for (const key of [1, 2]) await new Browser(rest).get(`/rest/Person(${key})?$lock=true`)
  const reply = await new Browser(rest).get('/rest/Person(3)?$lock=true')
  expectError(reply, 429, 1823)
  expect([reply.headers['set-cookie'], store.locks.size]).toEqual([undefined, 2])
})

describe('forceLogin', () => {
  test.each([
    ['GET', '/rest/$catalog', 200],
    ['GET', '/rest/$catalog/$all', 200],
    ['GET', '/rest/$catalog/Person', 200],
    ['GET', '/rest/$directory/currentUser', 200],
    ['GET', '/rest/$directory/logout', 200],
    ['OPTIONS', '/rest/Person', 200],
    ['GET', '/rest/Person', 401],
    ['GET', '/rest/Nothing', 401],
    ['POST', '/rest/Person', 401],
    ['GET', LOCK, 401],
    ['GET', '/rest/$info', 401],
    ['POST', '/rest/$upload', 401],
    ['POST', '/rest/$catalog/other', 401],
    ['GET', '/rest/$catalog/other', 401],
    ['GET', '/rest/$catalog/Person,other', 401],
  ])('a guest gets for %s %s %i', async (method, url, status) => {
    const { rest, store } = serve({ forceLogin: true })
    const reply = await send(rest, method, url, method === 'POST' ? {} : undefined)
    if (status === 401) expectError(reply, 401, 9120)
    expect([reply.status, store.sessions.size]).toEqual([status, 0])
  })

  test('permits authentify, and everything after a login', async () => {
    const { rest } = serve({ forceLogin: true })
    const browser = new Browser(rest)
    expect((await browser.post('/rest/$catalog/authentify', [])).status).not.toBe(401)
    await browser.post('/rest/$directory/login', ['bob', 'hunter2'])
    expect((await browser.get('/rest/Person')).status).toBe(200)
    await browser.get('/rest/$directory/logout')
    expect((await browser.get('/rest/Person')).status).toBe(401)
  })
})
