import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { openPlain } from '../src/plain/open-plain.ts'
import { SavedFile } from '../src/plain/save-file.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-document-'))
  file = join(folder, 'db.json')
})
afterAll(() => rm(folder, { recursive: true }))

/** Names that JavaScript gives to members of objects, and names that stand for these. */
const BUILT_IN = ['constructor', 'prototype', 'toString', 'hasOwnProperty', '_constructor']
const ODD = ['a b', '1', '', 'ID', 'key', 'stamp', 'otherMembers', 'öß', 'title', 'views']
const name = fc.constantFrom(...ODD, ...BUILT_IN)
const value = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, 1e21, '', 'null', '2024-01-01', [], {}),
  fc.string(),
  fc.integer(),
  fc.dictionary(name, fc.oneof(fc.string(), fc.constantFrom(null, { prototype: [1] })), {
    maxKeys: 3,
  }),
  fc.array(fc.dictionary(name, fc.integer(), { maxKeys: 2 }), { maxLength: 2 }),
)
const id = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom('1', 'a', 'B', '1.5', 2.5, 2 ** 40),
)
type Row = Record<string, unknown>
const members: fc.Arbitrary<Row> = fc.dictionary(name, value, { maxKeys: 5 })
/** Objects keep the order in which their members were added. */
const shuffled = (row: Row): fc.Arbitrary<Row> =>
  fc
    .shuffledSubarray(Object.entries(row), { minLength: Object.keys(row).length })
    .map((entries) => Object.fromEntries(entries))
const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(id, { selector: String, maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.map((id) => members.chain((more) => shuffled({ id, ...more })))))
const database = fc
  .record({
    posts: rows,
    comments: fc
      .tuple(rows, fc.array(fc.oneof(id, fc.constant(null)), { minLength: 6, maxLength: 6 }))
      .map(([list, ids]) => list.map((row, at) => ({ ...row, postId: ids[at] }))),
    toString: rows,
    profile: members,
  })
  .map((content) => JSON.parse(JSON.stringify(content)) as typeof content)

/** A `db.json` that is served as with `--save`. */
async function serve(content: unknown) {
  await writeFile(file, JSON.stringify(content))
  const { store, model, text } = await openPlain(file)
  const { handle } = createRestHandler(store, { plain: { resources: model.resources } })
  const saved = new SavedFile(file, store, model.resources, text)
  return {
    send: async (method: string, url: string, row?: object | string) => {
      const { status, body } = await handle({
        method,
        url,
        ...(row && { body: typeof row === 'string' ? row : JSON.stringify(row) }),
      })
      await saved.flush()
      return { status, body: JSON.parse(String(body)) as Row }
    },
    close: () => store.close(),
  }
}

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
        const { send, close } = await serve(content)
        expectSame((await send('GET', '/db')).body, content)
        const list = content[name] as Row[]
        const row = list[0]
        const sent = JSON.parse(JSON.stringify(method === 'POST' ? { ...given, id: 99 } : given))
        if (method !== 'POST' && row !== undefined) {
          const url = `/${name}/${encodeURIComponent(String(row.id))}`
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
      await expect(serve(content)).rejects.toThrow(
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
  const { send, close } = await serve({ posts: rows, empty: [] })
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
  const { send, close } = await serve({ posts, comments: [{ id: 1, postId: 1 }] })
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
