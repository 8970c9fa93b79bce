import { createLocalEngine } from '@entia/engine'
import { expect, test } from 'vitest'
import { createRestHandler, type RestOptions } from '../../src/index.ts'
import { createHandlerOf } from '../../src/transport/handler/rest-handler.ts'
import { createHr } from '../http/models.ts'
import { expectError, get, send } from '../http/send.ts'
import { createStaff, USERS } from '../http/staff.ts'
import { brief, follow } from './follow.ts'

const serve = (options: RestOptions = {}, store = createHr()) => ({
  store,
  rest: createRestHandler(store, { live: true, ...options }),
})
const FILTER = '/rest/Employee?$filter="salary>1000"&$attributes=lastName,salary&$live=true'

test('a stream sends the selection in the form of a page, and then an event per change', async () => {
  const { rest, store } = serve()
  const keys = store.Employee.query('salary > 1000').keys().map(String)
  const followed = await follow(rest, FILTER)
  expect([followed.status, followed.headers['content-type'], followed.body]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    '',
  ])
  const page = (await get(rest, FILTER.replace('&$live=true', ''))).body
  const first = await followed.next()
  expect(first?.data).toEqual({ __PLAN: 'incremental', ...page })
  expect(first?.id).toBe(`${store.globalStamp}-${store.id}`)
  expect(brief(first)).toEqual(['initial', keys])
  const poor = store.Employee.insert({ lastName: 'Poor', salary: 1 })
  store.Employee.update(poor.key, { salary: 2000 })
  const entered = await followed.next()
  expect(brief(entered)).toEqual(['delta', [String(poor.key)], [], [], null])
  const shown = (
    await get(rest, `/rest/Employee?$filter="ID=${poor.key}"&$attributes=lastName,salary`)
  ).body
  expect(entered?.data?.__ENTERED).toEqual(shown.__ENTITIES)
  expect(entered?.data?.__GlobalStamp).toBe(store.globalStamp)
  store.Employee.update(poor.key, { salary: 3000 })
  expect(brief(await followed.next())).toEqual(['delta', [], [String(poor.key)], [], null])
  store.Employee.remove(poor.key)
  expect(brief(await followed.next())).toEqual(['delta', [], [], [String(poor.key)], null])
  await followed.leave()
  expect(await followed.next()).toBe(null)
})

test('a stream follows a page in its order, and the entities of a relation', async () => {
  const { rest, store } = serve()
  const top = await follow(rest, '/rest/Employee?$orderby=salary desc&$top=2&$live=true')
  const before = store.Employee.all().orderBy('salary desc').page(0, 2).keys()
  expect(brief(await top.next())).toEqual(['initial', before.map(String)])
  const rich = store.Employee.insert({ lastName: 'Rich', salary: 60_000 })
  const order = [String(rich.key), String(before[0])]
  expect(brief(await top.next())).toEqual([
    'delta',
    [String(rich.key)],
    [],
    [String(before[1])],
    order,
  ])
  const employer = store.Company.all().first() as { readonly key: number }
  const related = await follow(rest, `/rest/Company(${employer.key})/employees?$live=true`)
  expect((await related.next())?.name).toBe('initial')
  store.Employee.update(rich.key, { employer: employer.key })
  expect(brief(await related.next())).toEqual(['delta', [String(rich.key)], [], [], null])
  const path = await follow(rest, '/rest/Employee?$filter="employer.city=Nowhere"&$live=true')
  expect((await path.next())?.data?.__PLAN).toBe('incremental')
  store.Company.update(employer.key, { city: 'Nowhere' })
  expect((await path.next())?.data?.__ENTERED).toHaveLength(
    store.Employee.query('employer.city = Nowhere').count,
  )
})

test('a slow client gets one event for all changes meanwhile', async () => {
  const { rest, store } = serve()
  const followed = await follow(rest, FILTER)
  await followed.next()
  const [a, b] = store.Employee.query('salary > 1000').keys()
  for (let i = 0; i < 50; i++) store.Employee.update(a as number, { salary: 2000 + i })
  store.Employee.update(b as number, { salary: 1 })
  const { key } = store.Employee.insert({ lastName: 'Came', salary: 5000 })
  store.Employee.remove(store.Employee.insert({ lastName: 'Went', salary: 5000 }).key)
  await new Promise(setImmediate)
  const delta = await followed.next()
  expect(brief(delta)).toEqual(['delta', [String(key)], [String(a)], [String(b)], null])
  expect(delta?.data?.__CHANGED).toEqual([expect.objectContaining({ salary: 2049 })])
})

test('a reconnecting client gets the missed deltas, or a complete result if they are unknown', async () => {
  const { rest, store } = serve()
  const followed = await follow(rest, FILTER)
  const id = (await followed.next())?.id as string
  await followed.leave()
  const again = async (lastEventId: string, url = FILTER, at = rest) => {
    const back = await follow(at, url, { headers: { 'last-event-id': lastEventId } })
    const poke = store.Employee.insert({ lastName: 'Poke', salary: 1001 })
    const event = brief(await back.next())
    await back.leave()
    store.Employee.remove(poke.key)
    return (event as unknown[])[0]
  }
  const [key] = store.Employee.query('salary > 1000').keys()
  store.Employee.remove(key as number)
  const back = await follow(rest, FILTER, { headers: { 'last-event-id': id } })
  expect(brief(await back.next())).toEqual(['delta', [], [], [String(key)], null])
  await back.leave()
  expect(await again(id)).toBe('delta')
  // Of another engine, of the future, of nothing, and what has to be run again.
  for (const other of [
    id.replace(/-.*/, `-${'0'.repeat(32)}`),
    id.replace(/^\d+/, '999999'),
    'x',
    '',
  ])
    expect(await again(other)).toBe('initial')
  expect(await again(id, `${FILTER}&$top=2`)).toBe('initial')
  const { rest: permitted } = serve({ authorize: () => true }, store)
  expect(await again(id, FILTER, permitted)).toBe('initial')
})

test('a reconnecting client with the same permissions gets the missed delta, with others a complete result', async () => {
  let limit = 3000
  const { rest, store } = serve({
    authorize: ({ dataClass, action, attribute }) =>
      dataClass === 'Employee' && action === 'read' && attribute === undefined
        ? { filter: 'salary < :1', parameters: [limit] }
        : true,
  })
  store.Employee.all().remove()
  const { key } = store.Employee.insert({ lastName: 'Seen', salary: 2000 })
  const url = '/rest/Employee?$live=true'
  const followed = await follow(rest, url)
  const id = (await followed.next())?.id as string
  await followed.leave()
  store.Employee.insert({ lastName: 'Hidden', salary: 9000 })
  store.Employee.update(key, { salary: 8000 })
  const back = await follow(rest, url, { headers: { 'last-event-id': id } })
  expect(brief(await back.next())).toEqual(['delta', [], [], [String(key)], null])
  await back.leave()
  limit = 8500
  const other = await follow(rest, url, { headers: { 'last-event-id': id } })
  expect(brief(await other.next())).toEqual(['initial', [String(key)]])
  await other.leave()
})

test('a stream contains only what its caller may see', async () => {
  const { rest, store } = serve({
    authorize: ({ dataClass, action, attribute }) => {
      if (dataClass === 'Employee' && action === 'read' && attribute === undefined)
        return 'salary < 3000'
      return attribute !== 'email'
    },
  })
  store.Employee.all().remove()
  const { key } = store.Employee.insert({ lastName: 'Seen', salary: 2000, email: 'a@b' })
  const followed = await follow(rest, '/rest/Employee?$live=true')
  const first = await followed.next()
  expect(brief(first)).toEqual(['initial', [String(key)]])
  expect(JSON.stringify(first?.data)).not.toContain('a@b')
  store.Employee.insert({ lastName: 'Hidden', salary: 9000 })
  store.Employee.update(key, { salary: 8000 })
  const delta = await followed.next()
  expect(brief(delta)).toEqual(['delta', [], [], [String(key)], null])
  expect(JSON.stringify(delta?.data)).not.toContain('8000')
  const { rest: refusing } = serve({ authorize: ({ action }) => action === 'describe' })
  expect((await get(refusing, '/rest/Employee?$live=true')).status).toBeGreaterThan(400)
})

test('a stream ends with its session, before it gets further deltas', async () => {
  const { store } = createStaff()
  const rest = createRestHandler(store, { live: true, users: USERS })
  const [user] = USERS as readonly { readonly name: string; readonly password: string }[]
  const login = await send(rest, 'POST', '/rest/$directory/login', [user?.name, user?.password])
  const cookie = login.headers['set-cookie']?.split(';')[0] ?? ''
  const followed = await follow(rest, '/rest/Person?$live=true', { headers: { cookie } })
  expect((await followed.next())?.name).toBe('initial')
  await send(rest, 'POST', '/rest/$directory/logout', [], { cookie })
  store.Person.insert({ name: 'Secret' })
  expect(brief(await followed.next())).toEqual(['end', 'session'])
  expect(await followed.next()).toBe(null)
})

test('each heartbeat sends a comment and checks the session; heartbeats end with the stream', async () => {
  const { store, pass } = createStaff({ idleSeconds: 600 })
  const ticks = new Set<() => void>()
  const every = (milliseconds: number, tick: () => void) => {
    expect(milliseconds).toBe(3000)
    ticks.add(tick)
    return () => void ticks.delete(tick)
  }
  const rest = createHandlerOf(
    createLocalEngine(store),
    { live: { heartbeatSeconds: 3 } },
    { host: { every } },
  )
  const lock = await send(rest, 'GET', '/rest/Person(1)?$lock=true')
  const cookie = lock.headers['set-cookie']?.split(';')[0] ?? ''
  const followed = await follow(rest, '/rest/Person?$live=true', { headers: { cookie } })
  await followed.next()
  const beat = followed.next()
  for (const tick of ticks) tick()
  expect(await beat).toEqual({ name: '', id: '', data: null })
  pass(700)
  const end = followed.next()
  for (const tick of ticks) tick()
  expect(brief(await end)).toEqual(['end', 'session'])
  expect(ticks.size).toBe(0)
})

test('streams are counted per session and in total until they end for any reason', async () => {
  const { rest, store } = serve({ live: { maxStreams: 3, maxStreamsPerSession: 2 } })
  const one = await follow(rest, FILTER)
  const abort = new AbortController()
  const two = await follow(rest, FILTER, { signal: abort.signal })
  await Promise.all([one.next(), two.next()])
  const full = await get(rest, FILTER)
  expectError(full, 429, 9114)
  expect(full.headers['retry-after']).toBe('15')
  abort.abort()
  expect(await two.next()).toBe(null)
  const session = store.sessions.open({})
  expect((await follow(rest, FILTER)).status).toBe(200)
  expect((await get(rest, FILTER)).status).toBe(429)
  const cookie = `4DSID_hr=${session.token}`
  expect((await follow(rest, FILTER, { headers: { cookie } })).status).toBe(200)
  expect((await follow(rest, FILTER, { headers: { cookie } })).status).toBe(429)
  rest.endStreams()
  expect(await one.next()).toBe(null)
  expect((await send(rest, 'HEAD', FILTER)).text).toBe('')
  const gone = await follow(rest, FILTER, { signal: AbortSignal.abort() })
  expect(await gone.next()).toBe(null)
  const [last] = [await follow(rest, FILTER), await follow(rest, FILTER)]
  expect((await last.next())?.name).toBe('initial')
  store.close()
  expect(brief(await last.next())).toEqual(['end', 'closed'])
})

test('a selection above the limit is refused, and ends a stream that has grown beyond it', async () => {
  const { rest, store } = serve({ live: { maxEntities: 3 } })
  store.Employee.all().remove()
  const rows = (count: number) => Array.from({ length: count }, () => ({ salary: 2000 }))
  store.Employee.load(rows(3))
  const followed = await follow(rest, FILTER)
  expect((await followed.next())?.data?.__SENT).toBe(3)
  store.Employee.load(rows(2))
  expect((await followed.next())?.data?.__ENTERED).toHaveLength(2)
  expectError(await get(rest, FILTER), 400, 9055)
  // A page that was cut without notice would look like the whole result.
  expectError(await get(rest, `${FILTER}&$top=50`), 400, 9055)
  expect((await follow(rest, `${FILTER}&$top=3`)).status).toBe(200)
  store.Employee.load(rows(4))
  expect(brief(await followed.next())).toEqual(['end', 'budgetExceeded'])
  const whole = await follow(rest, FILTER.replace('1000', '5000'))
  await whole.next()
  // A client that does not read gets no buffer for more changes than the limit.
  for (let i = 0; i < 4; i++) store.Employee.insert({ salary: 6000 + i })
  await new Promise(setImmediate)
  expect(brief(await whole.next())).toEqual(['end', 'budgetExceeded'])
})

test('requests that cannot be followed are refused with a reason, and all if the option is off', async () => {
  const { rest } = serve()
  const set = (await get(rest, '/rest/Employee?$method=entityset')).body.__ENTITYSET
  for (const url of [
    '/rest/Employee(1)?$live=true',
    `${set}?$live=true`,
    '/rest/Employee/salary?$compute=sum&$live=true',
    '/rest/Employee/salary?$distinct=true&$live=true',
    '/rest/Employee?$asArray=true&$live=true',
    '/rest/Employee?$queryplan=true&$live=true',
  ])
    expectError(await get(rest, url), 400, 1813)
  expect((await get(rest, '/rest/Employee?$filter="nosuch=1"&$live=true')).status).toBe(400)
  expect((await get(rest, '/rest/Employee?$live=maybe')).status).toBe(400)
  for (const live of [false, undefined]) {
    const off = createRestHandler(createHr(), live === undefined ? {} : { live })
    expectError(await get(off, FILTER), 400, 1813)
  }
  for (const live of [
    1,
    'yes',
    null,
    [],
    { maxStream: 1 },
    { maxStreams: 0 },
    { heartbeatSeconds: 1.5 },
  ])
    expect(() => createRestHandler(createHr(), { live } as never)).toThrow('"live" must be')
})
