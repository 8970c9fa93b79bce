import { attribute, createDataStore, defineDataClass, openDump, type Snapshot } from '@entia/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { type Authorize, createRestHandler, type RestHandler } from '../../src/index.ts'
import { png } from './images.ts'
import { type Reply, send } from './send.ts'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  members: attribute.relatedEntities('Member', 'team'),
})
const Member = defineDataClass('Member', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  notes: attribute.object<{ readonly mood?: string }>(),
  photo: attribute.image(),
  born: attribute.date({ dateOnly: true }),
  bornAt: attribute.date(),
  team: attribute.relatedEntity('Team'),
  teamName: attribute.alias('team.name'),
  greeting: attribute.computed('string', {
    get: (e: { name: string | null }) => `Hello ${e.name}`,
  }),
})

/**
 * Time does not pass, and every instance issues the same ids, so that states of an entity differ
 * only by its history.
 */
const ports = () => {
  let made = 0
  return {
    clock: { now: () => 1_700_000_000_000, monotonic: () => 1 },
    ids: {
      uuid: () => (++made).toString(16).padStart(32, '0'),
      token: () => (++made).toString(16).padStart(64, '0'),
    },
  }
}
const definition = { name: 'clubs', dataClasses: [Team, Member] } as const
const create = () => createDataStore({ ...definition, ...ports() })
type Club = ReturnType<typeof create>

const PROJECTIONS = [
  '',
  '?$attributes=name',
  '?$attributes=name,team',
  '?$attributes=notes.mood,name',
  '?$attributes=teamName',
  '?$attributes=greeting',
  '?$attributes=team.name',
  '?$attributes=name&$expand=team',
  '?$filter="name != zz"&$attributes=name',
  '/photo?$imageformat=best',
  '/team?$attributes=name',
]
const URLS = [1, 2].flatMap((key) => [
  ...PROJECTIONS.map((projection) => `/rest/Member(${key})${projection}`),
  `/rest/Team(${key})`,
  `/rest/Team(${key})?$attributes=name,members.name`,
])

type Step = (site: Site) => void
interface Site {
  store: Club
  rest: RestHandler
  snapshot: Snapshot | null
  /** The data that the permission hook hides. */
  hidden: 'nothing' | 'names' | 'teams'
  readonly isAuthorized: boolean
}

const authorizeOf =
  (site: Site): Authorize =>
  ({ action, dataClass, attribute: named }) => {
    if (site.hidden === 'names' && action === 'read' && named === 'name') return false
    return site.hidden === 'teams' &&
      action === 'read' &&
      dataClass === 'Team' &&
      named === undefined
      ? 'name = b'
      : true
  }
const serve = (site: Site): void => {
  site.rest = createRestHandler(
    site.store,
    site.isAuthorized ? { authorize: authorizeOf(site) } : {},
  )
}

const key = fc.constantFrom(1, 2)
const name = fc.constantFrom('a', 'b')
type Change = readonly [string, Step]
/** A change of a store, which may fail. */
const inStore = (label: string, change: (store: Club) => unknown): Change => [
  label,
  ({ store }) => {
    try {
      change(store)
    } catch {}
  },
]

const step: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(key, name)
    .map(([ID, name]) =>
      inStore(`update ${ID} ${name}`, (store) => store.Member.update(ID, { name })),
    ),
  fc
    .tuple(key, name)
    .map(([ID, mood]) =>
      inStore(`mood ${ID} ${mood}`, (store) => store.Member.update(ID, { notes: { mood } })),
    ),
  fc
    .tuple(key, key)
    .map(([ID, size]) =>
      inStore(`photo ${ID} ${size}`, (store) => store.Member.update(ID, { photo: png(size) })),
    ),
  fc
    .tuple(key, key)
    .map(([ID, team]) =>
      inStore(`move ${ID} ${team}`, (store) => store.Member.update(ID, { team })),
    ),
  fc
    .tuple(key, name)
    .map(([ID, name]) => inStore(`team ${ID} ${name}`, (store) => store.Team.update(ID, { name }))),
  key.map((ID) => inStore(`remove ${ID}`, (store) => store.Member.remove(ID))),
  key.map((ID) => inStore(`remove team ${ID}`, (store) => store.Team.remove(ID))),
  fc
    .tuple(key, name)
    .map(([ID, name]) =>
      inStore(`insert ${ID} ${name}`, (store) =>
        store.Member.insert({ ID, name, team: 1, photo: png(1) }),
      ),
    ),
  fc
    .tuple(key, name)
    .map(([ID, name]) =>
      inStore(`insert team ${ID} ${name}`, (store) => store.Team.insert({ ID, name })),
    ),
  fc.constant<Change>([
    'snapshot',
    (site) => {
      site.snapshot = site.store.snapshot()
    },
  ]),
  fc.constant<Change>([
    'restore',
    (site) => {
      if (site.snapshot !== null) site.store.restore(site.snapshot)
    },
  ]),
  fc.constantFrom('nothing' as const, 'names' as const, 'teams' as const).map(
    (hidden): Change => [
      `hide ${hidden}`,
      (site) => {
        site.hidden = hidden
      },
    ],
  ),
)

const text = ({ status, text }: Reply): string => `${status} ${text}`
const read = (site: Site, url: string, headers = {}) =>
  send(site.rest, 'GET', url, undefined, headers)

function open(isAuthorized: boolean): Site {
  const store = create()
  store.Team.load([
    { ID: 1, name: 'a' },
    { ID: 2, name: 'b' },
  ])
  store.Member.load([
    { ID: 1, name: 'a', team: 1, photo: png(1) },
    { ID: 2, name: 'b', team: 2 },
  ])
  const site = {
    store,
    snapshot: null,
    hidden: 'nothing' as const,
    isAuthorized,
  } as unknown as Site
  serve(site)
  return site
}

describe('an ETag', () => {
  test.each([false, true])(
    'identifies each byte of its answer; with a permission hook: %s',
    async (isAuthorized) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const site = open(isAuthorized)
          /** The answers of each address by ETag. */
          const given = new Map<string, Map<string, string>>(URLS.map((url) => [url, new Map()]))
          for (const [, change] of [['start', () => {}] as const, ...steps]) {
            change(site)
            for (const url of URLS) {
              const full = await read(site, url)
              const { etag } = full.headers
              const known = given.get(url)!
              for (const [held, answered] of known) {
                const reply = await read(site, url, { 'if-none-match': held })
                expect([url, held, reply.status === 304]).toEqual([url, held, held === etag])
                if (reply.status === 304) expect(answered).toBe(text(full))
              }
              if (etag !== undefined) known.set(etag, text(full))
            }
          }
        }),
        runs(25),
      )
    },
  )

  test('distinguishes the attributes and the form shown of one state of an entity', async () => {
    const { rest, store } = open(false)
    const attributes = [
      'ID',
      'name',
      'team',
      'notes',
      'notes.mood',
      'notes.other',
      'photo',
      'born',
      'bornAt',
    ]
    store.Member.update(1, { notes: { mood: 'good' }, born: '2000-02-01', bornAt: '2000-02-01' })
    const handlers = [
      rest,
      createRestHandler(store, { basePath: '/api/rest' }),
      createRestHandler(store, { dateOnlyFormat: 'd!m!yyyy' }),
    ]
    const lists = fc.shuffledSubarray(attributes, { minLength: 1 }).map((list) => list.join())
    const given = new Map<string, string>()
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(...handlers), async (list, handler) => {
        const url = `${handler.basePath}/Member(1)?$attributes=${list}`
        const full = await send(handler, 'GET', url)
        const { etag } = full.headers
        expect(etag).toMatch(/^"2-/)
        const known = given.get(etag!)
        // The same bytes may have several tags, never several bytes one tag.
        if (known !== undefined) expect([list, text(full)]).toEqual([list, known])
        given.set(etag!, text(full))
      }),
      runs(200),
    )
    const whole = await Promise.all(
      handlers.map((handler) => send(handler, 'GET', `${handler.basePath}/Team(1)`)),
    )
    const byTag = new Map(whole.map((reply) => [reply.headers.etag, text(reply)]))
    for (const reply of whole) expect(byTag.get(reply.headers.etag)).toBe(text(reply))
  })

  test('of one instance of the store does not match another instance', async () => {
    const site = open(false)
    const held = await Promise.all(URLS.map(async (url) => (await read(site, url)).headers.etag))
    site.store = openDump(site.store.dump(), { ...definition, clock: ports().clock })
    serve(site)
    for (const [at, url] of URLS.entries())
      if (held[at] !== undefined)
        expect((await read(site, url, { 'if-none-match': held[at] })).status).toBe(200)
  })

  test('is absent if another entity can change the answer', async () => {
    const own = [
      '',
      '?$attributes=name',
      '?$attributes=name,team',
      '?$attributes=notes.mood',
      '/photo?$imageformat=best',
    ]
    const shared = [
      '?$attributes=teamName',
      '?$attributes=greeting',
      '?$attributes=team.name',
      '?$attributes=name&$expand=team',
      '?$filter="name = a"&$queryplan=true',
    ]
    const [plain, guarded] = [open(false), open(true)]
    const tagOf = async (site: Site, url: string) =>
      (await read(site, `/rest/Member(1)${url}`)).headers.etag
    for (const url of shared) expect([url, await tagOf(plain, url)]).toEqual([url, undefined])
    for (const url of own.slice(1))
      expect([url, await tagOf(plain, url)]).toEqual([url, expect.stringMatching(/^"1-/)])
    expect(await tagOf(plain, '')).toBeUndefined()
    expect((await read(plain, '/rest/Team(1)')).headers.etag).toMatch(/^"1-/)
    // Whether the key of a related entity is shown depends on whether that one can be seen.
    expect(await tagOf(guarded, '?$attributes=name,team')).toBeUndefined()
    expect(await tagOf(guarded, '?$attributes=name')).toMatch(/^"1-/)
  })
})

describe('If-Match with an ETag', () => {
  test('permits a change only if the entity is unchanged since', async () => {
    const touching = fc.constantFrom<Change>(
      inStore('update', ({ Member }) =>
        Member.update(1, { name: Member.get(1)?.name === 'a' ? 'b' : 'a' }),
      ),
      inStore('again', ({ Member }) => {
        Member.remove(1)
        Member.insert({ ID: 1, name: 'a', team: 1, photo: png(1) })
      }),
      ['restore', (site) => site.store.restore(site.snapshot!)],
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(touching, { maxLength: 6 }),
        fc.constantFrom('?$attributes=name', '/photo?$imageformat=best'),
        async (steps, view) => {
          const site = open(false)
          site.snapshot = site.store.snapshot()
          const url = '/rest/Member(1)'
          const held: { readonly etag: string; readonly globalStamp: number }[] = []
          for (const [, change] of [['start', () => {}] as const, ...steps]) {
            change(site)
            held.push({
              etag: (await read(site, url + view)).headers.etag!,
              globalStamp: site.store.globalStamp,
            })
          }
          const { globalStamp } = site.store
          const { stamp } = site.store.Member.get(1)!
          const byStamp = await send(
            site.rest,
            'PUT',
            `${url}?$refresh=true`,
            { name: 'c' },
            { 'if-match': `"${stamp}"` },
          )
          expect(byStamp.status).toBe(200)
          for (const { etag, globalStamp: then } of held) {
            const isSame = then === globalStamp
            const headers = { 'if-match': etag }
            const tryIt = await send(
              site.rest,
              'PUT',
              `${url}?$refresh=true`,
              { name: 'c' },
              headers,
            )
            expect([etag, tryIt.status]).toEqual([etag, isSame ? 200 : 412])
          }
          // Earlier states first: the entity is unlocked until an ETag of this state matches.
          for (const { etag, globalStamp: then } of held) {
            const lock = await read(site, `${url}?$lock=true`, { 'if-match': etag })
            if (then !== globalStamp) expect([etag, lock.body.__STATUS.status]).toEqual([etag, 2])
            else {
              expect(lock.body.result).toBe(true)
              break
            }
          }
          for (const { etag, globalStamp: then } of held)
            if (then !== globalStamp)
              expect(
                (await send(site.rest, 'DELETE', url, undefined, { 'if-match': etag })).status,
              ).toBe(412)
        },
      ),
      runs(60),
    )
  })
})
