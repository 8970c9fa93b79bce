import { describe, expect, test } from 'vitest'
import { type Authorize, type AuthorizeQuestion, createRestHandler } from '../../src/index.ts'
import { ask, idsOf, serveBlog } from './blog.ts'

describe('permissions', () => {
  test('a hidden dataclass is answered as an unknown resource', async () => {
    const { rest } = serveBlog({
      authorize: ({ dataClass, action }) => !(dataClass === 'Comment' && action === 'describe'),
    })
    const answers = async (resource: string) =>
      Promise.all([
        ask(rest, 'GET', `/${resource}`),
        ask(rest, 'POST', `/${resource}`, {}),
        ask(rest, 'PATCH', `/${resource}`, {}),
        ask(rest, 'GET', `/posts/1/${resource}`),
        ask(rest, 'POST', `/posts/1/${resource}`, {}),
        ask(rest, 'DELETE', `/posts/1/${resource}`),
        ask(rest, 'GET', `/posts?_embed=${resource}`),
        ask(rest, 'OPTIONS', `/${resource}`),
      ])
    const plain = (replies: Awaited<ReturnType<typeof answers>>) =>
      replies.map(({ status, text }) => [status, text.replaceAll(/comments|unknowns/g, '…')])
    expect(plain(await answers('comments'))).toEqual(plain(await answers('unknowns')))
    expect((await ask(rest, 'GET', '/db')).body).not.toHaveProperty('comments')
  })

  test('verbs of known resources are answered, also to pages of other origins', async () => {
    const options = { allowedOrigins: ['https://other.example'] }
    const rules: Authorize = ({ action, dataClass }) =>
      action === 'describe' && dataClass !== 'Comment'
    const [open, ruled] = [serveBlog(options), serveBlog({ ...options, authorize: rules })]
    const asked = { origin: 'https://other.example', 'access-control-request-method': 'PATCH' }
    for (const address of ['/posts', '/posts/1', '/posts/9', '/db', '/unknowns']) {
      const answer = async ({ rest }: typeof open) => {
        const { status, headers, text } = await ask(rest, 'OPTIONS', address, undefined, asked)
        return { status, headers, text }
      }
      expect([address, await answer(ruled)]).toEqual([address, await answer(open)])
    }
    expect((await ask(ruled.rest, 'OPTIONS', '/posts/1', undefined, asked)).status).toBe(204)
    expect((await ask(ruled.rest, 'OPTIONS', '/comments', undefined, asked)).status).toBe(404)
  })

  test('a preflight, which has no user, is answered for every address alike', async () => {
    const authorize: Authorize = ({ user }) => user !== null
    const asked = { origin: 'https://other.example', 'access-control-request-method': 'PATCH' }
    const verbs = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
    for (const known of [{ identify: () => null }, { users: [{ name: 'ada', password: 'x' }] }])
      for (const allowedOrigins of [['https://other.example'], ['*'], []]) {
        const { rest } = serveBlog({ authorize, allowedOrigins, ...known })
        for (const address of [
          '/posts',
          '/posts/1',
          '/posts/1/comments',
          '/setting',
          '/unknowns',
        ]) {
          const { status, headers } = await ask(rest, 'OPTIONS', address, undefined, asked)
          const isAllowed = allowedOrigins.length > 0
          expect([status, headers['access-control-allow-methods']]).toEqual(
            isAllowed ? [204, verbs] : [404, undefined],
          )
          // Other requests of the same guest are refused as before.
          expect((await ask(rest, 'PATCH', address, {}, { origin: asked.origin })).status).toBe(
            isAllowed ? 404 : 403,
          )
        }
      }
  })

  test('only attributes and entities that the caller may read and write are available', async () => {
    const { rest } = serveBlog({
      authorize: ({ dataClass, action, attribute }) => {
        if (dataClass !== 'Post') return true
        if (attribute === 'views') return false
        return attribute === undefined && action === 'read' ? 'id < 3' : action !== 'delete'
      },
    })
    expect((await ask(rest, 'GET', '/posts')).text).not.toMatch(/views|Third/)
    expect((await ask(rest, 'GET', '/posts/3')).status).toBe(404)
    const { text } = await ask(rest, 'GET', '/posts?views_gte=1')
    expect(text.replace('views', 'viwes')).toBe((await ask(rest, 'GET', '/posts?viwes_gte=1')).text)
    expect((await ask(rest, 'DELETE', '/posts/1')).status).toBe(401)
    expect((await ask(rest, 'PATCH', '/posts/1', { title: 'x' })).status).toBe(200)
    expect(await idsOf(rest, '/posts?q=100')).toEqual([])
  })

  test('members named as something that the caller may not know are neither kept nor shown', async () => {
    const site = (isAdmin: boolean) => ({
      authorize: ({ attribute, dataClass }: AuthorizeQuestion) =>
        isAdmin || (attribute !== 'views' && dataClass !== 'Comment' && attribute !== 'post'),
    })
    const admin = serveBlog(site(true))
    const user = createRestHandler(admin.store, {
      ...site(false),
      plain: { resources: { posts: { dataClass: 'Post', others: 'more' } } },
    })
    await ask(admin.rest, 'PATCH', '/posts/1', { views: 'many' })
    expect((await ask(user, 'GET', '/posts/1')).text).not.toContain('many')
    for (const body of [{ views: 9 }, { views: 'x' }, { views: null }, { comments: [] }])
      for (const [method, url] of [
        ['PATCH', '/posts/3'],
        ['PUT', '/posts/3'],
        ['POST', '/posts'],
      ] as const) {
        const reply = await ask(user, method, url, { title: 'x', ...body })
        expect([method, body, reply.status, reply.body.code]).toEqual([method, body, 400, 1500])
      }
    const unheld = async (name: string) =>
      (await ask(user, 'GET', `/posts?${name}=many`)).text.replace(name, '…')
    expect(await unheld('views')).toBe(await unheld('viwes'))
    expect((await ask(admin.rest, 'GET', '/posts/1')).body.views).toBe('many')
    expect((await ask(admin.rest, 'GET', '/posts/3')).body).toEqual({
      id: 3,
      title: 'Third',
      author: { name: 'eve' },
    })
  })

  test('a member named as a relation does not take the place of what is included', async () => {
    const { rest, store } = serveBlog()
    store.dataClass('Post').update(1, { more: { comments: 'mine', level: 1 } })
    expect((await ask(rest, 'GET', '/posts/1?_embed=comments')).body.comments).toHaveLength(2)
    for (const comments of ['mine', 7, [{ id: 'a' }]])
      expect((await ask(rest, 'PATCH', '/posts/2', { comments })).status).not.toBe(200)
  })

  test('a caller who may not use a dataclass is refused before the rest of the request is read', async () => {
    const of = (denied: 'read' | 'all' | 'write', user: object | null) =>
      serveBlog({
        ...(user === null ? {} : { identify: () => user as { ID: string } }),
        authorize: ({ action }) =>
          action === 'describe' || (denied === 'write' && action === 'read'),
      }).rest
    for (const [user, status] of [
      [null, 401],
      [{ ID: 'ada' }, 403],
    ] as const) {
      for (const url of [
        '/posts?viwes=1',
        '/posts?_page=x',
        '/posts?views=abc',
        '/posts?_sort=nothing',
        '/posts?_embed=nothing',
        '/posts/1?_expand=nothing',
        '/posts/1?x=1',
        '/posts/1/comments?_limit=x',
        '/setting?x=1',
        '/posts',
      ])
        expect([url, (await ask(of('all', user), 'GET', url)).status]).toEqual([url, status])
      for (const denied of ['all', 'write'] as const)
        for (const [method, url] of [
          ['POST', '/posts?x=1'],
          ['POST', '/posts'],
          ['PUT', '/posts/1'],
          ['PATCH', '/posts/1'],
          ['PATCH', '/posts/1?x=1'],
          ['DELETE', '/posts/1?x=1'],
          ['POST', '/posts/1/comments'],
          ['POST', '/setting'],
          ['PUT', '/setting'],
        ] as const) {
          const body = method === 'DELETE' ? undefined : 'no json'
          const reply = await ask(of(denied, user), method, url, body)
          expect([denied, method, url, reply.status]).toEqual([denied, method, url, status])
        }
    }
  })

  test('guests, foreign pages and foreign hosts are refused as in the entity interface', async () => {
    const guests = serveBlog({ forceLogin: true, users: [{ name: 'ada', password: 'x' }] }).rest
    expect((await ask(guests, 'GET', '/posts')).status).toBe(401)
    expect((await ask(guests, 'GET', '/unknown')).status).toBe(401)
    const { rest } = serveBlog({ allowedHosts: ['blog.example'] })
    const foreign = { origin: 'https://other.example' }
    expect((await ask(rest, 'GET', '/posts', undefined, foreign)).status).toBe(200)
    expect((await ask(rest, 'DELETE', '/posts/1', undefined, foreign)).status).toBe(403)
    expect((await ask(rest, 'GET', '/posts', undefined, { host: 'evil.example' })).status).toBe(421)
  })

  test('a login is valid for both interfaces', async () => {
    const { rest } = serveBlog({ forceLogin: true, users: [{ name: 'ada', password: 'x' }] })
    const { headers } = await ask(rest, 'POST', '/rest/$directory/login', ['ada', 'x'])
    const cookie = headers['set-cookie'] ?? ''
    expect(cookie).toContain('Path=/;')
    const session = { cookie: cookie.split(';')[0]! }
    expect((await ask(rest, 'GET', '/posts/1', undefined, session)).status).toBe(200)
  })

  test('"*" allows pages of every origin, without cookies', async () => {
    const { rest } = serveBlog({ allowedOrigins: ['*'] })
    const foreign = { origin: 'https://other.example' }
    const { status, headers } = await ask(rest, 'DELETE', '/posts/1', undefined, foreign)
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*'])
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers['access-control-expose-headers']).toContain('X-Total-Count')
    const preflight = await ask(rest, 'OPTIONS', '/posts/1', undefined, foreign)
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH')
  })

  test('hooks and rules of the model apply, and their failures are reported', async () => {
    const errors: unknown[] = []
    const { rest, store } = serveBlog({ onError: (error) => errors.push(error) })
    store.dataClass('Post').update(1, { title: 'Still here' })
    expect((await ask(rest, 'PATCH', '/posts/1', { title: null })).status).toBe(422)
    expect(errors).toEqual([])
  })
})

describe('the option', () => {
  const { store } = serveBlog()

  test('true serves every exposed dataclass under its collectionName or its name', async () => {
    const rest = createRestHandler(store, { plain: true })
    expect(rest.plain?.segments).toEqual(['posts', 'comments', 'Setting', 'db'])
    expect((await ask(rest, 'GET', '/Setting/1')).body.theme).toBe('dark')
    expect((await ask(createRestHandler(store), 'GET', '/posts')).status).toBe(404)
  })

  test('a base path is before every address', async () => {
    const rest = createRestHandler(store, { plain: { basePath: '/api/' } })
    const { headers } = await ask(rest, 'POST', '/api/posts', { title: 'Below' })
    expect(headers.location).toMatch(/^http:\/\/blog\.example\/api\/posts\/\d+$/)
    expect((await ask(rest, 'GET', '/posts')).status).toBe(404)
    expect((await ask(rest, 'GET', '/rest/Post')).status).toBe(200)
  })

  test.each([
    [{ resources: { posts: 'Pots' } }, 'the name of a dataclass'],
    [{ resources: { posts: { dataClass: 'Post', others: 'title' } } }, 'object attribute'],
    [{ resources: { 'a/b': 'Post' } }, 'without "/"'],
    [{ resources: { db: 'Post' } }, 'other than "db"'],
    [{ resources: { rest: 'Post' } }, 'outside the basePath'],
    [{ basePath: '/rest' }, 'outside the basePath'],
    [{ basePath: 'api' }, 'The option "plain"'],
    [{ resource: {} }, 'The option "plain"'],
  ])('%j is refused', (plain, message) => {
    expect(() => createRestHandler(store, { plain: plain as never })).toThrow(message)
  })
})

test('@, * and the backslash stand for themselves in every form of address', async () => {
  const { rest } = serveBlog()
  const titles = ['ann@x.y', 'ann.lee@x.y', 'a*b', 'aXb', 'a\\b', 'a@', '*']
  for (const title of titles) await ask(rest, 'POST', '/posts', { title })
  const found = async (query: string) => {
    const { body } = await ask(rest, 'GET', `/posts?_sort=id&${query}`)
    return body
      .map((post: { title: string }) => post.title)
      .filter((one: string) => titles.includes(one))
  }
  for (const title of titles) {
    const text = encodeURIComponent(title)
    expect(await found(`title=${text}`)).toEqual([title])
    const containing = titles.filter((one) => one.includes(title))
    expect(await found(`q=${text}`)).toEqual(containing)
    const pattern = encodeURIComponent(title.replace(/[\\.]/g, '\\$&'))
    expect(await found(`title_like=${pattern}`)).toEqual(containing)
    expect(await found(`title_like=^${pattern}$`)).toEqual([title])
  }
  expect(await found('title_like=a\\b')).toEqual(['a\\b'])
  expect(await found('title_like=^ann.*y$')).toEqual(['ann@x.y', 'ann.lee@x.y'])
})
