import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createThings } from '../http/every-type.ts'
import { ask, idsOf, serveBlog } from './blog.ts'

const { rest } = serveBlog()

describe('filters', () => {
  test.each([
    ['/posts?views_gte=150', [2]],
    ['/posts?views_lte=150', [1]],
    ['/posts?views_ne=100', [2]],
    ['/posts?views=100&views=200', [1, 2]],
    ['/posts?title=first', [1]],
    ['/posts?title_like=ir', [1, 3]],
    ['/posts?title_like=^s', [2]],
    ['/posts?title_like=d$', [2, 3]],
    ['/posts?title_like=^t.*d$', [3]],
    ['/posts?published=true', [1]],
    ['/posts?author.name=ada', [1]],
    ['/posts?author.age=36', [1]],
    ['/posts?author.age_gte=30', [1]],
    ['/posts?author.name_ne=ada', [3]],
    ['/posts?mood=calm', [2]],
    ['/posts?level_gte=2', [2]],
    ['/posts?q=SECOND', [2]],
    ['/posts?q=100', [1]],
    ['/comments?postId=1', ['a', 'b']],
    ['/comments?post.title=first', ['a', 'b']],
    ['/comments?body_like=100%25', ['b']],
    ['/comments?id=a', ['a']],
    ['/posts/1/comments?body=hello', ['a']],
    ['/posts?_sort=views&_order=desc', [2, 1, 3]],
    ['/posts?_sort=author.name,id&_order=desc', [3, 1, 2]],
    ['/comments?_sort=postId,id&_order=asc,desc', ['b', 'a']],
    ['/posts?_start=1', [2, 3]],
    ['/posts?_start=1&_limit=1', [2]],
    ['/posts?_end=2', [1, 2]],
    ['/posts?_limit=0', []],
    ['/posts?_=1', [1, 2, 3]],
  ])('%s answers %j', async (url, ids) => {
    expect(await idsOf(rest, url)).toEqual(ids)
  })

  test('an attribute named like a suffix is read as an attribute', async () => {
    const { rest: all } = serveBlog({ plain: true })
    expect((await ask(all, 'GET', '/Setting?max_lte=7')).body).toEqual([
      { ID: 1, theme: 'dark', max_lte: 7 },
    ])
  })

  test.each([
    [
      '/posts?viwes_gte=150',
      'The parameter "viwes_gte" is unknown. Filters are id, title, views, ',
    ],
    [
      '/posts?more.mood=calm',
      'The parameter "more.mood" is unknown. Filters are id, title, views, ',
    ],
    ['/comments?constructor=x', 'The parameter "constructor" is unknown.'],
    ['/posts?views_gte=many', 'The parameter "views_gte" takes a number, not "many".'],
    ['/comments?postId_gte=1', 'the name of an attribute with an order before "_gte"'],
    ['/posts?published=yes', 'The parameter "published" takes true or false, not "yes".'],
    ['/posts?views_like=1', 'the name of an attribute that holds text before "_like"'],
    ['/posts?title_like=(a|b)', 'takes text, with ^, $ and .* only'],
    ['/posts?_per_page=5', '"_per_page" is unknown. Lists take q, _page, _limit, '],
    ['/posts?views:gte=5', 'also with _gte, _lte, _ne or _like behind.'],
    ['/posts?_sort=-views', 'takes names, with _order=desc for a descending one, not "-views"'],
    ['/posts?_sort=mod', 'The parameter "_sort=mod" is unknown.'],
    ['/comments?_sort=mood', 'The parameter "_sort" takes names of attributes, not "mood".'],
    ['/posts?_order=up&_sort=id', 'The parameter "_order" takes asc or desc'],
    ['/posts?_page=-1', 'The parameter "_page" takes an integer from 0, not "-1".'],
    ['/posts?_page=1&_page=2', 'The parameter "_page" is given more than once.'],
    ['/posts?_embed=tags', 'The parameter "_embed" takes a list that leads to Post, not "tags".'],
    ['/posts?_expand=author', 'The parameter "_expand" takes a relation of Post to one entity'],
    ['/posts/1?views=3', 'The parameter "views" is unknown.'],
    ['/posts?title=%zz', 'The address is malformed'],
  ])('%s is refused', async (url, message) => {
    const { status, body } = await ask(rest, 'GET', url)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })

  test('a name of no attribute is accepted while the dataclass has no entities', async () => {
    const { rest: empty, store } = serveBlog()
    store.dataClass('Post').remove(1)
    store.dataClass('Post').remove(2)
    store.dataClass('Post').remove(3)
    expect(await idsOf(empty, '/posts?mood=calm')).toEqual([])
  })
})

describe('entities', () => {
  test('show attributes, members of others, keys of relations and what is included', async () => {
    const { body, headers } = await ask(rest, 'GET', '/posts?_embed=comments')
    expect(body).toEqual([
      {
        id: 1,
        title: 'First',
        views: 100,
        published: true,
        author: { name: 'ada', age: 36 },
        comments: [
          { id: 'a', body: 'Hello', postId: 1 },
          { id: 'b', body: '100% @home', postId: 1 },
        ],
      },
      {
        id: 2,
        title: 'Second',
        views: 200,
        published: false,
        comments: [],
        mood: 'calm',
        level: 3,
      },
      { id: 3, title: 'Third', author: { name: 'eve' }, comments: [] },
    ])
    expect(headers['x-total-count']).toBe('3')
    expect((await ask(rest, 'GET', '/comments/a?_expand=post')).body.post.title).toBe('First')
    expect((await ask(rest, 'GET', '/setting')).body).toEqual({ theme: 'dark', max_lte: 7 })
    expect(Object.keys((await ask(rest, 'GET', '/db')).body)).toEqual([
      'posts',
      'comments',
      'setting',
    ])
  })

  test('are answered with an ETag, which a read and a write compare', async () => {
    const { rest: own } = serveBlog()
    const { headers } = await ask(own, 'GET', '/posts/1')
    const etag = headers.etag ?? ''
    expect((await ask(own, 'GET', '/posts/1', undefined, { 'if-none-match': etag })).status).toBe(
      304,
    )
    const change = { views: 1 }
    expect((await ask(own, 'PATCH', '/posts/1', change, { 'if-match': etag })).status).toBe(200)
    expect((await ask(own, 'PATCH', '/posts/1', change, { 'if-match': etag })).status).toBe(412)
  })

  test.each([
    '/posts/9',
    '/posts/abc',
    '/unknown',
    '/posts/1/unknown',
    '/posts/9/comments',
    '/',
    '/setting/1',
    '/secret',
    '/Secret',
    '/posts/1/comments/a',
  ])('%s does not exist', async (url) => {
    const { status, body } = await ask(rest, 'GET', url)
    expect([status, typeof body.error]).toEqual([404, 'string'])
  })
})

describe('pages', () => {
  test('name the others in Link, with the parameters of the request', async () => {
    const { headers, body } = await ask(rest, 'GET', '/posts?_sort=id&_page=2&_limit=1')
    expect(body).toHaveLength(1)
    const address = (page: number) => `<http://blog.example/posts?_sort=id&_page=${page}&_limit=1>`
    expect(headers.link).toBe(
      `${address(1)}; rel="first", ${address(1)}; rel="prev", ${address(3)}; rel="next", ${address(3)}; rel="last"`,
    )
    expect((await ask(rest, 'GET', '/posts?_page=1')).headers.link).toBeUndefined()
    expect((await ask(rest, 'GET', '/posts?_page=7')).body).toEqual([])
  })

  test('escape text of the client that a header must not contain', async () => {
    const { headers } = await ask(rest, 'GET', '/posts?_page=1&_limit=1&title_like=%3E&q=é"<>')
    expect(headers.link).toBeUndefined()
    const reply = await ask(rest, 'GET', '/posts?_page=1&_limit=1&_="é<>', undefined, {
      host: 'a"b',
    })
    expect(reply.headers.link).toMatch(
      /^<\/posts\?_page=1&_limit=1&_=%22%C3%A9%3C%3E>; rel="first"/,
    )
  })

  test('a list that is too long is refused instead of truncated', async () => {
    const { rest: small } = serveBlog({ limits: { maxEntitiesPerAnswer: 2 } })
    const { status, body } = await ask(small, 'GET', '/posts')
    expect([status, body.error]).toEqual([
      400,
      expect.stringContaining('limits.maxEntitiesPerAnswer'),
    ])
    expect(await idsOf(small, '/posts?_limit=2')).toEqual([1, 2])
    expect((await ask(small, 'GET', '/db')).status).toBe(400)
  })
})

test('a date is compared by its text, and other texts are refused', async () => {
  const rest = createRestHandler(createThings(), { plain: true })
  const idsAt = async (url: string) =>
    (await ask(rest, 'GET', url)).body.map(({ ID }: { readonly ID: number }) => ID)
  expect(await idsAt('/Thing?day_gte=2024-01-01')).toEqual([1])
  expect(await idsAt('/Thing?moment=2024-01-31T08:05:09.250Z')).toEqual([1])
  const { status, body } = await ask(rest, 'GET', '/Thing?day_gte=2024')
  expect([status, body.error]).toEqual([
    400,
    'The parameter "day_gte" takes a date such as 2024-01-31, or a date and time, not "2024".',
  ])
})
