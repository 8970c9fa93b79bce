import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { keyInSegment } from '../../rest/src/request/key-text.ts'
import { database, members, type Row, serve } from './plain-documents.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-document-'))
  file = join(folder, 'db.json')
})
afterAll(() => rm(folder, { recursive: true }))

/** JSON text tells the order of members, too. */
const expectSame = (found: unknown, expected: unknown): void =>
  expect(JSON.stringify(found)).toBe(JSON.stringify(expected))

const LISTS = ['posts', 'comments', 'toString'] as const

test('a random db.json is answered and saved as it was, with the row that was changed', () =>
  fc.assert(
    fc.asyncProperty(
      database,
      members,
      fc.constantFrom('PATCH', 'PUT', 'POST'),
      fc.constantFrom(...LISTS),
      async (content, given, method, name) => {
        const { send, close } = await serve(file, content)
        expectSame((await send('GET', '/db')).body, content)
        const list = content[name] as Row[]
        const row = list[0]
        const sent = JSON.parse(JSON.stringify(method === 'POST' ? { ...given, id: 99 } : given))
        if (method !== 'POST' && row !== undefined) {
          const url = `/${name}/${keyInSegment(row.id as string)}`
          list[0] = method === 'PUT' ? { id: row.id, ...sent } : { ...row, ...sent }
          expectSame((await send(method, url, sent)).body, list[0])
        } else if (method === 'POST') {
          list.push(sent)
          expectSame((await send(method, `/${name}`, sent)).body, sent)
        }
        expectSame(JSON.parse(await readFile(file, 'utf8')), content)
        expectSame((await send('GET', '/db')).body, content)
        close()
        expect(Object.keys(Object.prototype)).toEqual([])
      },
    ),
    runs(60),
  ))

test('a random db.json with a member __proto__ is refused with the row and the name', () =>
  fc.assert(
    fc.asyncProperty(database, fc.constantFrom('', 'in', 'list'), async (content, place) => {
      const hidden = JSON.parse('{"__proto__":{"polluted":true}}')
      const row = place === '' ? hidden : { [place]: place === 'in' ? hidden : [1, hidden] }
      content.posts.push({ id: 99, ...row })
      if (place === '')
        Object.defineProperty(content.posts.at(-1), '__proto__', { value: 1, enumerable: true })
      await expect(serve(file, content)).rejects.toThrow(
        `row ${content.posts.length} of "posts" has a member "__proto__", which objects cannot hold.`,
      )
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    runs(15),
  ))

test("a body cannot reach a prototype, and members named like JavaScript's are filters and orders", async () => {
  const rows = [
    { id: 1, constructor: 'b', prototype: { constructor: 1 } },
    { id: 2, constructor: 'a', _constructor: 'b' },
  ]
  const { send, close } = await serve(file, { posts: rows, empty: [] })
  for (const text of ['{"__proto__":{"x":1}}', '{"a":[{"__proto__":1}]}'])
    for (const [method, url] of [
      ['POST', '/posts'],
      ['PATCH', '/posts/1'],
      ['PUT', '/posts/1'],
    ] as const)
      expect(await send(method, url, text)).toMatchObject({ status: 400 })
  expect((await send('GET', '/posts?constructor=b')).body).toEqual([rows[0]])
  expect((await send('GET', '/posts?_constructor=b')).body).toEqual([rows[1]])
  expect((await send('GET', '/posts?prototype.constructor=1')).body).toEqual([rows[0]])
  expect((await send('GET', '/posts?_sort=constructor')).body).toEqual([rows[1], rows[0]])
  expect((await send('GET', '/posts')).body).toEqual(rows)
  close()
})

test('what is created below an entity refers to it by an id of its own type', async () => {
  const posts = [{ id: 1 }, { id: '2' }]
  const { send, close } = await serve(file, { posts, comments: [{ id: 1, postId: 1 }] })
  const post = async (at: number): Promise<unknown> =>
    (await send('POST', `/posts/${at}/comments`, { text: 'x', postId: 9, by: null })).body
  expectSame(await post(1), { id: 2, text: 'x', postId: 1, by: null })
  expectSame(await post(2), { id: 3, text: 'x', postId: '2', by: null })
  expect(await send('POST', '/posts/9/comments', {})).toMatchObject({ status: 422 })
  // The number is a relation, too.
  await send('PATCH', '/comments/3', { postId: 1 })
  expect((await send('GET', '/posts/1/comments')).body).toHaveLength(3)
  close()
})
