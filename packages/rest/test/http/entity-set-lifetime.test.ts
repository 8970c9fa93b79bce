import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { expectError, get, post, type Reply, send } from './send.ts'

/** A clock that only tests advance, and that does not begin at 0. */
class HandClock {
  monotonicNow = 86_399_999.5
  wallNow = Date.UTC(2024, 0, 31, 23, 59, 59, 999)
  now = (): number => this.wallNow
  monotonic = (): number => this.monotonicNow

  pass(milliseconds: number): void {
    this.monotonicNow += milliseconds
    this.wallNow += milliseconds
  }
}

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  size: attribute.long({ indexed: true }),
  boxes: attribute.relatedEntities('Box', 'item'),
})
const Box = defineDataClass('Box', {
  ID: attribute.long({ key: true, autoSequence: true }),
  item: attribute.relatedEntity('Item'),
})

let clock: HandClock
let rest: RestHandler
let store: ReturnType<typeof createItems>

function createItems(hands: HandClock) {
  let issued = 0
  const nextId = (): string => (++issued).toString(16).padStart(32, '0')
  const made = createDataStore({
    name: 'items',
    dataClasses: [Item, Box],
    clock: hands,
    ids: { uuid: nextId, token: nextId },
  })
  for (const size of [3, 1, 2]) made.Item.insert({ size })
  made.Box.insert({ item: 1 })
  return made
}

beforeEach(() => {
  clock = new HandClock()
  store = createItems(clock)
  rest = createRestHandler(store)
})

const keep = async (address: string): Promise<string> =>
  (await get(rest, `/rest/${address}`)).body.__ENTITYSET
const idOf = (set: string): string => set.split('/').at(-1) ?? ''
const HOURS = 3_600_000

/**
 * A set exists one millisecond before its end, and not at the end. Each check uses another set,
 * since a read renews the lifetime.
 */
async function expectLifetime(make: () => Promise<string>, milliseconds: number): Promise<void> {
  const [read, left] = [await make(), await make()]
  clock.pass(milliseconds - 1)
  expect((await get(rest, read)).status).toBe(200)
  clock.pass(1)
  expectError(await get(rest, left), 404, 1802)
  // The read renewed its lifetime.
  clock.pass(milliseconds - 2)
  expect((await get(rest, read)).status).toBe(200)
  clock.pass(milliseconds)
  expectError(await get(rest, read), 404, 1802)
}

describe('the lifetime of an unused set', () => {
  test.each([
    ['two hours', 'Item?$method=entityset', 2 * HOURS],
    ['$timeout', 'Item?$method=entityset&$timeout=600', 600_000],
    ['$timeout below a second', 'Item?$method=entityset&$timeout=0.25', 250],
    ['a day at most', 'Item?$method=entityset&$timeout=1000000', 24 * HOURS],
    ['two hours, of a relation', 'Item(1)/boxes?$expand=boxes&$method=subentityset', 2 * HOURS],
    [
      '$timeout, of a relation',
      'Item(1)/boxes?$expand=boxes&$method=subentityset&$timeout=7',
      7000,
    ],
  ])('%s', (_, address, milliseconds) => expectLifetime(() => keep(address), milliseconds))

  test.each([
    ['ten minutes when it was made again', '', 600_000],
    ['$timeout when it was made again', '&$timeout=60', 60_000],
  ])('%s', async (_, timeout, milliseconds) => {
    let made = 0
    await expectLifetime(async () => {
      const set = `/rest/Item/$entityset/${(++made).toString(16).padStart(32, 'F').toUpperCase()}`
      expect((await get(rest, `${set}?$savedfilter="size>1"${timeout}`)).body.__COUNT).toBe(2)
      return set
    }, milliseconds)
  })

  test('a set is recreated once it has expired, and not a millisecond earlier', async () => {
    const set = await keep('Item?$method=entityset&$timeout=60')
    clock.pass(59_999)
    expect((await get(rest, `${set}?$savedfilter="size>1"`)).body.__COUNT).toBe(3)
    clock.pass(60_000)
    expect((await get(rest, `${set}?$savedfilter="size>1"`)).body.__COUNT).toBe(2)
  })

  test('changes of the wall clock do not affect lifetimes', async () => {
    const set = await keep('Item?$method=entityset')
    clock.wallNow += 1000 * HOURS
    expect((await get(rest, set)).status).toBe(200)
    clock.wallNow = 0
    clock.monotonicNow += 2 * HOURS
    expectError(await get(rest, set), 404, 1802)
  })

  test.each(['0', '-1', 'soon', '', '1e3'])('$timeout=%s is refused', async (timeout) => {
    expect((await get(rest, `/rest/Item?$method=entityset&$timeout=${timeout}`)).status).toBe(400)
    expect(store.entitySets.size).toBe(0)
  })

  test('$timeout on an unchanged set changes the lifetime of that set', async () => {
    const set = await keep('Item?$method=entityset')
    expect(await keep(`${set.slice('/rest/'.length)}?$method=entityset&$timeout=5`)).toBe(set)
    clock.pass(5000)
    expectError(await get(rest, set), 404, 1802)
  })
})

describe('operations that renew a lifetime', () => {
  const RENEWING: readonly (readonly [string, (set: string) => Promise<Reply>])[] = [
    ['a page', (set) => get(rest, `${set}?$top=1`)],
    ['an aggregate', (set) => get(rest, `${set}/size?$compute=sum`)],
    ['distinct values', (set) => get(rest, `${set}/size?$distinct=true`)],
    ['$clean', (set) => get(rest, `${set}?$clean=true`)],
    ['the same set again', (set) => get(rest, `${set}?$method=entityset`)],
    [
      'being the first of an operation',
      (set) => get(rest, `${set}?$logicOperator=AND&$otherCollection=$none`),
    ],
    [
      'being the second of an operation',
      (set) =>
        get(rest, `/rest/Item/$entityset/$none?$logicOperator=OR&$otherCollection=${idOf(set)}`),
    ],
    [
      'INTERSECT',
      (set) => get(rest, `${set}?$logicOperator=INTERSECT&$otherCollection=${idOf(set)}`),
    ],
    ['a deletion', (set) => post(rest, `${set}?$method=delete&$filter="size>9"`)],
  ]

  test.each(RENEWING)('%s', async (_, use) => {
    const set = await keep('Item?$method=entityset&$timeout=60')
    clock.pass(59_999)
    expect((await use(set)).status).toBe(200)
    clock.pass(59_999)
    expect((await get(rest, set)).status).toBe(200)
  })

  test.each([
    ['a read as of another dataclass', (set: string) => get(rest, set.replace('/Item/', '/Box/'))],
    [
      'a release as of another dataclass',
      (set: string) => get(rest, `${set.replace('/Item/', '/Box/')}?$method=release`),
    ],
    [
      'an operation with a set of another dataclass',
      (set: string) =>
        get(rest, `/rest/Box/$entityset/$none?$logicOperator=OR&$otherCollection=${idOf(set)}`),
    ],
  ])('a request that does not renew it: %s', async (_, use) => {
    const set = await keep('Item?$method=entityset&$timeout=60')
    clock.pass(59_999)
    expect((await use(set)).status).toBe(404)
    clock.pass(1)
    expectError(await get(rest, set), 404, 1802)
  })
})

describe("scope 'session'", () => {
  beforeEach(() => {
    rest = createRestHandler(store, { entitySets: { scope: 'session' } })
  })

  /** A set and the cookie of its session, which the same answer gives. */
  async function keepOwn(
    address = '/rest/Item?$method=entityset',
  ): Promise<{ set: string; cookie: string }> {
    const reply = await get(rest, address)
    const cookie = reply.headers['set-cookie']?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^4DSID_items=/)
    return { set: reply.body.__ENTITYSET, cookie }
  }
  const as = (cookie: string, url: string, method = 'GET', body?: unknown): Promise<Reply> =>
    send(rest, method, url, body, { cookie })

  test('a set is found by the session that created it', async () => {
    const { set, cookie } = await keepOwn()
    const reply = await as(cookie, set)
    expect([reply.status, reply.body.__COUNT, reply.headers['set-cookie']]).toEqual([
      200,
      3,
      undefined,
    ])
    expect((await as(cookie, `${set}?$method=release`)).body).toEqual({ ok: true })
  })

  test('other callers get the same error as for an expired set', async () => {
    const { set } = await keepOwn()
    const other = await keepOwn()
    const never = `/rest/Item/$entityset/${'0'.repeat(32)}`
    for (const [ask, verb] of [
      ['', 'GET'],
      ['?$method=release', 'GET'],
      ['?$method=entityset', 'GET'],
      ['?$method=delete', 'POST'],
      ['?$savedfilter="size>1"', 'GET'],
    ] as const)
      for (const cookie of ['', other.cookie]) {
        const reply = await as(cookie, `${set}${ask}`, verb)
        expectError(reply, 404, 1802)
        if (!ask.includes('saved')) {
          const unknown = await as(cookie, `${never}${ask}`, verb)
          expect(reply.text.replaceAll(idOf(set), '')).toBe(
            unknown.text.replaceAll('0'.repeat(32), ''),
          )
        }
      }
    // As one of another dataclass, too.
    expectError(await as(other.cookie, set.replace('/Item/', '/Box/')), 404, 1802)
    const operation = `$logicOperator=OR&$otherCollection=${idOf(set)}`
    expectError(await as(other.cookie, `${other.set}?${operation}`), 404, 1820)
    expect((await as(other.cookie, '/rest/$entityset/$release', 'POST', [idOf(set)])).body).toEqual(
      { ok: true },
    )
    expect([
      store.Item.all().count,
      store.entitySets.list().some(({ id }) => id === idOf(set)),
    ]).toEqual([3, true])
  })

  test('a set ends with its session', async () => {
    const { set, cookie } = await keepOwn()
    await as(cookie, '/rest/$directory/logout')
    expectError(await as(cookie, set), 404, 1802)
    expect(store.entitySets.size).toBe(0)
  })

  test('a recreated set belongs to the session that recreates it', async () => {
    const address = `/rest/Item/$entityset/${'E'.repeat(32)}`
    const made = await get(rest, `${address}?$savedfilter="size>1"&$method=entityset`)
    const cookie = made.headers['set-cookie']?.split(';')[0] ?? ''
    expect([made.status, made.body.__ENTITYSET]).toEqual([200, address])
    expect((await as(cookie, address)).body.__COUNT).toBe(2)
    expectError(await get(rest, address), 404, 1802)
  })

  test('$timeout on an unchanged set leaves it with its session', async () => {
    const { set, cookie } = await keepOwn()
    expect((await as(cookie, `${set}?$method=entityset&$timeout=50`)).body.__ENTITYSET).toBe(set)
    expectError(await get(rest, set), 404, 1802)
    clock.pass(50_000)
    expectError(await as(cookie, set), 404, 1802)
  })

  test('a plain read and a refused request open no session', async () => {
    for (const address of [
      '/rest/Item',
      '/rest/Item?$method=entityset&$orderby=nothing',
      '/rest/Item/$entityset/x',
    ])
      expect((await get(rest, address)).headers['set-cookie']).toBeUndefined()
    expect(store.sessions.size).toBe(0)
  })
})

test("scope 'store' is the default, needs no session, and does not find sets of sessions", async () => {
  const set = await keep('Item?$method=entityset')
  expect((await get(rest, set)).status).toBe(200)
  expect(store.sessions.size).toBe(0)
  const session = store.sessions.open()
  const own = `/rest/Item/$entityset/${store.entitySets.create(store.Item.all(), { owner: session })}`
  expectError(await get(rest, own), 404, 1802)
  expectError(await get(rest, `${own}?$savedfilter="size>1"`), 404, 1802)
  const mine = await send(rest, 'GET', `${own}?$method=entityset&$timeout=9`, undefined, {
    cookie: `4DSID_items=${session.token}`,
  })
  expect(mine.body.__ENTITYSET).toBe(own)
  expectError(await get(rest, own), 404, 1802)
})

test.each([{ scope: 'all' }, { scop: 'store' }, 'session', null, []])(
  'entitySets: %j is not an option',
  (entitySets) => {
    expect(() => createRestHandler(store, { entitySets: entitySets as never })).toThrow(
      /entitySets/,
    )
  },
)
