import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, expectError, get, post, type Reply, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

/** The state must be byte for byte the same after the call. */
async function unchanged(call: () => Promise<Reply>): Promise<Reply> {
  const before = store.dump()
  const reply = await call()
  expect(Buffer.compare(Buffer.from(store.dump()), Buffer.from(before))).toBe(0)
  return reply
}
const keep = async (query: string): Promise<string> => (await get(rest, query)).body.__ENTITYSET
const named = [{ __KEY: '3' }, { __KEY: '4' }]

describe('a deletion', () => {
  test.each([
    ['$refresh=true'],
    ['$top=1'],
    ['$limit=1'],
    ['$top=0'],
    ['$skip=1'],
    ['$otherCollection=0123456789ABCDEF0123456789ABCDEF'],
    ['$compute=count&$attributes=salary'],
    ['$distinct=true'],
    ['$asArray=true'],
    ['$format=dashboard'],
    ['$queryplan=true'],
    ['$querypath=true'],
    ['$subOrderby=ID'],
    ['$imageformat=best'],
    ['$binary=true'],
    ['$rawPict=true'],
  ])('with %s is refused and deletes nothing, whatever it names', async (query) => {
    const set = await keep('/rest/Employee?$filter="ID>2"&$method=entityset')
    for (const [method, url, body] of [
      ['DELETE', `/rest/Employee?$filter="ID>2"&${query}`],
      ['POST', `/rest/Employee?$filter="ID>2"&$method=delete&${query}`],
      ['DELETE', `/rest/Employee(4)?${query}`],
      ['POST', `/rest/Employee(4)?$method=delete&${query}`],
      ['POST', `/rest/Employee?$method=delete&${query}`, named],
      ['DELETE', `${set}?${query}`],
    ] as const) {
      const reply = await unchanged(() => send(rest, method, url, body))
      expectError(reply, 400, 1813)
      expect(reply.body.__ERROR[0].message).toContain(
        query.split('=')[0] === '$limit' ? '$top' : query.split('=')[0],
      )
      expect(reply.body.__ERROR[0].message).toMatch(/nothing was deleted/i)
    }
  })

  test('may have parameters that do not narrow it', async () => {
    const more =
      '$skip=0&$distinct=false&$asArray=false&$format=json&$orderby=ID&$attributes=ID&$version=3&$atomic=1'
    expect((await send(rest, 'DELETE', `/rest/Employee?$filter="ID=4"&${more}`)).body).toEqual({
      ok: true,
    })
    expect(store.Employee.count).toBe(3)
  })

  test.each([['order by salary'], ['ORDER  BY salary desc, ID'], [' order%09by salary']])(
    'by a filter that is only an order, "%s", is one of everything: refused',
    async (filter) => {
      for (const url of [
        `/rest/Employee?$filter="${filter}"`,
        `/rest/Employee?$filter=${filter}`,
      ]) {
        expectError(await unchanged(() => send(rest, 'DELETE', url)), 400, 1813)
        expectError(await unchanged(() => post(rest, `${url}&$method=delete`)), 400, 1813)
      }
      expectError(
        await unchanged(() => post(rest, `/rest/Employee?$filter="${filter}"`, { __KEY: 1 })),
        400,
        1813,
      )
      expect((await get(rest, `/rest/Employee?$filter="${filter}"`)).body.__COUNT).toBe(4)
    },
  )

  test('of an entity set, or by a condition, may have an order', async () => {
    const set = await keep('/rest/Employee?$filter="ID=4"&$method=entityset')
    expect((await send(rest, 'DELETE', `${set}?$filter="order by ID"`)).body).toEqual({ ok: true })
    expect((await send(rest, 'DELETE', '/rest/Employee?$filter="ID=3 order by ID"')).body).toEqual({
      ok: true,
    })
    expect(store.Employee.count).toBe(2)
  })

  test('of many entities with a parameter without its $ is refused with its name', async () => {
    const set = await keep('/rest/Employee?$method=entityset')
    for (const name of [
      'filter',
      'top',
      'limit',
      'skip',
      'atomic',
      'method',
      'refresh',
      'otherCollection',
    ])
      for (const [method, url, body] of [
        ['DELETE', `/rest/Employee?$filter="ID>2"&${name}=1`],
        ['DELETE', `${set}?${name}=1`],
        ['POST', `/rest/Employee?$method=delete&${name}=1`, named],
      ] as const) {
        const reply = await unchanged(() => send(rest, method, url, body))
        expectError(reply, 400, 1813)
        expect(reply.body.__ERROR[0].message).toContain(`"$${name}"`)
      }
  })

  test('ignores names outside the protocol; reads and writes ignore all names without $', async () => {
    expect(
      (await send(rest, 'DELETE', '/rest/Employee?$filter="ID=3"&_=1&callback=x')).body,
    ).toEqual({ ok: true })
    expect((await send(rest, 'DELETE', '/rest/Employee(4)?filter=x')).body).toEqual({ ok: true })
    expect((await get(rest, '/rest/Employee?top=1')).body.__SENT).toBe(2)
    expect(
      (await post(rest, '/rest/Employee?atomic=true', { __KEY: 1, salary: 7 })).body.salary,
    ).toBe(7)
  })

  test('of one entity refuses a body with another key', async () => {
    for (const [method, url] of [
      ['POST', '/rest/Employee(3)?$method=delete'],
      ['DELETE', '/rest/Employee(3)'],
    ] as const) {
      expectError(await unchanged(() => send(rest, method, url, { __KEY: 4 })), 400, 9102)
      expectError(await unchanged(() => send(rest, method, url, [{ __KEY: 3 }])), 400, 9102)
      expectError(await unchanged(() => send(rest, method, url, { __KEY: {} })), 400, 1541, 9102)
    }
    expect(
      (await send(rest, 'DELETE', '/rest/Employee(3)', { __KEY: '3', __STAMP: 1 })).body,
    ).toEqual({ ok: true })
    expect((await send(rest, 'DELETE', '/rest/Employee:email(emile@x.org)', {})).body).toEqual({
      ok: true,
    })
  })

  test('names the item that has no __KEY', async () => {
    const reply = await post(rest, '/rest/Employee?$method=delete', [
      { __KEY: 4 },
      {},
      { __KEY: null },
      { __KEY: {} },
    ])
    expect(reply.status).toBe(207)
    const messages = reply.body.__ENTITIES.map(
      (item: { __ERROR?: { message: string }[] }) => item.__ERROR?.[0]?.message,
    )
    expect(messages).toEqual([
      undefined,
      'The request body is malformed: item 2 has no __KEY.',
      'The request body is malformed: item 3 has no __KEY.',
      'The key "{}" is malformed for the "Employee" dataclass: it must be text or a number.',
    ])
  })
})

describe('the verb', () => {
  test.each([['DELETE'], ['PUT']])(
    '%s neither keeps an entity set nor reads one',
    async (method) => {
      for (const word of ['entityset', 'subentityset']) {
        const reply = await unchanged(() =>
          send(rest, method, `/rest/Employee?$filter="ID=4"&$method=${word}`),
        )
        expectError(reply, 405, 9105)
        expect(reply.headers.allow).toBe('GET, POST')
      }
      expect(store.entitySets.size).toBe(0)
    },
  )

  test('of a refused HEAD is reported with the verbs that accept the parameters', async () => {
    for (const [query, allow] of [
      ['?$method=entityset', 'GET, POST'],
      ['?$method=release', 'GET, POST, PUT, DELETE'],
      ['?$savedfilter="ID=1"', 'GET, POST, PUT, DELETE, OPTIONS'],
    ] as const) {
      const reply = await send(rest, 'HEAD', `/rest/Employee/$entityset/${'0'.repeat(32)}${query}`)
      expect([reply.status, reply.headers.allow]).toEqual([405, allow])
    }
  })
})

describe('If-Match', () => {
  const match = { 'if-match': '"2"' }

  test('is refused for requests that do not address one stored entity', async () => {
    const set = await keep('/rest/Employee?$method=entityset')
    for (const [method, url, body] of [
      ['POST', '/rest/Employee', [{ __KEY: 1, salary: 9 }]],
      ['POST', '/rest/Employee', { lastName: 'New' }],
      ['POST', '/rest/Employee?$method=insert', { lastName: 'New' }],
      ['DELETE', '/rest/Employee?$filter="ID=4"'],
      ['DELETE', set],
      ['POST', '/rest/Employee?$method=delete', named],
      ['POST', '/rest/Employee?$method=delete', { __KEY: 4 }],
      ['POST', '/rest/Employee/bestPaid', []],
      ['POST', '/rest/Employee(1)/greet', ['Hello']],
      ['POST', '/rest/$catalog/ping', []],
      ['POST', '/rest/$singleton/VehicleFactory/buildVehicle', []],
    ] as const) {
      const reply = await unchanged(() => send(rest, method, url, body, match))
      expect([url, reply.status, errCodes(reply)]).toEqual([url, 400, [1813]])
      expect(reply.body.__ERROR[0].message).toContain('If-Match')
    }
  })

  test('is compared with the entity that the body names', async () => {
    expect(
      (await send(rest, 'POST', '/rest/Employee', { __KEY: 2, salary: 1 }, match)).status,
    ).toBe(412)
    expect(
      (await send(rest, 'POST', '/rest/Employee', { __KEY: 1, salary: 1 }, match)).status,
    ).toBe(200)
  })

  test('* requires nothing', async () => {
    expect(
      (await send(rest, 'POST', '/rest/Employee', [{ __KEY: 1, salary: 9 }], { 'if-match': '*' }))
        .status,
    ).toBe(200)
  })

  test('uses the strong comparison: a weak tag matches no entity', async () => {
    const weak = { 'if-match': 'W/"2"' }
    expectError(
      await unchanged(() => send(rest, 'PUT', '/rest/Employee(1)', { salary: 1 }, weak)),
      412,
      9110,
    )
    expectError(
      await unchanged(() => send(rest, 'DELETE', '/rest/Employee(1)', undefined, weak)),
      412,
      9110,
    )
    expect(
      (await send(rest, 'GET', '/rest/Employee(1)?$lock=true', undefined, weak)).body.__STATUS
        .status,
    ).toBe(2)
  })
})
