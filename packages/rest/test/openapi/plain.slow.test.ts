import type { AnyDataStore } from '@entia/core'
import { describe, expect, test } from 'vitest'
import {
  createRestHandler,
  openApiOf,
  type RestHandler,
  type RestOptions,
} from '../../src/index.ts'
import { createThings } from '../http/every-type.ts'
import { createHr } from '../http/models.ts'
import { send } from '../http/send.ts'
import { serveBlog } from '../plain/blog.ts'
import { type Document, DocumentValidator, resolve } from './document-validator.ts'
import { ABOUT, lint } from './lint.ts'

const documentOf = async (rest: RestHandler): Promise<Document> =>
  (await send(rest, 'GET', `${rest.basePath}/$openapi`)).body

/** The path of the document that an address belongs to. */
function pathOf(document: Document, url: string): string {
  const segments = url.replace(/\?.*/s, '').split('/')
  const path = Object.keys(document.paths).find((path) => {
    const parts = path.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, at) => part === '{key}' || part === segments[at])
    )
  })
  if (path === undefined) throw new Error(`no path for ${url}`)
  return path
}

/** Sends requests, and collects the differences from the document. */
function checker(rest: RestHandler, document: Document) {
  const validator = new DocumentValidator(document)
  const faults: string[] = []
  const ask = async (method: string, url: string, sent?: unknown) => {
    const { status, headers, body, text } = await send(rest, method, url, sent)
    if (status >= 500) faults.push(`${method} ${url}: ${text}`)
    const path = pathOf(document, url)
    const exchange = {
      method,
      status,
      contentType: headers['content-type'],
      answered: body,
      ...(sent === undefined ? {} : { sent }),
    }
    faults.push(...validator.faultsAt(path, exchange).map((one) => `${method} ${url}: ${one}`))
    return { status, body, headers }
  }
  return { ask, faults }
}

const parametersOf = (document: Document, path: string): readonly Document[] =>
  document.paths[path].get.parameters.map((part: Document) => resolve(document, part))

/** The addresses of a list with each of its parameters, with a value of an entity for filters. */
function* readsOf(document: Document, path: string, url: string, entity: Document) {
  for (const { name, example, schema } of parametersOf(document, path)) {
    const attribute = name.replace(/_(?:ne|gte|lte|like)$/, '')
    const found = example ?? entity[name] ?? entity[attribute]
    const unset = schema.type === 'number' ? 1 : schema.type === 'boolean' || '2024-01-31'
    const value = typeof found === 'object' && !Array.isArray(found) ? unset : (found ?? unset)
    yield { name, url: `${url}?${name}=${encodeURIComponent(String(value))}` }
  }
}

describe('the document with plain REST', () => {
  test('is valid, and describes both interfaces below one server', async () => {
    const { rest } = serveBlog({ openapi: ABOUT })
    const document = await documentOf(rest)
    expect(await lint(document)).toEqual([])
    expect(document.servers).toEqual([{ url: '/' }])
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(
        ['/rest/Post', '/rest/$catalog', '/posts', '/posts/{key}', '/posts/{key}/comments'].concat([
          '/comments',
          '/comments/{key}',
          '/setting',
          '/db',
        ]),
      ),
    )
    expect(Object.keys(document.paths['/setting'])).toEqual(['get', 'patch', 'put', 'post'])
  })

  test('describes every answer of the blog, also to changes and refusals', async () => {
    const { rest } = serveBlog({ openapi: true })
    const { ask, faults } = checker(rest, await documentOf(rest))
    const statuses: number[] = []
    for (const [method, url, sent] of [
      ['GET', '/posts'],
      ['GET', '/posts?_embed=comments&_page=1&_limit=2'],
      ['GET', '/posts/1'],
      ['GET', '/posts/2?_embed=comments'],
      ['GET', '/posts/1/comments?_expand=post'],
      ['GET', '/comments'],
      ['GET', '/setting'],
      ['GET', '/db'],
      ['POST', '/posts', { title: 'New', mood: 'glad', views: 'many' }],
      ['POST', '/posts/1/comments', { body: 'Yes' }],
      ['PATCH', '/posts/4', { views: 5, __STAMP: 1 }],
      ['PUT', '/posts/4', { title: 'Other', published: null }],
      ['GET', '/posts/4'],
      ['GET', '/comments?postId=1&_sort=body'],
      ['PATCH', '/comments/a', { postId: '2' }],
      ['PATCH', '/setting', { theme: 'light' }],
      ['POST', '/setting', { theme: 'dark' }],
      ['DELETE', '/posts/4'],
      ['GET', '/posts/4'],
      ['GET', '/posts?viwes=1'],
      ['POST', '/posts', { title: 'x'.repeat(21) }],
      ['POST', '/posts', { id: 1, title: 'Again' }],
      ['POST', '/posts', []],
      ['PATCH', '/posts/1', { __STAMP: 9 }],
    ] as const)
      statuses.push((await ask(method, url, sent)).status)
    expect(faults).toEqual([])
    expect(statuses).toEqual(
      [200, 200, 200, 200, 200, 200, 200, 200].concat(
        [201, 201, 200, 200, 200, 200, 200, 200, 201, 200],
        [404, 400, 422, 409, 400, 409],
      ),
    )
  })

  test.each<[string, AnyDataStore, string, string]>([
    ['every type', createThings() as never, 'Thing', '1'],
    ['staff', createHr() as never, 'Employee', '1'],
  ])('%s: each parameter selects, and what was read can be sent', async (_, store, name, key) => {
    const options: RestOptions = { openapi: ABOUT, plain: { basePath: '/api' } }
    const rest = createRestHandler(store, options)
    const document = await documentOf(rest)
    expect(await lint(document)).toEqual([])
    const { ask, faults } = checker(rest, document)
    const list = `/api/${name}`
    const { body: entity } = await ask('GET', `${list}/${key}`)
    const found = new Map<string, unknown>()
    for (const { name, url } of readsOf(document, list, list, entity)) {
      const { status, body } = await ask('GET', url)
      if (status !== 200) faults.push(`${url}: ${status} ${JSON.stringify(body)}`)
      else found.set(name, body.length)
    }
    expect(found.size).toBeGreaterThan(20)
    const { status } = await ask('PATCH', `${list}/${key}`, {})
    expect([status, faults]).toEqual([200, []])
  })

  test("the caller's document shows nothing hidden", async () => {
    const { rest } = serveBlog({
      openapi: ABOUT,
      authorize: ({ dataClass, action, attribute }) =>
        action === 'describe' ? dataClass !== 'Comment' : attribute !== 'views',
    })
    const document = await documentOf(rest)
    expect(await lint(document)).toEqual([])
    const text = JSON.stringify(document)
    const hidden = ['Comment', 'comments', '"views', 'Secret']
    expect(hidden.filter((name) => text.includes(name))).toEqual([])
    expect(Object.keys(document.paths)).toContain('/posts/{key}')
  })

  test('has the servers of the options before both base paths', () => {
    const servers = [{ url: 'https://db.example/v1' }]
    const options = { openapi: { servers }, plain: true, basePath: '/entities' }
    const document = openApiOf(createHr(), options) as Document
    expect(document.servers).toEqual(servers)
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/entities/Employee', '/Employee', '/Employee/{key}']),
    )
  })

  test('has a prefix of the host as server', async () => {
    const { rest } = serveBlog({ openapi: true })
    const { body } = await rest
      .handle({ method: 'GET', url: '/v1/rest/$openapi', mountPath: '/v1', headers: {} } as never)
      .then(({ body }) => ({ body: JSON.parse(String(body)) }))
    expect(body.servers).toEqual([{ url: '/v1' }])
    expect(Object.keys(body.paths)).toContain('/posts')
  })
})
