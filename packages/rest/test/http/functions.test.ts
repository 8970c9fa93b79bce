import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, loggedIn, type RestHandler } from '../../src/index.ts'
import { createSchools } from './schools.ts'
import { expectError, get, post, type Reply, result, send } from './send.ts'

let store: ReturnType<typeof createSchools>['store']
let seen: unknown[]
let rest: RestHandler
let reported: unknown[]
beforeEach(() => {
  ;({ store, seen } = createSchools())
  reported = []
  rest = createRestHandler(store, { onError: (error) => reported.push(error) })
})

const makeSet = async (query = ''): Promise<string> =>
  (await get(rest, `/rest/Students?$method=entityset${query}`)).body.__ENTITYSET

describe('a function is found by its address', () => {
  test('of a dataclass, a selection, an entity, the datastore or a singleton', async () => {
    expect(await result(post(rest, '/rest/Students/look', [1, 2]))).toBe(2)
    expect(await result(post(rest, '/rest/Students/names', ['+']))).toBe('Ada+Bob+Cyd')
    expect(await result(post(rest, '/rest/Students(2)/greet', ['hi']))).toBe('hi Bob')
    expect(await result(post(rest, '/rest/Students:firstname(Cyd)/greet', ['hi']))).toBe('hi Cyd')
    expect(await result(post(rest, '/rest/$catalog/ping'))).toBe('nobody')
    expect(await result(post(rest, '/rest/$singleton/Factory/build', ['bike']))).toEqual({
      kind: 'bike',
    })
  })

  test('of a selection: a filtered and ordered one, or an entity set', async () => {
    const filtered =
      '/rest/Students/names?$filter="firstname%20!=%20:1"&$params=["Bob"]&$orderby=firstname%20desc'
    expect(await result(post(rest, filtered, ['-']))).toBe('Cyd-Ada')
    const set = await makeSet('&$filter="firstname%20<%20C"&$top=1')
    const id = set.split('/').at(-1)
    expect(await result(post(rest, `${set}/names?$top=1`, ['-']))).toBe('Ada-Bob')
    expect(await result(post(rest, `/rest/Students/names/$entityset/${id}`, ['-']))).toBe('Ada-Bob')
    expect(await result(post(rest, `${set}?$emMethod=names`, ['-']))).toBe('Ada-Bob')
    expectError(
      await post(rest, `/rest/Students/$entityset/${'0'.repeat(32)}/names`, ['-']),
      404,
      1802,
    )
  })

  test('of a relation, in the form that clients send', async () => {
    const related = '/rest/Schools(1)/students?$expand=students&$method=subentityset&$emMethod='
    expect(await result(post(rest, `${related}names`, ['/']))).toBe('Ada/Bob')
    expect(await result(post(rest, '/rest/Students(3)/school?$emMethod=rename', ['Z']))).toBe(
      'South>Z',
    )
    expectError(await post(rest, `${related}rename`, ['/']), 404, 1827)
    expectError(await post(rest, '/rest/Schools(9)/students?$emMethod=names', ['/']), 404, 1543)
  })

  test('but is not called for a missing entity, which is 404', async () => {
    expectError(await post(rest, '/rest/Students(99)/me'), 404, 1543)
    expectError(await post(rest, '/rest/Students(x)/me'), 404, 1541)
  })

  test('but is unknown at another kind of address, and the message names the right one', async () => {
    const set = await makeSet()
    for (const [url, remedy] of [
      ['/rest/Students/greet', 'Students(key)/greet'],
      ['/rest/Students(1)/names', 'Students/names'],
      ['/rest/Students(1)/look', 'Students/look'],
      [`${set}/look`, 'Students/look'],
      [`${set}/greet`, 'Students(key)/greet'],
    ] as const) {
      const reply = await post(rest, url, [])
      expectError(reply, 404, 1827)
      expect(reply.body.__ERROR[0].message).toContain(remedy)
    }
  })

  test('unless it is not exposed: the answer equals that for an unknown function', async () => {
    for (const [hidden, unknown, status, ...codes] of [
      ['/rest/Students/hidden', '/rest/Students/nosuch', 404, 1500, 1804],
      ['/rest/Students?$emMethod=hidden', '/rest/Students?$emMethod=nosuch', 404, 1827],
      ['/rest/$catalog/own', '/rest/$catalog/nosuch', 404, 1827],
      ['/rest/$singleton/Factory/own', '/rest/$singleton/Factory/nosuch', 404, 1827],
      ['/rest/$singleton/Own/build', '/rest/$singleton/Nosuch/build', 404, 1827],
    ] as const) {
      const [a, b] = [await post(rest, hidden, []), await post(rest, unknown, [])]
      expectError(a, status, ...codes)
      const word = (url: string) => url.split(/[/=]/).at(-1)!
      const neutral = (reply: Reply, url: string) =>
        reply.text
          .replaceAll(`"${word(url)}`, '"?')
          .replaceAll(`\\"${word(url)}\\"`, '?')
          .replace(/Own|Nosuch/g, '?')
      expect(neutral(a, hidden)).toBe(neutral(b, unknown))
    }
    expectError(await post(rest, '/rest/Vault/anything', []), 404, 1800)
  })
})

describe('verbs', () => {
  test('GET calls only functions that allow it, with $params', async () => {
    expect(await result(get(rest, `/rest/Students(1)/greet?$params='["hello"]'`))).toBe('hello Ada')
    expect(await result(get(rest, '/rest/Students/names?$params=["."]'))).toBe('Ada.Bob.Cyd')
    expect(await result(get(rest, '/rest/$catalog/ping'))).toBe('nobody')
    expect(await result(get(rest, '/rest/$singleton/Factory/peek'))).toBe('seen')
    for (const url of [
      '/rest/Students/look',
      '/rest/$catalog/echo',
      '/rest/$singleton/Factory/build',
    ]) {
      const reply = await get(rest, url)
      expectError(reply, 405, 1829)
      expect(reply.headers.allow).toBe('POST')
    }
    expect(seen).toEqual([])
  })

  test('GET from another site is refused, since a function may have effects', async () => {
    const foreign = { origin: 'https://evil.example', host: 'localhost' }
    expectError(await send(rest, 'GET', '/rest/Students(1)/greet', undefined, foreign), 403, 9106)
    expectError(
      await send(rest, 'GET', '/rest/$catalog/ping', undefined, { 'sec-fetch-site': 'cross-site' }),
      403,
      9106,
    )
  })

  test('PUT and DELETE call nothing', async () => {
    for (const verb of ['PUT', 'DELETE']) {
      const reply = await send(rest, verb, '/rest/Students(1)/greet', [])
      expectError(reply, 405, 9105)
      expect(reply.headers.allow).toBe('GET, POST')
      expectError(await send(rest, verb, '/rest/Students/look', []), 405, 9105)
    }
    expect(store.Students.count).toBe(3)
  })

  test('parameters of reads are refused instead of ignored', async () => {
    for (const url of [
      '/rest/Students/look?$filter="ID=1"',
      '/rest/Students(1)/me?$filter="ID=2"',
      '/rest/$catalog/ping?$orderby=ID',
      '/rest/Students/names?$compute=count',
      '/rest/Students/names?$distinct=true',
      '/rest/Students/names?$method=delete',
      '/rest/Students/names?$method=update',
    ])
      expectError(await post(rest, url, []), 400, 1813)
    expect(store.Students.count).toBe(3)
  })
})

describe('sessions', () => {
  const cookieOf = (reply: Reply): string => reply.headers['set-cookie']?.split(';')[0] ?? ''

  test('a function that logs in a user sets the cookie, and later calls run as that user', async () => {
    const before = await post(rest, '/rest/$catalog/ping')
    expect([before.body.result, before.headers['set-cookie']]).toEqual(['nobody', undefined])
    const login = await post(rest, '/rest/$catalog/authentify', ['ann', 'right'])
    expect(login.body).toEqual({ result: 'welcome ann' })
    const headers = { cookie: cookieOf(login) }
    expect((await send(rest, 'POST', '/rest/$catalog/ping', '[]', headers)).body.result).toBe('ann')
    await send(
      rest,
      'POST',
      '/rest/Students/pushData',
      [{ __DATACLASS: 'Students', __ENTITY: true }],
      headers,
    )
    expect(seen.at(-1)).toBe('ann')
    expect((await post(rest, '/rest/$catalog/ping')).body.result).toBe('nobody')
  })

  test('a function holds only the locks of its caller', async () => {
    const holder = store.sessions.open()
    store.locks.lock('Students', 1, holder)
    const rename = [{ __DATACLASS: 'Students', __ENTITY: true, __KEY: 1, firstname: 'Eve' }]
    expectError(await post(rest, '/rest/Students/pushData', rename), 423, 9035)
    const login = await post(rest, '/rest/$catalog/authentify', ['ann', 'right'])
    const headers = { cookie: cookieOf(login) }
    store.locks.unlock('Students', 1, holder)
    await send(rest, 'GET', '/rest/Students(1)?$lock=true', undefined, headers)
    expect(
      (await send(rest, 'POST', '/rest/Students/pushData', rename, headers)).body.firstname,
    ).toBe('Eve')
  })

  test('a refused login is 401 and leaves no session', async () => {
    const reply = await post(rest, '/rest/$catalog/authentify', ['ann', 'wrong'])
    expectError(reply, 401, 1822)
    expect([reply.headers['set-cookie'], store.sessions.size]).toEqual([undefined, 0])
  })

  test('loggedIn accepts only a user', () => {
    expect(() => loggedIn({ userName: 'x' } as never)).toThrow('user')
  })
})

describe('in the catalog', () => {
  test('exposed functions are methods with their kind and whether GET may call them', async () => {
    const { body } = await get(rest, '/rest/$catalog/Students')
    const method = (name: string, applyTo: string, allowedOnHTTPGET: boolean) => ({
      name,
      applyTo,
      scope: 'public',
      from: 'remoteServer',
      allowedOnHTTPGET,
      exposed: true,
    })
    expect(body.dataClasses[0].methods).toEqual([
      method('pushData', 'dataClass', false),
      method('look', 'dataClass', false),
      method('setFinalExam', 'dataClass', false),
      method('names', 'entityCollection', true),
      method('itself', 'entityCollection', false),
      method('greet', 'entity', true),
      method('me', 'entity', false),
    ])
    const all = (await get(rest, '/rest/$catalog/$all')).body
    expect(all.methods.map(({ name }: { name: string }) => name)).toEqual([
      'ping',
      'echo',
      'evaluate',
      'authentify',
    ])
    expect(all.methods[0]).toEqual(method('ping', 'dataStore', true))
    expect(all.singletons).toEqual([
      {
        name: 'Factory',
        methods: [
          { name: 'build', allowedOnHTTPGET: false, exposed: true },
          { name: 'peek', allowedOnHTTPGET: true, exposed: true },
        ],
      },
    ])
  })
})
