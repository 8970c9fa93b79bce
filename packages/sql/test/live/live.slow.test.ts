import type { AnyDataStore } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import { afterEach, expect, test } from 'vitest'
import { createHr } from '../../../rest/test/http/models.ts'
import { expectError, get, send } from '../../../rest/test/http/send.ts'
import { createStaff, USERS } from '../../../rest/test/http/staff.ts'
import { brief, follow } from '../../../rest/test/live/follow.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { processTime } from '../../src/server-state/state-port.ts'
import { openModel } from '../../src/store/open-sql-store.ts'
import { checkSqlOptions, type SqlStore } from '../../src/store/sql-options.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { quick } from './quick.ts'

const FILTER = '/rest/Employee?$filter="salary>1000"&$attributes=lastName,salary&$live=true'

function withoutEmployees(): ReturnType<typeof createHr> {
  const memory = createHr()
  memory.Employee.all().remove()
  return memory
}

describeDatabases('live queries', { on: 'one' }, ({ newSchema, open }) => {
  const stores: SqlStore[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
  })

  async function serve(options: RestOptions = {}, memory: AnyDataStore = createHr()) {
    const schema = newSchema()
    const store = await openCopy(memory, open(), schema, {}, quick)
    const pool = open()
    /** The same dataset, as another process serves it. */
    const second = await openModel(
      sqlModelOf(memory.catalog, { schema }),
      pool,
      checkSqlOptions({
        name: memory.name,
        dataClasses: [],
        database: pool,
        schema,
        sharing: { cacheMilliseconds: 0 },
      }),
      processTime(handleOf(memory).clock),
      quick,
    )
    stores.push(store, second)
    const served = (of: SqlStore, more: RestOptions = {}) =>
      createRestHandler(of, { live: true, ...options, ...more })
    return { store, second, rest: served(store), other: served(second), served }
  }
  const save = async (rest: RestHandler, ...entities: object[]) => {
    const url = '/rest/Employee?$method=update&$atomic=true'
    const { status, body } = await send(rest, 'POST', url, entities)
    expect([status, body]).toEqual([200, expect.anything()])
    const [first] = (body.__ENTITIES ?? [body]) as readonly { readonly __KEY: string }[]
    return String(first?.__KEY)
  }

  test('a stream sends the selection, then an event for each change by any process', async () => {
    const { rest, other } = await serve()
    const followed = await follow(rest, FILTER)
    const page = (await get(rest, FILTER.replace('&$live=true', ''))).body
    const first = await followed.next()
    expect(first?.data).toEqual({ __PLAN: 'recompute', ...page })
    const poor = await save(other, { lastName: 'Poor', salary: 1 })
    await save(other, { __KEY: poor, salary: 2000 })
    const entered = await followed.next()
    expect(brief(entered)).toEqual(['delta', [poor], [], [], null])
    const shown = (
      await get(rest, `/rest/Employee?$filter="ID=${poor}"&$attributes=lastName,salary`)
    ).body
    expect(entered?.data?.__ENTERED).toEqual(shown.__ENTITIES)
    const stamp = Number(entered?.data?.__GlobalStamp)
    expect(stamp).toBe(shown.__GlobalStamp)
    await save(rest, { __KEY: poor, salary: 3000 })
    expect(brief(await followed.next())).toEqual(['delta', [], [poor], [], null])
    await send(other, 'DELETE', `/rest/Employee(${poor})`)
    expect(brief(await followed.next())).toEqual(['delta', [], [], [poor], null])
    await followed.leave()
    expect(await followed.next()).toBe(null)
  })

  test('a stream follows a page in its order', async () => {
    const { rest } = await serve()
    const url = '/rest/Employee?$orderby=salary desc&$top=2&$live=true'
    const top = await follow(rest, url)
    const [, before] = brief(await top.next()) as [string, string[]]
    const rich = await save(rest, { lastName: 'Rich', salary: 60_000 })
    const [highest, second] = before
    expect(brief(await top.next())).toEqual(['delta', [rich], [], [second], [rich, highest]])
    await save(rest, { __KEY: rich, salary: 1 })
    expect(brief(await top.next())).toEqual(['delta', [second], [], [rich], before])
  })

  test('a slow client gets one event for all changes since the last that it took', async () => {
    const { rest, other } = await serve()
    const followed = await follow(rest, FILTER)
    const [, keys] = brief(await followed.next()) as [string, string[]]
    const [a, b] = keys
    for (let i = 0; i < 5; i++) await save(other, { __KEY: a, salary: 2000 + i })
    await save(other, { __KEY: b, salary: 1 })
    const last = await save(other, { lastName: 'Came', salary: 5000 })
    const mirror = new Map<string, unknown>()
    for (let hasLast = false; !hasLast; ) {
      const event = await followed.next()
      expect(event?.name).toBe('delta')
      const { __CHANGED, __LEFT, __ENTERED } = event?.data ?? {}
      for (const each of __CHANGED as { __KEY: string; salary: number }[])
        mirror.set(each.__KEY, each.salary)
      for (const key of __LEFT as string[]) mirror.set(key, 'left')
      hasLast = JSON.stringify(__ENTERED).includes(`"${last}"`)
    }
    expect([...mirror]).toEqual(
      expect.arrayContaining([
        [a, 2004],
        [b, 'left'],
      ]),
    )
  })

  test('a client that reconnects to any process gets no event twice', async () => {
    const { rest, other, served, second } = await serve()
    const followed = await follow(rest, FILTER)
    const id = (await followed.next())?.id as string
    await followed.leave()
    // Data that the query does not read may change meanwhile.
    await send(rest, 'POST', '/rest/Company?$method=update', { name: 'Unread' })
    const again = async (lastEventId: string, at: RestHandler = other) => {
      const back = await follow(at, FILTER, { headers: { 'last-event-id': lastEventId } })
      const poke = await save(rest, { lastName: 'Poke', salary: 1001 })
      const event = brief(await back.next()) as unknown[]
      await back.leave()
      await send(rest, 'DELETE', `/rest/Employee(${poke})`)
      return [event[0], poke, event[1]]
    }
    const [name, poke, entered] = await again(id)
    expect([name, entered]).toEqual(['delta', [poke]])
    // Employees have changed since, and the complete result takes less than finding out how.
    expect((await again(id))[0]).toBe('initial')
    const now = (await get(rest, '/rest/Employee?$top=0')).body.__GlobalStamp as number
    const fresh = `${now}-${second.id}`
    for (const other of [`${now}-${'0'.repeat(32)}`, `999999-${second.id}`, 'x'])
      expect((await again(other))[0]).toBe('initial')
    expect((await again(fresh, served(second, { authorize: () => true })))[0]).toBe('initial')
  })

  test('a stream contains only what its caller may see', async () => {
    const { served, store, rest } = await serve({}, withoutEmployees())
    const refusing = served(store, {
      authorize: ({ dataClass, action, attribute }) => {
        if (dataClass === 'Employee' && action === 'read' && attribute === undefined)
          return 'salary < 3000'
        return attribute !== 'email'
      },
    })
    const key = await save(rest, { lastName: 'Seen', salary: 2000, email: 'a@b' })
    const followed = await follow(refusing, '/rest/Employee?$live=true')
    const first = await followed.next()
    expect(brief(first)).toEqual(['initial', [key]])
    expect(JSON.stringify(first?.data)).not.toContain('a@b')
    await save(rest, { lastName: 'Hidden', salary: 9000 })
    await save(rest, { __KEY: key, salary: 8000 })
    const delta = await followed.next()
    expect(brief(delta)).toEqual(['delta', [], [], [key], null])
    expect(JSON.stringify(delta?.data)).not.toContain('8000')
  })

  test('a stream ends with its session, also if another process ends it', async () => {
    const [user] = USERS as readonly { readonly name: string; readonly password: string }[]
    for (const place of ['here', 'there']) {
      const { rest, other } = await serve({ users: USERS }, createStaff().store)
      const login = await send(rest, 'POST', '/rest/$directory/login', [user?.name, user?.password])
      const cookie = login.headers['set-cookie']?.split(';')[0] ?? ''
      const followed = await follow(rest, '/rest/Person?$live=true', { headers: { cookie } })
      expect((await followed.next())?.name).toBe('initial')
      const at = place === 'here' ? rest : other
      const secret = await send(at, 'POST', '/rest/$directory/logout', [], { cookie })
      expect(secret.status).toBe(200)
      const seen: unknown[] = []
      for (let event = await followed.next(); event !== null; event = await followed.next())
        seen.push(brief(event))
      expect(seen).toEqual([['end', 'session']])
    }
  })

  test('a selection above the limit is refused, and ends a stream that has grown beyond it', async () => {
    const { rest, other } = await serve({ live: { maxEntities: 3 } }, withoutEmployees())
    const rows = (count: number) => Array.from({ length: count }, () => ({ salary: 2000 }))
    await save(rest, ...rows(3))
    const followed = await follow(rest, FILTER)
    expect(await followed.next()).toMatchObject({ data: { __SENT: 3 } })
    await save(other, ...rows(2))
    expect((await followed.next())?.data?.__ENTERED).toHaveLength(2)
    expectError(await get(rest, FILTER), 400, 9055)
    // A page that was cut without notice would look like the whole result.
    expectError(await get(rest, `${FILTER}&$top=50`), 400, 9055)
    const page = await follow(rest, `${FILTER}&$top=3`)
    expect(page.status).toBe(200)
    await save(other, ...rows(4))
    expect(brief(await followed.next())).toEqual(['end', 'budgetExceeded'])
    await page.leave()
  })

  test('close ends the streams and all polling', async () => {
    const { rest, store } = await serve()
    const followed = await follow(rest, FILTER)
    expect((await followed.next())?.name).toBe('initial')
    const next = followed.next()
    await store.close()
    expect(brief(await next)).toEqual(['end', 'closed'])
    expect(await followed.next()).toBe(null)
    expectError(await get(rest, FILTER), 503, 9123)
  })
})
