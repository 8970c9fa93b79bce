import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { send } from './send.ts'

const Page = defineDataClass('Page', {
  ID: attribute.long({ key: true }),
  title: attribute.string(),
  more: attribute.object(),
  file: attribute.blob(),
})

function serve(authorize?: (request: { action: string }) => boolean) {
  const store = createDataStore({ name: 'pages', dataClasses: [Page] })
  store.Page.insert({ ID: 1, title: 'a', file: new Uint8Array([1]) })
  store.Page.update(1, { title: 'b' })
  store.Page.update(1, { title: 'c' })
  const resources = {
    pages: 'Page',
    kept: { dataClass: 'Page', others: 'more' },
    page: { dataClass: 'Page', only: 1 },
    second: { dataClass: 'Page', only: 2 },
  }
  const rules = authorize === undefined ? {} : { authorize }
  return { store, rest: createRestHandler(store, { plain: { resources }, ...rules }) }
}

const BODY = { title: 'new' }
const BYTES = { 'content-type': 'application/octet-stream' }
type Endpoint = readonly [
  method: string,
  url: string,
  body?: object | string,
  headers?: { readonly [name: string]: string },
]
/** Every endpoint that changes one entity. */
const ENDPOINTS: readonly Endpoint[] = [
  ['PUT', '/rest/Page(1)', BODY],
  ['POST', '/rest/Page(1)', BODY],
  ['POST', '/rest/Page(1)?$method=update', BODY],
  ['POST', '/rest/Page', { __KEY: '1', ...BODY }],
  ['POST', '/rest/Page?$method=update', { __KEY: '1', ...BODY }],
  ['PUT', '/rest/Page(1)?$atomic=true', BODY],
  ['DELETE', '/rest/Page(1)'],
  ['POST', '/rest/Page(1)?$method=delete'],
  ['PUT', '/rest/Page(1)/file?$binary=true', 'x', BYTES],
  ['POST', '/rest/Page(1)/file?$binary=true', 'x', BYTES],
  ['DELETE', '/rest/Page(1)/file'],
  ['GET', '/rest/Page(1)?$lock=true'],
  ['PUT', '/pages/1', BODY],
  ['PATCH', '/pages/1', BODY],
  ['DELETE', '/pages/1'],
  ['PUT', '/kept/1', BODY],
  ['PATCH', '/kept/1', { ...BODY, extra: 1 }],
  ['DELETE', '/kept/1'],
  ['POST', '/page', BODY],
  ['PUT', '/page', BODY],
  ['PATCH', '/page', BODY],
]

const MET = [
  '"3"',
  ' "3" ',
  '*',
  'ETAG',
  '"2", "3"',
  '"3","x"',
  '"a,b", ETAG',
  'W/"3", "3"',
  '"3" , W/"9"',
]
const UNMET = ['"2"', '"2", "4"', 'W/"3"', 'W/ETAG', '3', '"03x"', '', '"x"', '"3-other"', '"1",3']

describe('If-Match', () => {
  test.each(ENDPOINTS.map((endpoint) => [endpoint] as const))(
    'means the same in %s',
    async ([method, url, body, headers = {}]) => {
      for (const [tags, isMet] of [
        ...MET.map((tags) => [tags, true] as const),
        ...UNMET.map((tags) => [tags, false] as const),
      ]) {
        const { store, rest } = serve()
        const { etag } = (await send(rest, 'GET', '/rest/Page(1)?$attributes=title')).headers
        const given = { ...headers, 'if-match': tags.replace('ETAG', etag!) }
        const reply = await send(rest, method, url, body, given)
        if (url.includes('$lock')) expect([tags, reply.body.result]).toEqual([tags, isMet])
        else {
          expect([tags, reply.status]).toEqual([
            tags,
            isMet ? (url === '/page' && method === 'POST' ? 201 : 200) : 412,
          ])
          expect([tags, store.Page.get(1)?.stamp === 3 || null]).toEqual([
            tags,
            isMet ? null : true,
          ])
        }
      }
    },
  )

  test.each(
    ENDPOINTS.filter(([, , body]) => typeof body === 'object').map(
      (endpoint) => [endpoint] as const,
    ),
  )('is judged before a stale __STAMP in %s, behind a rule too', async ([method, url, body]) => {
    for (const authorize of [
      undefined,
      () => true,
      ({ action }: { action: string }) => action !== 'create',
    ])
      for (const query of ['', 'refresh']) {
        const { rest } = serve(authorize)
        const address = query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}$refresh=true`
        if (query !== '' && !url.startsWith('/rest')) continue
        const stale = { ...(body as object), __STAMP: 1 }
        const reply = await send(rest, method, address, stale, { 'if-match': '"2"' })
        expect([address, reply.status]).toEqual([address, 412])
        const met = await send(rest, method, address, stale, { 'if-match': '"3"' })
        expect([address, met.status]).toEqual([address, query === '' ? 409 : 200])
      }
  })

  const CREATIONS: readonly Endpoint[] = [
    ['POST', '/rest/Page', { ID: 2 }],
    ['POST', '/rest/Page?$method=insert', { ID: 2 }],
    ['POST', '/pages', { ID: 2 }],
    ['POST', '/kept', { ID: 2 }],
    ['PUT', '/second', BODY],
    ['POST', '/second', BODY],
  ]
  test.each(CREATIONS.map((endpoint) => [endpoint] as const))(
    'with any tag is refused where %s would create an entity',
    async ([method, url, body]) => {
      for (const tags of ['*', ' * ', '"3"', 'W/"3"', '']) {
        const { store, rest } = serve()
        const reply = await send(rest, method, url, body, { 'if-match': tags })
        expect([tags, reply.status, store.Page.count]).toEqual([tags, 400, 1])
      }
      const { store, rest } = serve()
      expect((await send(rest, method, url, body)).status).toBeLessThan(300)
      expect(store.Page.count).toBe(2)
    },
  )

  // A lock is a GET: the cache of a browser adds If-None-Match to it.
  const changes = [...ENDPOINTS, ...CREATIONS].filter(([method]) => method !== 'GET')
  test.each(changes.map((endpoint) => [endpoint] as const))(
    'is what changes take: If-None-Match is refused in %s',
    async ([method, url, body, headers = {}]) => {
      for (const given of [{}, { 'if-match': '"3"' }, { 'if-match': '*' }])
        for (const tags of ['*', '"3"', '"2"', 'W/"3"', '']) {
          const { store, rest } = serve()
          const before = store.globalStamp
          const conditions = { ...headers, ...given, 'if-none-match': tags }
          const reply = await send(rest, method, url, body, conditions)
          expect([tags, reply.status, store.globalStamp]).toEqual([tags, 400, before])
        }
    },
  )

  test.each(['/pages', '/kept'])('is refused where %s creates an entity', async (url) => {
    const { rest } = serve()
    const reply = await send(rest, 'POST', url, { ID: 2 }, { 'if-match': '"3"' })
    expect([reply.status, (await send(rest, 'GET', `${url}/2`)).status]).toEqual([400, 404])
  })
})
