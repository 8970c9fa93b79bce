import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AttributeType, attribute, createDataStore, defineDataClass } from '@entia/core'
import { coerceLiteral, Refusal } from '@entia/core/internal'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler, toNodeHandler } from '../../src/index.ts'
import { servedLater } from '../async-engine/async-engine.ts'
import { ask, idsOf, serveBlog } from './blog.ts'

let rest: RestHandler
beforeEach(() => {
  rest = serveBlog().rest
})

describe('POST', () => {
  test('creates an entity and names its address', async () => {
    const { status, headers, body } = await ask(rest, 'POST', '/posts', {
      title: 'New',
      mood: 'glad',
    })
    expect([status, headers.location, body]).toEqual([
      201,
      'http://blog.example/posts/4',
      { id: 4, title: 'New', mood: 'glad' },
    ])
  })

  test('creates a missing text key with the port of ids', async () => {
    const { body, headers } = await ask(rest, 'POST', '/posts/2/comments', { body: 'Yes' })
    expect(body).toEqual({ id: 'rm4ZFNS', body: 'Yes', postId: 2 })
    expect(headers.location).toBe('http://blog.example/comments/rm4ZFNS')
    expect(await idsOf(rest, '/posts/2/comments')).toEqual(['rm4ZFNS'])
  })

  test('accepts the fields of a form', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await ask(rest, 'POST', '/posts', 'title=A+form&views=7&published=true', type)
    expect(body).toEqual({ id: 4, title: 'A form', views: 7, published: true })
  })

  test('accepts the key of a relation under its name in answers', async () => {
    const { body } = await ask(rest, 'POST', '/comments', { id: 'c', body: 'x', postId: '2' })
    expect(body.postId).toBe(2)
  })

  test.each([
    ['/posts', { id: 1, title: 'Again' }, 409],
    ['/posts', { title: 'x'.repeat(21) }, 422],
    ['/posts', { views: 3 }, 422],
    ['/posts', [{ title: 'One' }], 400],
    ['/posts', 'no json', 400],
    ['/comments', { boddy: 'misspelt' }, 400],
    ['/comments', { body: 7 }, 400],
    ['/comments', { __KEY: 'a' }, 400],
    ['/comments', { body: 'x', postId: 99 }, 422],
    ['/posts/99/comments', { body: 'x' }, 422],
    ['/comments?x=1', { body: 'x' }, 400],
  ])('to %s with %j is refused with %i', async (url, body, status) => {
    const before = (await ask(rest, 'GET', '/db')).text
    const reply = await ask(rest, 'POST', url, body)
    expect([reply.status, typeof reply.body.error]).toEqual([status, 'string'])
    expect((await ask(rest, 'GET', '/db')).text).toBe(before)
  })
})

describe('PATCH and PUT', () => {
  test('PATCH keeps attributes that are not given, PUT does not', async () => {
    expect((await ask(rest, 'PATCH', '/posts/2', { level: 4, views: 1 })).body).toEqual({
      id: 2,
      title: 'Second',
      views: 1,
      published: false,
      mood: 'calm',
      level: 4,
    })
    expect((await ask(rest, 'PUT', '/posts/2', { title: 'Only' })).body).toEqual({
      id: 2,
      title: 'Only',
    })
  })

  test('values of another type and nulls are kept in the attribute of other members until one fits', async () => {
    const change = async (body: object) => (await ask(rest, 'PATCH', '/posts/1', body)).body.views
    expect(await change({ views: 'many' })).toBe('many')
    expect(await idsOf(rest, '/posts?views_gte=0')).toEqual([2])
    expect(await change({ title: 'Changed' })).toBe('many')
    expect(await change({ views: null })).toBeNull()
    expect(await change({ views: 5 })).toBe(5)
    expect(await idsOf(rest, '/posts?views=5')).toEqual([1])
  })

  test('PATCH requests at the same time keep the other members of each other', async () => {
    const { store } = serveBlog()
    const resources = { posts: { dataClass: 'Post', others: 'more' } }
    const later = createRestHandler(servedLater(store), { plain: { resources } })
    const names = ['a', 'b', 'c', 'd']
    const replies = await Promise.all(
      names.map((name) => ask(later, 'PATCH', '/posts/2', { [name]: 1 })),
    )
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { body } = await ask(later, 'GET', '/posts/2')
    expect(body).toMatchObject({ a: 1, b: 1, c: 1, d: 1, mood: 'calm' })
  })

  test('without others, an attribute without a value is null', async () => {
    await ask(rest, 'PUT', '/comments/a', { body: 'Alone' })
    expect((await ask(rest, 'GET', '/comments/a')).body).toEqual({
      id: 'a',
      body: 'Alone',
      postId: null,
    })
  })

  test('an entity can be sent back as it was read', async () => {
    const { body } = await ask(rest, 'GET', '/comments/a?_expand=post')
    const { status, body: answer } = await ask(rest, 'PUT', '/comments/a', body)
    expect([status, answer.postId]).toEqual([200, 1])
  })

  test('the id in the body must be that of the address', async () => {
    expect((await ask(rest, 'PATCH', '/posts/1', { id: '1', views: 3 })).status).toBe(200)
    const { status, body } = await ask(rest, 'PATCH', '/posts/1', { id: 2, views: 3 })
    expect([status, body.error]).toEqual([
      400,
      'The request body is malformed: its "id" is not the one in the address.',
    ])
  })

  test('a singular resource is replaced and changed', async () => {
    expect((await ask(rest, 'PATCH', '/setting', { theme: 'light' })).body.max_lte).toBe(7)
    const { status, body, headers } = await ask(rest, 'POST', '/setting', { theme: 'blue' })
    expect([status, body, headers.location]).toEqual([
      201,
      { theme: 'blue', max_lte: null },
      'http://blog.example/setting',
    ])
  })
})

test.each(['POST', 'PUT'])('%s creates the entity of a singular resource', async (method) => {
  const { store, rest } = serveBlog()
  store.dataClass('Setting').remove(1)
  expect((await ask(rest, 'PATCH', '/setting', { theme: 'red' })).status).toBe(404)
  const { status, body } = await ask(rest, method, '/setting', { theme: 'red' })
  expect([status, body]).toEqual([method === 'POST' ? 201 : 200, { theme: 'red', max_lte: null }])
  expect((await ask(rest, 'GET', '/setting')).body.theme).toBe('red')
  const denied = serveBlog({ authorize: ({ action }) => action !== 'create' })
  denied.store.dataClass('Setting').remove(1)
  expect((await ask(denied.rest, method, '/setting', { theme: 'red' })).status).toBe(401)
})

describe('DELETE', () => {
  test('removes an entity and follows the rules of its relations', async () => {
    const { status, text } = await ask(rest, 'DELETE', '/posts/1')
    expect([status, text]).toEqual([200, '{}'])
    expect(await idsOf(rest, '/comments')).toEqual([])
    expect((await ask(rest, 'DELETE', '/posts/1')).status).toBe(404)
  })

  test.each(['/posts', '/posts/1/comments', '/setting', '/db'])(
    'does not exist at %s',
    async (url) => {
      const { status, headers } = await ask(rest, 'DELETE', url)
      expect([status, headers.allow]).toEqual([405, expect.stringContaining('GET, HEAD')])
    },
  )
})

test('OPTIONS names the verbs of an address, also to the fetch of other hosts', async () => {
  const answer = await rest.fetch(new Request('http://localhost/posts/1', { method: 'OPTIONS' }))
  expect([answer.status, answer.body]).toEqual([204, null])
  const server = createServer(toNodeHandler(rest))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sent = await fetch(`http://127.0.0.1:${port}/posts/1`, { method: 'OPTIONS' })
  server.close()
  // RFC 9110 forbids it for this status.
  expect(sent.headers.has('content-length')).toBe(false)
  const { status, headers, text } = await ask(rest, 'OPTIONS', '/posts/1')
  expect([status, headers.allow, text]).toEqual([204, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', ''])
})

describe('the address of a new entity', () => {
  test.each([
    '.',
    '..',
    '...',
    'a/b',
    '/',
    '?x',
    '#x',
    '%2e%2e',
    '%',
    '~',
    '~a',
    '~~2E',
    '~~2E~2E',
    '~~7E',
    'a b',
    'é',
    '__proto__',
    'db',
    'a\\b',
    '"q"',
  ])('leads to it, after a client normalises it: %j', async (id) => {
    const { status, headers } = await ask(rest, 'POST', '/comments', { id, body: 'x' })
    expect(status).toBe(201)
    const { pathname } = new URL(headers.location!)
    const { body } = await ask(rest, 'GET', pathname)
    expect([pathname, body.id]).toEqual([pathname, id])
    expect((await ask(rest, 'PATCH', pathname, { id, body: 'y' })).body.body).toBe('y')
    expect((await ask(rest, 'DELETE', pathname)).status).toBe(200)
    expect((await ask(rest, 'GET', pathname)).status).toBe(404)
  })
})

describe('a form', () => {
  const TYPES = ['bool', 'long', 'long64', 'number', 'duration', 'date', 'uuid'] as const
  const TEXTS = [
    ...['true', 'TRUE', 'False', '1', '0', 'yes', 'off', '20', '-1.5', '1e3', '0x1F', '1e999', '٣'],
    ...['12abc', '01:00:00', '36:00:00.250', '2024-01-31', '2024-02-30', '2024-01-31T12:00:00Z'],
    ...['31!1!2024', 'Infinity', 'NaN', '3000000000', '0b1', '1_000', '1,5', 'null', '[]'],
    '8d8ac610-566d-4ef0-9c22-186b2a5ed793',
  ]
  const store = createDataStore({
    name: 'forms',
    dataClasses: [
      defineDataClass('Field', {
        ID: attribute.long({ key: true, autoSequence: true }),
        bool: attribute.bool(),
        long: attribute.long(),
        long64: attribute.long64(),
        number: attribute.number(),
        duration: attribute.duration(),
        date: attribute.date(),
        day: attribute.date({ dateOnly: true }),
        uuid: attribute.uuid(),
        text: attribute.string(),
        more: attribute.object(),
        next: attribute.relatedEntity('Field'),
      }),
    ],
  })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const sites = [{ fields: 'Field' }, { fields: { dataClass: 'Field', others: 'more' } }].map(
    (resources) => createRestHandler(store, { plain: { resources } }),
  )
  const send = (site: RestHandler, name: string, text: string) =>
    ask(site, 'POST', '/fields', new URLSearchParams({ [name]: text }).toString(), type)

  test.each([...TYPES, 'day'] as const)('stores the literals of a filter as %s', async (name) => {
    const dateOnly = name === 'day'
    for (const site of sites)
      for (const text of TEXTS) {
        const literal = coerceLiteral((dateOnly ? 'date' : name) as AttributeType, dateOnly, text)
        const { status, body } = await send(site, name, text)
        if (literal instanceof Refusal) {
          expect([text, status]).toEqual([text, 400])
          expect(body.error).toContain(`"${name}"`)
        } else if (status === 201) {
          const filter = `${name} === :1`
          const ids = store.Field.query(filter, [text])
            .toArray()
            .map(({ ID }) => ID)
          expect([text, ids]).toEqual([text, expect.arrayContaining([body.ID])])
        } else {
          // A number that the attribute cannot hold, as in JSON.
          const json = await ask(sites[0]!, 'POST', '/fields', { [name]: literal })
          expect([text, name.startsWith('long'), status]).toEqual([text, true, json.status])
        }
      }
  })

  test('stores a blank as null, except for texts', async () => {
    for (const name of [...TYPES, 'day', 'nextId'])
      for (const blank of ['', ' ']) {
        const { status, body } = await send(sites[0]!, name, blank)
        expect([name, status, body[name]]).toEqual([name, 201, null])
      }
    expect((await send(sites[0]!, 'text', '')).body.text).toBe('')
  })
})
