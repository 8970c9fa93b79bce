import { describe, expect, test } from 'vitest'
import { createRestHandler, type RestOptions } from '../../src/index.ts'
import { Browser } from './browser.ts'
import { expectError, send } from './send.ts'
import { createStaff, USERS } from './staff.ts'

const LOGIN = '/rest/$directory/login'
const CURRENT = '/rest/$directory/currentUser'
const ADA = { ID: 'ada', userName: 'ada', fullName: 'Ada Byron' }

function serve(options: RestOptions = { users: USERS }) {
  const staff = createStaff()
  const rest = createRestHandler(staff.store, options)
  return { ...staff, rest, browser: new Browser(rest) }
}

describe('login', () => {
  test.each([
    ['a body', ['ada', 'Pässwörd'], {}],
    ['a body with seconds', ['ada', 'Pässwörd', 7200], {}],
    ['headers', undefined, { 'username-4D': 'ada', 'password-4D': 'Pässwörd' }],
    [
      'headers of UTF-8 bytes',
      undefined,
      { 'username-4D': 'ada', 'password-4D': 'P\u00c3\u00a4ssw\u00c3\u00b6rd' },
    ],
    [
      'JSON that is declared a form',
      '["ada","P%C3%A4ssw%C3%B6rd"]'.replace(/%C3%A4/, 'ä').replace(/%C3%B6/, 'ö'),
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    ],
  ])('by %s', async (_form, body, headers) => {
    const { browser } = serve()
    const reply = await browser.post(LOGIN, body, headers)
    expect([reply.status, reply.body]).toEqual([200, { result: true }])
    expect((await browser.get(CURRENT)).body).toEqual({ result: ADA })
  })

  test('a refusal does not reveal whether the name exists', async () => {
    const { rest, store } = serve()
    const refusals = [
      ['ada', 'wrong'],
      ['ada', ''],
      ['ada', 'Pässwörd '],
      ['nobody', 'Pässwörd'],
      ['', ''],
      ['__proto__', 'x'],
      ['Ada', 'Pässwörd'],
    ]
    const replies = await Promise.all(refusals.map((body) => send(rest, 'POST', LOGIN, body)))
    for (const reply of replies) {
      expect(reply.body).toEqual({
        result: false,
        __ERROR: [expect.objectContaining({ errCode: 1822 })],
      })
      expect([reply.status, reply.text, reply.headers['set-cookie']]).toEqual([
        401,
        replies[0]!.text,
        undefined,
      ])
    }
    expect(store.sessions.size).toBe(0)
  })

  test.each([
    [undefined, 9102],
    ['', 9102],
    ['["ada"', 9102],
    [['ada'], 9102],
    [['ada', 5], 9102],
    [['ada', 'Pässwörd', 'long'], 9102],
    [['ada', 'Pässwörd', -1], 9102],
    [['ada', 'Pässwörd', 60, 1], 9102],
    [{ name: 'ada' }, 9102],
  ])('with the body %j is malformed', async (body, code) => {
    expectError(await serve().browser.post(LOGIN, body), 400, code)
  })

  test('requires POST, and refuses pages of another site', async () => {
    const { browser, store } = serve()
    expectError(await browser.get(LOGIN), 405, 9105)
    expectError(
      await browser.post(LOGIN, ['ada', 'Pässwörd'], { origin: 'https://evil.example' }),
      403,
      9106,
    )
    expect(store.sessions.size).toBe(0)
  })

  test('gives a new token and invalidates the old one', async () => {
    const { rest, browser, store } = serve()
    await browser.get('/rest/Person(1)?$lock=true')
    const planted = browser.cookie!
    const { id } = store.sessions.list()[0]!
    await browser.post(LOGIN, ['ada', 'Pässwörd'])
    expect(browser.cookie).not.toBe(planted)
    expect((await send(rest, 'GET', CURRENT, undefined, { cookie: planted })).body).toEqual({
      result: null,
    })
    expect([store.sessions.list().map((session) => session.id), store.locks.size]).toEqual([
      [id],
      1,
    ])
    expect((await browser.get(CURRENT)).body.result.ID).toBe('ada')
  })

  test('as another user ends the previous session and its locks', async () => {
    const { browser, store } = serve()
    await browser.post(LOGIN, ['ada', 'Pässwörd'])
    await browser.get('/rest/Person(1)?$lock=true')
    await browser.post(LOGIN, ['bob', 'hunter2'])
    expect((await browser.get(CURRENT)).body).toEqual({
      result: { ID: 'bob', userName: 'bob', fullName: 'bob' },
    })
    expect([store.sessions.size, store.locks.size]).toEqual([1, 0])
  })

  test('leaves the session unchanged if it fails', async () => {
    const { browser } = serve()
    await browser.post(LOGIN, ['ada', 'Pässwörd'])
    expect((await browser.post(LOGIN, ['bob', 'no'])).status).toBe(401)
    expect((await browser.get(CURRENT)).body.result).toEqual(ADA)
  })

  test.each([
    ['minutes', {}, undefined, 3600],
    ['minutes', { 'session-4D-length': '120' }, undefined, 7200],
    ['minutes, never less than an hour', { 'session-4D-length': '5' }, undefined, 3600],
    ['minutes, never more than a day', { 'session-4D-length': '999999' }, undefined, 86_400],
    ['seconds', null, 60, 60],
    ['seconds', null, 7200, 7200],
  ])('takes the lifetime in %s %j', async (_unit, headers, seconds, expected) => {
    const { browser, store, pass } = serve()
    if (headers === null) await browser.post(LOGIN, ['bob', 'hunter2', seconds])
    else
      await browser.post(LOGIN, undefined, {
        'username-4D': 'bob',
        'password-4D': 'hunter2',
        ...headers,
      })
    expect(store.sessions.list()[0]!.lifetimeSeconds).toBe(expected)
    pass(expected - 1)
    expect(store.sessions.size).toBe(1)
    pass(1)
    expect((await browser.get(CURRENT)).body).toEqual({ result: null })
  })

  test('refuses a length that is not a number', async () => {
    const headers = { 'username-4D': 'bob', 'password-4D': 'hunter2', 'session-4D-length': '1e3' }
    expectError(await serve().browser.post(LOGIN, undefined, headers), 400, 9100)
  })

  test('is refused if the store has no users; the other addresses work for guests', async () => {
    const { browser } = serve({})
    expectError(await browser.post(LOGIN, ['ada', 'x']), 404, 1814)
    expect((await browser.get(CURRENT)).body).toEqual({ result: null })
    expect((await browser.get('/rest/$directory/logout')).body).toEqual({ result: true })
  })
})

describe('a directory of the application', () => {
  test('gets the origin of the login and may be asynchronous; omitted members follow from the name', async () => {
    const asked: unknown[] = []
    const { browser } = serve({
      users: {
        async login(name, password, origin) {
          asked.push([name, password, origin])
          return { ID: 7, groups: ['g'] }
        },
      },
    })
    await browser.post(LOGIN, ['eve', 'pw'], { 'user-agent': 'UA' })
    expect(asked).toEqual([['eve', 'pw', { host: 'hr.test:80', ipAddress: '', userAgent: 'UA' }]])
    expect((await browser.get(CURRENT)).body).toEqual({
      result: { ID: '7', userName: 'eve', fullName: 'eve' },
    })
  })

  test.each([[undefined], [null], [false]] as const)('refuses with %s', async (found) => {
    expectRefusal(await serve({ users: { login: () => found } }).browser.post(LOGIN, ['x', 'y']))
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('the secret of the database')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the secret of the database'))],
    ['answers true', () => true as never],
    ['answers no groups', () => ({ groups: 'admins' }) as never],
    ['answers an empty ID', () => ({ ID: '' })],
    ['answers an empty object', () => ({})],
    ['answers a name and nothing of who it is', () => ({ fullName: 'X', groups: ['admins'] })],
    ['answers a prototype', () => Object.prototype],
    ['answers what it has only inherited', () => Object.create({ ID: 'root' })],
  ])('fails with 500 if it %s, and the host gets the reason', async (_what, login) => {
    const reported: unknown[] = []
    const { browser, store } = serve({ users: { login }, onError: (error) => reported.push(error) })
    const reply = await browser.post(LOGIN, ['x', 'y'])
    expectError(reply, 500, 9010)
    expect(reply.text).not.toContain('secret')
    expect([reported.length, reported[0] instanceof Error, store.sessions.size]).toEqual([
      1,
      true,
      0,
    ])
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'of "%s" finds nobody in an object',
    async (name) => {
      const known: { readonly [name: string]: { readonly ID: string } } = { ada: { ID: 'ada' } }
      const reported: unknown[] = []
      const { browser, store } = serve({
        users: { login: (given) => known[given] },
        onError: (error) => reported.push(error),
      })
      expectError(await browser.post(LOGIN, [name, 'y']), 500, 9010)
      expect([reported.length, store.sessions.size]).toEqual([1, 0])
      expect((await browser.post(LOGIN, ['ada', 'y'])).body).toEqual({ result: true })
    },
  )
})

function expectRefusal(reply: {
  readonly status: number
  readonly body: { readonly result: boolean }
}): void {
  expect([reply.status, reply.body.result]).toEqual([401, false])
}

describe('currentUserBelongsTo', () => {
  const BELONGS = '/rest/$directory/currentUserBelongsTo'

  test('answers whether the user is in a group', async () => {
    const { browser } = serve()
    expect((await browser.post(BELONGS, ['admins'])).body).toEqual({ result: false })
    await browser.post(LOGIN, ['ada', 'Pässwörd'])
    for (const [body, expected] of [
      [['admins'], true],
      ['staff', true],
      [['nobody'], false],
      [['__proto__'], false],
      [[''], false],
    ] as const)
      expect([body, (await browser.post(BELONGS, JSON.stringify(body))).body]).toEqual([
        body,
        { result: expected },
      ])
  })

  test.each([[undefined], ['[]'], ['[5]'], ['["a","b"]'], ['{}']])(
    'refuses the body %s',
    async (body) => {
      expectError(await serve().browser.post(BELONGS, body), 400, 9102)
    },
  )
})

test('a page of another site cannot log a user out', async () => {
  const { browser } = serve()
  await browser.post(LOGIN, ['ada', 'Pässwörd'])
  for (const method of ['GET', 'POST'])
    expectError(
      await browser.send(method, '/rest/$directory/logout', undefined, {
        'sec-fetch-site': 'cross-site',
      }),
      403,
      9106,
    )
  expect((await browser.get(CURRENT)).body.result).toEqual(ADA)
})

test.each([
  [{ users: 5 }, '"users"'],
  [{ users: {} }, '"users"'],
  [{ users: [null] }, '"users"'],
  [{ users: [{ name: 'a', password: '' }] }, '"users"'],
  [{ users: [{ name: 'a', password: 'b', groups: 'c' }] }, '"users"'],
  [
    {
      users: [
        { name: 'a', password: 'b' },
        { name: 'a', password: 'c' },
      ],
    },
    '"users"',
  ],
  [{ forceLogin: 'yes' }, '"forceLogin"'],
  [{ secureCookies: 'always' }, '"secureCookies"'],
  [{ info: true }, '"info"'],
])('invalid options are refused: %j', (options, name) => {
  expect(() => serve(options as never)).toThrow(name)
})
