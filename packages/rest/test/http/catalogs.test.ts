import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, get, json, post, send } from './send.ts'

const createPublication = () => {
  const store = createDataStore({
    name: 'publication',
    dataClasses: [
      defineDataClass('Author', {
        ID: attribute.long({ key: true, autoSequence: true }),
        name: attribute.string(),
        books: attribute.relatedEntities('Book', 'author'),
      }),
      defineDataClass('Book', {
        ID: attribute.long({ key: true, autoSequence: true }),
        title: attribute.string(),
        author: attribute.relatedEntity('Author'),
      }),
    ],
    functions: {
      ping: {
        exposed: true,
        onHttpGet: true,
        run: (_, ...sent: string[]) => ['pong', ...sent].join(),
      },
    },
  })
  store.Author.load([{ name: 'Ann' }, { name: 'Bob' }])
  store.Book.load(
    Array.from({ length: 30 }, (_, at) => ({ title: `T${at}`, author: (at % 2) + 1 })),
  )
  return store
}

let publication: ReturnType<typeof createPublication>
let rest: RestHandler
beforeEach(() => {
  publication = createPublication()
  rest = createRestHandler(createHr(), {
    catalogs: { publication, archive: createPublication() },
    users: [{ name: 'ann', password: 'x' }],
  })
})

const namesIn = ({
  body,
}: {
  readonly body: { readonly dataClasses: readonly { readonly name: string }[] }
}) => body.dataClasses.map(({ name }) => name)

describe('several stores in one handler', () => {
  test('requests may be frozen, and their methods may use private members', async () => {
    const frozen = Object.freeze({
      method: 'GET',
      url: '/rest/publication/Book?$top=1',
      headers: {},
    })
    expect((await rest.handle(frozen)).status).toBe(200)
    class Request {
      readonly method = 'GET'
      readonly url = '/rest/publication/Book?$top=1'
      readonly #headers = new Map([['accept', 'application/json']])
      header(name: string): string | null {
        return this.#headers.get(name) ?? null
      }
    }
    expect((await rest.handle(new Request())).status).toBe(200)
  })

  test('$catalog/<name> answers the catalog of another store: short, complete or of some dataclasses', async () => {
    expect(namesIn(await get(rest, '/rest/$catalog/publication'))).toEqual(['Author', 'Book'])
    const all = await get(rest, '/rest/$catalog/publication/$all')
    expect([namesIn(all), all.body.dataClasses[0].dataURI]).toEqual([
      ['Author', 'Book'],
      '/rest/publication/Author',
    ])
    expect(all.body.dataClasses[0].attributes).toHaveLength(3)
    expect(namesIn(await get(rest, '/rest/%24catalog/publication/Book,Author'))).toEqual([
      'Book',
      'Author',
    ])
    expect(namesIn(await get(rest, '/rest/$catalog/publication/Book'))).toEqual(['Book'])
    expect(errCodes(await get(rest, '/rest/$catalog/publication/Employee'))).toEqual([1800])
    expect((await get(rest, '/rest/$catalog/publication/ping')).body).toEqual({ result: 'pong' })
    for (const call of ["ping(1,'a/b')", "ping%281,'a%2Fb'%29"])
      for (const base of ['/rest/$catalog/publication', '/rest/publication/$catalog'])
        expect((await get(rest, `${base}/${call}`)).body).toEqual({ result: 'pong,1,a/b' })
    expect(namesIn(await get(rest, '/rest/$catalog'))).toContain('Employee')
    expect(errCodes(await get(rest, '/rest/$catalog/nowhere/$all'))).toEqual([1806])
  })

  test('the name of a store may be percent-encoded, with empty segments around it', async () => {
    for (const path of [
      'publication/Author(1)',
      '%70ublication/Author(1)',
      '/publication//Author(1)',
    ])
      expect([path, (await get(rest, `/rest/${path}`)).body.name]).toEqual([path, 'Ann'])
    for (const path of [
      '$catalog/%70ublication',
      '%24%63atalog//publication',
      '/$catalog/publication/',
    ])
      expect([path, namesIn(await get(rest, `/rest/${path}`))]).toEqual([path, ['Author', 'Book']])
    expect((await get(rest, '/rest/%zz/Author')).status).toBe(400)
  })

  test('every emitted address works unchanged', async () => {
    const seen = new Set<string>()
    const walk = async (url: string): Promise<void> => {
      if (seen.has(url) || seen.size > 60) return
      seen.add(url)
      const { status, text } = await get(rest, url)
      expect([url, status]).toEqual([url, 200])
      for (const [, found = ''] of text.matchAll(/"(\/[^"\\]*)"/g)) {
        expect(found).toMatch(/^\/rest\/publication\//)
        await walk(found)
      }
    }
    await walk('/rest/$catalog/publication/$all')
    await walk('/rest/$catalog/publication')
    await walk('/rest/publication/Book?$method=entityset&$top=2')
    await walk('/rest/publication/Author(1)?$expand=books')
    expect(seen.size).toBeGreaterThan(10)
  })

  test('the complete interface is below <name> and below $catalog/<name>', async () => {
    for (const base of ['/rest/publication', '/rest/$catalog/publication']) {
      expect((await get(rest, `${base}/Book(1)?$attributes=title`)).body.title).toBe('T0')
      expect(
        (await get(rest, `${base}/Book?$filter="author.name = Ann"&$top=0`)).body.__COUNT,
      ).toBe(15)
      const saved = await post(rest, `${base}/Book`, { title: 'New' })
      expect([saved.status, saved.body.uri]).toEqual([
        200,
        `/rest/publication/Book[${saved.body.__KEY}]`,
      ])
      expect((await send(rest, 'DELETE', saved.body.uri)).status).toBe(200)
    }
    expect((await get(rest, '/rest/archive/Book(1)')).status).toBe(200)
    for (const empty of [
      '/rest//archive//Book(1)',
      '/rest//$catalog//archive//Book(1)',
      '/rest/archive//Book//(1)/title',
    ])
      expect([empty, (await get(rest, empty)).status]).toEqual([
        empty,
        (await get(rest, empty.replace(/\/+/g, '/'))).status,
      ])
    expect(publication.Book.count).toBe(30)
    expect(errCodes(await get(rest, '/rest/Book(1)'))).toEqual([1800])
    expect(errCodes(await get(rest, '/rest/publication/Employee'))).toEqual([1800])
  })

  test('clients that recognise the address of an entity set by its form can page it', async () => {
    const { body } = await get(rest, '/rest/publication/Book?$method=entityset&$top=5')
    const next = await get(rest, `${body.__ENTITYSET}&$limit=5&$skip=5&$method=subentityset`)
    expect([next.status, next.body.__FIRST, next.body.__SENT]).toEqual([200, 5, 5])
  })

  test('each store has its own sessions, and their cookies do not affect each other', async () => {
    const login = (base: string) => post(rest, `${base}/$directory/login`, ['ann', 'x'])
    const cookies = await Promise.all(
      ['/rest', '/rest/publication', '/rest/archive'].map(
        async (base) => (await login(base)).headers['set-cookie'] ?? '',
      ),
    )
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      '4DSID_hr',
      '4DSID_hr_publication',
      '4DSID_hr_archive',
    ])
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ')
    for (const base of [
      '/rest',
      '/rest/publication',
      '/rest/$catalog/publication',
      '/rest/archive',
    ])
      expect(
        (await send(rest, 'GET', `${base}/$directory/currentUser`, undefined, { cookie })).body
          .result.userName,
      ).toBe('ann')
    expect(
      (await send(rest, 'GET', '/rest/$catalog/publication/$directory/currentUser')).body.result,
    ).toBeNull()
    // A browser sends the cookie to both forms of address.
    expect(cookies[1]).toContain('; Path=/rest;')
  })

  test('the OpenAPI document of another store has the addresses of that store', async () => {
    const servers = [{ url: 'https://h.example/rest', description: 'live' }, { url: '/rest/' }]
    const reported = createRestHandler(createHr(), {
      catalogs: { publication },
      openapi: { servers },
    })
    expect((await get(reported, '/rest/$openapi')).body.servers).toEqual(servers)
    expect((await get(reported, '/rest/publication/$openapi')).body.servers).toEqual([
      { url: 'https://h.example/rest/publication', description: 'live' },
      { url: '/rest/publication' },
    ])
  })

  test('stores are served over fetch and below a prefix, and names that are taken are refused', async () => {
    const response = await rest.fetch(new Request('http://x/rest/$catalog/publication/$all'))
    expect((await json(response)).dataClasses).toHaveLength(2)
    const mounted = await rest.handle({
      method: 'GET',
      url: '/api/rest/publication/Book(1)?$attributes=author',
      mountPath: '/api',
    })
    expect(String(mounted.body)).toContain('/api/rest/publication/Author[1]')
    for (const name of ['Employee', '$x', 'a b', ''])
      expect(() => createRestHandler(createHr(), { catalogs: { [name]: publication } })).toThrow(
        'catalogs',
      )
    expect(() => createRestHandler(createHr(), { catalogs: { x: 7 as never } })).toThrow('catalogs')
  })
})
