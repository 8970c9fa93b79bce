import { isEntiaError } from '@entia/core'
import {
  type Access,
  createLocalEngine,
  type Engine,
  type LockAnswer,
  type LockQuery,
  Names,
} from '@entia/engine'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHandlerOf } from '../../src/transport/handler/rest-handler.ts'
import { Browser } from './browser.ts'
import { errCodes, expectError, send } from './send.ts'
import { createStaff, USERS } from './staff.ts'

const DONE = { result: true, __STATUS: { success: true } }
const refused = (status: number, statusText: string, more = {}) => ({
  result: false,
  __STATUS: { status, statusText, ...more },
})
const LOCK_OF_A = {
  lockKind: 7,
  lockKindText: 'Locked by session',
  lockInfo: { host: 'hr.test:80', IPAddr: '10.0.0.1', recordNumber: 0, userAgent: 'Agent A' },
}

let staff: ReturnType<typeof createStaff>
let rest: RestHandler
let a: Browser
let b: Browser
let c: Browser
beforeEach(() => {
  staff = createStaff()
  rest = createRestHandler(staff.store, { users: USERS })
  a = new Browser(
    { ...rest, handle: (input) => rest.handle({ ...input, remoteAddress: '10.0.0.1' }) },
    { 'user-agent': 'Agent A' },
  )
  b = new Browser(rest)
  c = new Browser(rest)
})

const lock = (browser: Browser, key: number | string, on = true, headers = {}) =>
  browser.get(`/rest/Person(${key})?$lock=${on}`, headers)

describe('$lock', () => {
  test('locks repeatedly for one session, and also unlocks entities that have no lock', async () => {
    for (const on of [true, true, false, false]) {
      const reply = await lock(a, 1, on)
      expect([reply.status, reply.body]).toEqual([200, DONE])
    }
    expect(staff.store.locks.size).toBe(0)
  })

  test('succeeds for one of three sessions; the others get the holder, and nothing changes', async () => {
    await lock(a, 1)
    for (const browser of [b, c])
      for (const on of [true, false]) {
        const reply = await lock(browser, 1, on)
        expect([reply.status, reply.body]).toEqual([200, refused(3, 'Already locked', LOCK_OF_A)])
        expect(Object.keys(reply.body.__STATUS.lockInfo)).toEqual([
          'host',
          'IPAddr',
          'recordNumber',
          'userAgent',
        ])
      }
    await lock(a, 1, false)
    expect((await lock(b, 1)).body).toEqual(DONE)
    expect((await lock(c, 1)).body.__STATUS.status).toBe(3)
    expect((await lock(c, 2)).body).toEqual(DONE)
  })

  test("the client's origin is shortened, and always present", async () => {
    const rude = new Browser(rest, { 'user-agent': 'x'.repeat(5000), host: 'h'.repeat(300) })
    await lock(rude, 2)
    const { lockInfo } = (await lock(b, 2)).body.__STATUS
    expect(lockInfo).toEqual({
      host: 'h'.repeat(200),
      IPAddr: '',
      recordNumber: 1,
      userAgent: 'x'.repeat(200),
    })
  })

  test('with If-Match is refused when the stamp differs', async () => {
    for (const [ifMatch, expected] of [
      ['"2"', refused(2, 'Stamp has changed')],
      ['nonsense', refused(2, 'Stamp has changed')],
      ['"1"', DONE],
      ['*', DONE],
    ] as const)
      expect([ifMatch, (await lock(a, 1, true, { 'if-match': ifMatch })).body]).toEqual([
        ifMatch,
        expected,
      ])
    const { etag } = (await a.get('/rest/Person(1)')).headers
    expect((await lock(a, 1, true, { 'if-match': etag })).body).toEqual(DONE)
  })

  test('of a missing entity is refused with a status instead of an error', async () => {
    for (const on of [true, false])
      expect((await lock(a, 99, on)).body).toEqual(refused(5, 'Entity does not exist'))
  })

  test('with an attribute in the address locks the entity that has the value', async () => {
    await a.get('/rest/Person:email(Bob@x.org)?$lock=true')
    expect((await lock(b, 2)).body.__STATUS.status).toBe(3)
  })

  test('without a session unlocks no locked entity, and opens no session', async () => {
    await lock(a, 1)
    expect((await lock(b, 1, false)).body).toEqual(refused(3, 'Already locked', LOCK_OF_A))
    expect(staff.store.sessions.size).toBe(1)
  })

  test('answers status 4 if the lock table fails, and the host is notified', async () => {
    const reported: unknown[] = []
    const failure = new Error('disk on fire')
    const fail = () => {
      throw failure
    }
    const engine = { ...createLocalEngine(staff.store), lock: fail, unlock: fail }
    const failing = createHandlerOf(engine, { onError: (error) => reported.push(error) })
    for (const on of [true, false]) {
      const reply = await send(failing, 'GET', `/rest/Person(1)?$lock=${on}`)
      expect([reply.status, reply.body]).toEqual([200, refused(4, 'Other error')])
    }
    expect(reported).toEqual([failure, failure])
  })

  test.each([
    ['GET', '/rest/Person?$lock=true', 400, 1813],
    ['GET', '/rest/Person(1)?$lock=true&$method=entityset', 400, 1813],
    ['GET', '/rest/Person(1)?$lock=true&$method=release', 400, 1813],
    ['GET', '/rest/Person(1)/ping?$lock=true', 400, 1813],
    ['GET', '/rest/Person(1)?$lock=true&$emMethod=ping', 400, 1813],
    ['GET', '/rest/Person(1)/team?$lock=true', 400, 1813],
    ['GET', '/rest/Person(1)?$lock=banana', 400, 9100],
    ['POST', '/rest/Person(1)?$lock=true', 405, 9105],
    ['DELETE', '/rest/Person(1)?$lock=true', 405, 9105],
    ['GET', '/rest/Vault(1)?$lock=true', 404, 1800],
    ['GET', '/rest/Person(x)?$lock=true', 404, 1541],
  ])('%s %s is refused: %i', async (method, url, status, code) => {
    const reply = await a.send(method, url)
    expectError(reply, status, code)
    expect([
      staff.store.locks.size,
      staff.store.sessions.size,
      staff.store.Person.all().count,
    ]).toEqual([0, 0, 3])
  })

  test('from a page of another site is refused', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expectError(await lock(a, 1, true, headers), 403, 9106)
    expect([staff.store.locks.size, a.cookie]).toEqual([0, null])
    expect((await lock(a, 1, true, { 'sec-fetch-site': 'same-origin' })).body).toEqual(DONE)
  })

  test('is refused beyond the number of locks that one session may hold', async () => {
    const few = createStaff({ locksPerSession: 1 })
    const browser = new Browser(createRestHandler(few.store))
    expect((await lock(browser, 1)).body).toEqual(DONE)
    expectError(await lock(browser, 2), 400, 9055)
    expect(few.store.locks.size).toBe(1)
  })
})

describe('a locked entity', () => {
  const STATUS = { status: 3, statusText: 'Already locked', ...LOCK_OF_A, success: false }
  beforeEach(async () => {
    await lock(a, 1)
  })

  test('is readable for all and writable only for its holder', async () => {
    expect((await b.get('/rest/Person(1)')).body.name).toBe('Ada')
    expect((await a.post('/rest/Person(1)', { name: 'Adah' })).body.name).toBe('Adah')
    expect((await a.send('DELETE', '/rest/Person(1)')).body).toEqual({ ok: true })
    expect(staff.store.locks.size).toBe(0)
  })

  test.each([
    '/rest/Person(1)',
    '/rest/Person',
    '/rest/Person?$atomic=true',
    '/rest/Person?$refresh=true',
  ])('refuses an update by others: POST %s', async (url) => {
    const body = { __KEY: '1', name: 'Stolen' }
    for (const browser of [b, new Browser(rest)]) {
      const reply = await browser.post(url, body)
      expect([reply.status, reply.body.__STATUS, errCodes(reply)]).toEqual([
        423,
        STATUS,
        [9035, 1046, 1517],
      ])
      expect([reply.body.__KEY, reply.body.name]).toEqual(['1', 'Ada'])
    }
    expect(staff.store.Person.get(1)?.name).toBe('Ada')
  })

  test('fails alone in a batch, and fails the whole batch with $atomic', async () => {
    const bodies = [
      { __KEY: '2', name: 'Bobby' },
      { __KEY: '1', name: 'Stolen' },
    ]
    const atomic = await b.post('/rest/Person?$atomic=true', bodies)
    expect([atomic.status, errCodes(atomic)]).toEqual([423, [9035, 1046, 1517]])
    expect(atomic.body.__ENTITIES[1].__STATUS).toEqual(STATUS)
    expect(staff.store.Person.get(2)?.name).toBe('Bob')
    const each = await b.post('/rest/Person', bodies)
    expect([each.status, each.body.__ENTITIES[0].name, each.body.__ENTITIES[1].__STATUS]).toEqual([
      207,
      'Bobby',
      STATUS,
    ])
  })

  test.each([
    ['DELETE', '/rest/Person(1)', undefined],
    ['POST', '/rest/Person?$method=delete', [{ __KEY: '1' }]],
    ['DELETE', '/rest/Person?$filter="name = \'Ada\'"', undefined],
    ['DELETE', '/rest/Person?$filter="name = \'Ada\'"&$atomic=true', undefined],
  ])('refuses to be deleted by others: %s %s', async (method, url, body) => {
    const reply = await b.send(method, url, body)
    expect([reply.status, errCodes(reply)]).toEqual([423, [9035, 1518]])
    expect(reply.body.__ENTITIES[0].__STATUS).toEqual(STATUS)
    expect(staff.store.Person.get(1)?.name).toBe('Ada')
  })

  test('stays when a deletion by filter removes the others; with $atomic all stay', async () => {
    const all = 'ID > 0'
    const atomic = await b.send('DELETE', `/rest/Person?$filter="${all}"&$atomic=true`)
    expect([atomic.status, staff.store.Person.all().count]).toEqual([423, 3])
    const each = await b.send('DELETE', `/rest/Person?$filter="${all}"`)
    expect([each.status, staff.store.Person.all().keys()]).toEqual([207, [1]])
  })

  test('is not deleted by a cascade', async () => {
    const reply = await b.send('DELETE', '/rest/Team(1)')
    expect([reply.status, reply.body.__ENTITIES[0].__STATUS]).toEqual([423, STATUS])
    expect([staff.store.Team.all().count, staff.store.Person.all().count]).toEqual([2, 3])
  })

  test('is released when its session logs out or expires', async () => {
    await a.get('/rest/$directory/logout')
    expect((await b.post('/rest/Person(1)', { name: 'B was here' })).status).toBe(200)
    await lock(b, 1)
    staff.pass(3599)
    expect((await c.post('/rest/Person(1)', { name: 'C' })).status).toBe(423)
    staff.pass(1)
    expect((await c.post('/rest/Person(1)', { name: 'C was here' })).status).toBe(200)
  })

  test('keeps its holder through a login', async () => {
    await a.post('/rest/$directory/login', ['bob', 'hunter2'])
    expect((await lock(b, 1)).body.__STATUS.status).toBe(3)
    expect((await lock(a, 1, false)).body).toEqual(DONE)
  })
})

describe('with a permission hook', () => {
  const ask = (read: boolean | string, lockRows: boolean | string, key = 1) => {
    const { store } = staff
    const access: Access = {
      mayDescribe: () => true,
      mayRead: () => true,
      mayWrite: () => true,
      rows: (_dataClass, action) => (action === 'lock' ? lockRows : read),
      mayCall: () => true,
    }
    const dataClass = store.catalog.byName.get('Person')!
    const query: LockQuery = { reference: { kind: 'key', dataClass, key }, precondition: null }
    const caller = {
      session: store.sessions.open(),
      access,
      names: new Names(store.catalog, access),
    }
    const engine = createLocalEngine(store)
    const kindOf = (call: () => ReturnType<Engine['lock']>): unknown => {
      try {
        return (call() as LockAnswer).kind
      } catch (error) {
        return isEntiaError(error) ? error.code : error
      }
    }
    return [
      kindOf(() => engine.lock(query, caller, () => store.sessions.open())),
      kindOf(() => engine.unlock(query, caller)),
    ]
  }

  test('an entity that the caller may not read is answered as missing', () => {
    expect(ask(false, true)).toEqual(['absent', 'absent'])
    expect(ask('name = Bob', true)).toEqual(['absent', 'absent'])
    expect(ask('name = Bob', true, 2)).toEqual(['locked', 'unlocked'])
  })

  test('locking an entity that may only be read is refused', () => {
    expect(ask(true, false)).toEqual(['loginRequired', 'loginRequired'])
    expect(ask(true, 'name = Bob')).toEqual(['loginRequired', 'loginRequired'])
    expect(ask(true, 'name = Bob', 2)).toEqual(['locked', 'unlocked'])
  })
})

test('the lock of a hidden entity prevents a deletion without naming it', async () => {
  const { store } = staff
  store.locks.lock('Vault', 1, store.sessions.open())
  const reply = await b.send('DELETE', '/rest/Team(2)')
  expect([reply.status, errCodes(reply)]).toEqual([423, [9035, 1518]])
  expect(reply.text).not.toContain('Vault')
})

test('HEAD neither locks nor creates an entity set', async () => {
  for (const [url, allow] of [
    ['/rest/Employee(1)?$lock=true', 'GET'],
    ['/rest/Employee?$method=entityset', 'GET, POST'],
  ] as const) {
    const reply = await send(rest, 'HEAD', url)
    expect([reply.status, reply.headers.allow]).toEqual([405, allow])
  }
  expect((await a.send('POST', '/rest/Person(1)?$lock=true')).headers.allow).toBe('GET')
  expect([staff.store.locks.size, staff.store.entitySets.size, staff.store.sessions.size]).toEqual([
    0, 0, 0,
  ])
})
