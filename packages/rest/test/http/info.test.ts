import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type InfoRule } from '../../src/index.ts'
import { Browser } from './browser.ts'
import { errCodes } from './send.ts'
import { createStaff, USERS } from './staff.ts'

let staff: ReturnType<typeof createStaff>
let ada: Browser
let guest: Browser
let reported: unknown[]

/** Ada and a guest have a session each; one set is Ada's, one is shared, one of a hidden class. */
async function serve(info?: InfoRule): Promise<{ adas: string; anybodys: string }> {
  const { store } = staff
  const rest = createRestHandler(store, {
    users: USERS,
    onError: (error) => reported.push(error),
    ...(info === undefined ? {} : { info }),
  })
  ada = new Browser(rest)
  guest = new Browser(rest)
  await ada.post('/rest/$directory/login', ['ada', 'Pässwörd'])
  await guest.get('/rest/Person(1)?$lock=true')
  const owner = store.sessions.peek(ada.cookie!.split('=')[1]!)!
  const adas = store.entitySets.create(store.Person.all().orderBy('name'), {
    owner,
    lifetimeSeconds: 600,
  })
  const anybodys = store.entitySets.create(store.Team.query('ID = 1'))
  store.entitySets.create(store.Vault.all())
  return { adas, anybodys }
}
beforeEach(() => {
  staff = createStaff()
  reported = []
})

const ids = (sets: readonly { readonly id: string }[]) => sets.map(({ id }) => id)
const names = (sessions: readonly { readonly userName: string }[]) =>
  sessions.map(({ userName }) => userName)

test('every caller sees the counts and its own sets and session', async () => {
  const { adas } = await serve()
  const { body } = await ada.get('/rest/$info')
  expect(Object.keys(body)).toEqual([
    'cacheSize',
    'usedCache',
    'entitySetCount',
    'entitySet',
    'ProgressInfo',
    'sessionInfo',
  ])
  expect([body.entitySetCount, ids(body.entitySet), names(body.sessionInfo)]).toEqual([
    2,
    [adas],
    ['ada'],
  ])
  expect(body.ProgressInfo).toEqual([])
  expect(body.usedCache).toBeLessThanOrEqual(body.cacheSize)
  const other = (await guest.get('/rest/$info')).body
  expect([other.entitySetCount, other.entitySet, names(other.sessionInfo)]).toEqual([2, [], ['']])
  const nobody = (await new Browser(createRestHandler(staff.store)).get('/rest/$info')).body
  expect([nobody.entitySetCount, nobody.entitySet, nobody.sessionInfo]).toEqual([2, [], []])
})

test('with info "all" every caller sees everything exposed', async () => {
  const { adas, anybodys } = await serve('all')
  staff.pass(30)
  const { body } = await guest.get('/rest/$info')
  expect([body.entitySetCount, ids(body.entitySet).sort(), names(body.sessionInfo).sort()]).toEqual(
    [2, [adas, anybodys].sort(), ['', 'ada']],
  )
  expect(body.entitySet.find((set: { id: string }) => set.id === adas)).toEqual({
    id: adas,
    tableName: 'Person',
    selectionSize: 3,
    sorted: true,
    refreshed: '2024-01-31T12:30:15Z',
    expires: '2024-01-31T12:40:15Z',
  })
  const lifetime = ({ refreshed, expires }: { refreshed: string; expires: string }) =>
    (Date.parse(expires) - Date.parse(refreshed)) / 1000
  expect(body.entitySet.map(lifetime).sort()).toEqual([600, 7200])
  expect(
    body.sessionInfo.find((session: { userName: string }) => session.userName === 'ada'),
  ).toEqual({
    sessionID: expect.stringMatching(/^[0-9A-F]{32}$/),
    userID: 'ada',
    userName: 'ada',
    lifeTime: 3600,
    expiration: '2024-01-31T13:30:15Z',
  })
})

test('$info contains no token', async () => {
  await serve('all')
  const { text } = await ada.get('/rest/$info')
  for (const browser of [ada, guest]) expect(text).not.toContain(browser.cookie!.split('=')[1])
})

test('the option may be a function of the session, also an asynchronous one', async () => {
  await serve(async (session) => session?.user?.groups.includes('admins') === true)
  expect((await ada.get('/rest/$info/entitySet')).body.entitySet).toHaveLength(2)
  expect((await guest.get('/rest/$info/entitySet')).body.entitySet).toHaveLength(0)
})

test('a function that throws or returns no boolean shows only the default', async () => {
  const failure = new Error('rule')
  for (const rule of [
    () => {
      throw failure
    },
    () => Promise.reject(failure),
    () => 'yes' as never,
  ]) {
    staff = createStaff()
    await serve(rule)
    expect((await ada.get('/rest/$info/entitySet')).body.entitySet).toHaveLength(1)
  }
  expect(reported).toEqual([failure, failure])
})

test.each([
  ['cacheInfo', ['cacheSize', 'usedCache']],
  ['entitySet', ['entitySetCount', 'entitySet']],
  ['progressInfo', ['ProgressInfo']],
  ['sessionInfo', ['sessionInfo']],
])('$info/%s is that part', async (part, members) => {
  await serve()
  const { body } = await ada.get(`/rest/$info/${part}`)
  expect(Object.keys(body)).toEqual(members)
  const whole = (await ada.get('/rest/$info')).body
  for (const member of members) expect(body[member]).toEqual(whole[member])
})

test('unknown parts of $info are 404, and writes are refused', async () => {
  await serve()
  expect((await ada.get('/rest/$info/nothing')).status).toBe(404)
  const reply = await ada.post('/rest/$info', {})
  expect([reply.status, errCodes(reply)]).toEqual([405, [9105]])
})

test('privileges list what the caller may do with each dataclass that it may see', async () => {
  const { store } = staff
  const rules: { [question: string]: boolean | string } = {
    'ada Person delete': false,
    'ada Person call': true,
    'ada Team update': 'ID = 1',
    'guest Person read': true,
    'guest Team describe': false,
  }
  const rest = createRestHandler(store, {
    users: USERS,
    authorize: ({ session, dataClass, action, attribute }) => {
      if (attribute !== undefined) return true
      const user = session?.user?.userName ?? 'guest'
      return rules[`${user} ${dataClass} ${action}`] ?? (action === 'describe' || user === 'ada')
    },
  })
  const ada = new Browser(rest)
  await ada.post('/rest/$directory/login', ['ada', 'Pässwörd'])
  const all = ['describe', 'read', 'create', 'update', 'delete', 'lock']
  expect((await ada.get('/rest/$info/privileges')).body).toEqual({
    privileges: [
      { dataClass: 'Team', actions: all, functions: [] },
      {
        dataClass: 'Person',
        actions: all.filter((action) => action !== 'delete'),
        functions: ['ping'],
      },
    ],
  })
  expect((await new Browser(rest).get('/rest/$info/privileges')).body).toEqual({
    privileges: [{ dataClass: 'Person', actions: ['describe', 'read'], functions: [] }],
  })
})

test('without permissions every caller may do everything that is exposed', async () => {
  const { body } = await new Browser(createRestHandler(staff.store)).get('/rest/$info/privileges')
  expect(body.privileges.map(({ dataClass }: { dataClass: string }) => dataClass)).toEqual([
    'Team',
    'Person',
  ])
  expect(body.privileges[1]).toEqual({
    dataClass: 'Person',
    actions: ['describe', 'read', 'create', 'update', 'delete', 'lock'],
    functions: ['ping'],
  })
})

test('privileges agree with the answers to requests of each action', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(['describe', 'read', 'create', 'update', 'delete', 'lock', 'call']),
      async (allowed) => {
        const { store } = createStaff()
        const rest = createRestHandler(store, {
          authorize: ({ action }) => allowed.includes(action),
        })
        const browser = new Browser(rest)
        const { privileges } = (await browser.get('/rest/$info/privileges')).body
        const person = privileges.find(
          ({ dataClass }: { dataClass: string }) => dataClass === 'Person',
        )
        const actions: string[] = person?.actions ?? []
        const may = async (reply: Promise<{ status: number }>): Promise<boolean> =>
          (await reply).status < 400
        const reads = actions.includes('read')
        expect(await may(browser.get('/rest/Person'))).toBe(reads)
        expect(await may(browser.post('/rest/Person?$method=insert', { email: 'new@x.org' }))).toBe(
          reads && actions.includes('create'),
        )
        expect(await may(browser.get('/rest/Person(1)?$lock=true'))).toBe(
          reads && actions.includes('lock'),
        )
        expect(await may(browser.get('/rest/Person(1)/ping'))).toBe(
          reads && (person?.functions ?? []).includes('ping'),
        )
        expect(await may(browser.post('/rest/Person(2)?$method=delete'))).toBe(
          reads && actions.includes('delete'),
        )
      },
    ),
    runs(40),
  )
})
