// Every endpoint, with names of attributes that mean something in answers: none has a name twice.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import type { Answer } from '../../src/endpoints/context/answer.ts'
import type { RestHandler } from '../../src/index.ts'
import {
  type Address,
  type DirectoryCommand,
  type InfoPart,
  parseAddress,
} from '../../src/request/address.ts'
import type { PlainAddress } from '../../src/request/plain-head.ts'
import { expectOnce } from './member-names.ts'
import { type Site, serve, site } from './named-site.ts'

type Headers = { readonly [name: string]: string }
type Sent = readonly [method: string, url: string, body?: unknown, headers?: Headers]

/** The address of each command, which the compiler keeps complete, as it does all tables here. */
const DIRECTORY: { readonly [C in DirectoryCommand]: Sent } = {
  login: ['POST', '/rest/$directory/login', ['ann', 'x']],
  currentUser: ['GET', '/rest/$directory/currentUser'],
  currentUserBelongsTo: ['POST', '/rest/$directory/currentUserBelongsTo', ['staff']],
  logout: ['GET', '/rest/$directory/logout'],
}
const INFO: { readonly [P in InfoPart]: Sent } = {
  cacheInfo: ['GET', '/rest/$info/cacheInfo'],
  entitySet: ['GET', '/rest/$info/entitySet'],
  progressInfo: ['GET', '/rest/$info/progressInfo'],
  sessionInfo: ['GET', '/rest/$info/sessionInfo'],
  privileges: ['GET', '/rest/$info/privileges'],
}
const REPLICA = 'abcdefghijklmnopqrstuvwxyz'
const STREAM = 'a-stream-that-cannot-be-guessed'
const BYTES: Headers = { 'content-type': 'application/octet-stream' }
const sharing = (query: number): Headers => ({ 'live-stream': `${STREAM} ${query}` })

/** Requests by the kind of their answer, one of which at least succeeds. `set`: an entity set. */
const requestsOf = (
  { one, many, own }: Site,
  set: string,
): { readonly [K in Answer['kind']]: readonly Sent[] } => {
  const id = set.split('/').at(-1)
  const name = own[0] ?? 'id'
  const get = (...urls: readonly string[]): readonly Sent[] => urls.map((url) => ['GET', url])
  const all = Object.fromEntries(own.map((each) => [each, 'x']))
  return {
    verbs: [['OPTIONS', '/rest/Post']],
    catalog: get('/rest/$catalog', '/rest/$catalog/$all', '/rest/$catalog/Post,Profile'),
    openapi: get('/rest/$openapi'),
    metrics: get('/rest/$metrics'),
    operator: get(
      ...['', '/requests', '/sizes', '/indexes', '/streams', '/storage'].map(
        (part) => `/rest/$operator${part}`,
      ),
    ),
    feed: [['POST', '/rest/$replica', { replica: REPLICA, shapes: { Profile: true }, wait: 0 }]],
    batches: [
      [
        'POST',
        '/rest/$replica/batches',
        { replica: REPLICA, user: 'ann', batches: [{ number: 1, items: [] }] },
      ],
    ],
    entity: [
      ...get('/rest/Post(2)', `/rest/Post(2)?$expand=${one},${many}`, `/rest/Post(2)/${one}`),
      ...get(`/rest/Post(1)?$expand=${many}&$queryplan=true&$querypath=true`),
      ['POST', '/rest/Post(2)/itself', []],
    ],
    selection: [
      ...get(
        '/rest/Post',
        `/rest/Post?$expand=${one},${many}`,
        `/rest/Post(1)/${many}?$expand=${many}`,
      ),
      ...get(`/rest/Post?$attributes=${[...own, one, many].join()}&$asArray=true`),
      ...get('/rest/Post?$filter="id>0"&$explain=true&$queryplan=true&$querypath=true'),
      ...get('/rest/Post?$method=entityset', set, `${set}?$expand=${one}&$orderby=id`),
      ...get(
        ...['AND', 'OR', 'EXCEPT'].map(
          (each) => `${set}?$logicOperator=${each}&$otherCollection=${id}`,
        ),
      ),
      ...get(`/rest/Post(1)/${many}?$method=subentityset`, `/rest/Post?$search="x"`),
      ['POST', '/rest/Post/some', []],
    ],
    live: [
      ...get('/rest/Post?$live=true', `/rest/Post?$live=true&$expand=${one},${many}`),
      ...get(`/rest/Post?$live=true&$groupby=${name}`),
      ['GET', '/rest/Post?$live=true', undefined, sharing(0)],
      ['GET', `/rest/Post?$live=true&$expand=${many}`, undefined, sharing(1)],
    ],
    intersects: get(`${set}?$logicOperator=INTERSECT&$otherCollection=${id}`),
    groups: get(
      `/rest/Post?$groupby=${name}&$aggregates=count,id.sum,id.average,id.min,id.max`,
      `/rest/Post?$groupby=${[...own, one].join()}&$aggregates=count&$explain=true`,
      `/rest/Post?$groupby=${name}&$having="count>0"&$asArray=true`,
    ),
    aggregates: get(
      `/rest/Post/${[...own, 'id'].join()}?$compute=$all`,
      '/rest/Post/id?$compute=sum',
    ),
    distinct: get(`/rest/Post/${name}?$distinct=true&$queryplan=true`),
    dashboard: get(
      '/rest/Post?$format=dashboard',
      '/rest/Post/dashboard',
      `/rest/Post/id,${one}.id?$format=dashboard`,
    ),
    media: get('/rest/Post(1)/file?$binary=true&$expand=file', '/rest/Post(1)/file?$expand=file'),
    mediaAddress: [
      ['PUT', '/rest/Post(1)/file?$binary=true', 'abc', BYTES],
      ...get('/rest/Post(1)/file'),
    ],
    uploaded: [['POST', '/rest/$upload?$binary=true', 'abc', BYTES]],
    called: [
      ['POST', '/rest/Post/made', [all]],
      ...get(`/rest/$catalog/echo?$params=[${JSON.stringify(all)}]`),
      ['POST', '/rest/$singleton/Desk/build', [all]],
    ],
    // The response of an application.
    reply: [],
    result: [...Object.values(DIRECTORY).slice(0, 3), DIRECTORY.logout, DIRECTORY.login],
    lock: get('/rest/Post(1)?$lock=true', '/rest/Post(1)?$lock=false'),
    privileges: [INFO.privileges],
    info: [...get('/rest/$info'), ...Object.values(INFO)],
    written: [
      ['POST', '/rest/Post', { ...all, id: 7, more: all }],
      ['POST', '/rest/Post', [{ ...all }, { __KEY: '99' }]],
      ['PUT', '/rest/Post(7)', all],
      ['POST', '/rest/Post?$refresh=true', all],
      ['POST', '/rest/Post?$method=update&$atomic=true', [{ __KEY: '7', __STAMP: 0, ...all }]],
    ],
    removed: [
      ['POST', '/rest/Post(7)?$method=delete'],
      ['DELETE', '/rest/Post(7)'],
    ],
    done: [
      ['POST', '/rest/$entityset/$release', [id]],
      ['DELETE', `/rest/$live/${STREAM}/1`],
      ...get('/rest/$health/live', '/rest/$health/ready'),
    ],
  }
}

const ADDRESSES: { readonly [K in Address['kind']]: true } = {
  data: true,
  catalog: true,
  directory: true,
  info: true,
  singleton: true,
  upload: true,
  releaseSets: true,
  liveQuery: true,
  openapi: true,
  metrics: true,
  health: true,
  replica: true,
  operator: true,
}

const PLAIN: { readonly [K in PlainAddress['kind']]: (site: Site) => readonly Sent[] } = {
  store: () => [['GET', '/db']],
  missing: () => [['GET', '/nothing']],
  resource: ({ one, many, own }) => {
    const all = Object.fromEntries(own.map((name) => [name, 'x']))
    const form = new URLSearchParams(all).toString()
    const FORM: Headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return [
      ['GET', `/posts?_expand=${one}&_embed=${many}&_sort=id&_page=1`],
      ['GET', `/posts/2?_expand=${one}&_embed=${many}`],
      ['GET', `/posts/1/${many}?_expand=${one}`],
      ['POST', '/posts', { ...all, id: 8 }],
      ['POST', '/posts', form, FORM],
      ['POST', `/posts/1/${many}`, all],
      ['PUT', '/posts/8', { ...all, id: 8 }],
      ['PATCH', '/posts/8', all],
      ['PUT', '/profile', { ...all, profileKey: 'x' }],
      ['POST', '/profile', { ...all, id: 1 }],
      ['PATCH', '/profile', { id: 2 }],
      ['GET', '/profile'],
      ['DELETE', '/posts/8'],
    ]
  },
}

/** Everything of an answer; of a stream, what comes until the text, or one change later. */
async function textOf(rest: RestHandler, [method, url, body, headers = {}]: Sent, cookie: string) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await rest.handle({
    method,
    url,
    headers: { cookie, ...headers },
    ...(text !== undefined && { body: text }),
  })
  let all = typeof reply.body === 'string' ? reply.body : ''
  return {
    ...reply,
    text: all,
    more: async (until: string) => {
      for await (const piece of reply.stream ?? []) {
        all += piece
        if (all.includes(until)) break
      }
      return all
    },
  }
}

test('no answer of any endpoint has one name twice, whatever the names of attributes', async () => {
  const reached = new Set<string>()
  const services = new Set(['openapi', 'metrics', 'health', 'replica', 'operator'] as const)
  await fc.assert(
    fc.asyncProperty(site, async (model) => {
      const served = serve(model)
      if (served === null) return
      const { rest, store } = served
      const { one, own } = model
      const Post = store.dataClass('Post')
      const all = Object.fromEntries(own.map((name) => [name, 'x']))
      Post.insert({ id: 1, ...all, hidden: 'secret', more: { ...all, more: 1 } })
      Post.insert({ id: 2, [one]: 1 })
      const login = await textOf(rest, DIRECTORY.login, '')
      const cookie = String(login.headers['set-cookie']).split(';')[0]!
      const ask = (sent: Sent) => textOf(rest, sent, cookie)
      const { __ENTITYSET: set } = JSON.parse(
        (await ask(['GET', '/rest/Post?$method=entityset'])).text,
      )
      const table = Object.entries(requestsOf(model, set))
      const plain = Object.entries(PLAIN).map(
        ([kind, make]) => [`plain ${kind}`, make(model)] as const,
      )
      for (const [kind, requests] of [...table, ...plain]) {
        if (requests.length === 0) reached.add(kind)
        for (const sent of requests) {
          const label = `${kind}: ${sent[0]} ${sent[1]}`
          const reply = await ask(sent)
          expect([label, reply.status < 500]).toEqual([label, true])
          if (reply.status < 300 || kind === 'plain missing') reached.add(kind)
          if (!kind.startsWith('plain'))
            reached.add(parseAddress(sent[1].split('?')[0]!, '/rest', services).kind)
          if (kind === 'live' && reply.stream != null)
            Post.update(1, { more: { ...all, at: label } })
          expectOnce(label, reply.stream == null ? reply.text : await reply.more('event: delta'))
        }
      }
      rest.endStreams()
    }),
    // A model that is not refused reaches everything.
    {
      ...runs(15, 3),
      examples: [[{ own: ['key'], one: 'post', many: 'posts', withOthers: true }]],
    },
  )
  const expected = [
    ...Object.keys(requestsOf({ own: [], one: '', many: '', withOthers: true }, '')),
    ...Object.keys(ADDRESSES),
  ]
  const missing = [...expected, ...Object.keys(PLAIN).map((kind) => `plain ${kind}`)].filter(
    (kind) => !reached.has(kind),
  )
  expect(missing).toEqual([])
})
