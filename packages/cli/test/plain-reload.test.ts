import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { keyInSegment } from '../../rest/src/request/key-text.ts'
import { database, id, members, type Row, serve } from './plain-documents.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-reload-'))
  file = join(folder, 'db.json')
})
afterAll(() => rm(folder, { recursive: true }))

type Serving = Awaited<ReturnType<typeof serve>>
interface Content {
  posts: Row[]
  comments: Row[]
  notes: Row[]
  profile: Row
}

const LISTS = ['posts', 'comments', 'notes'] as const
interface Change {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly resource: (typeof LISTS)[number] | 'profile'
  /** Which row is changed. */
  readonly pick: number
  /** Which post a comment leads to; null for none. */
  readonly post: number | null
  /** Of a new row; null for one that the store makes. */
  readonly id: unknown
  readonly row: Row
}
const change: fc.Arbitrary<Change> = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
  resource: fc.constantFrom(...LISTS, 'profile'),
  pick: fc.nat(9),
  post: fc.option(fc.nat(9)),
  id: fc.option(id),
  row: members,
})

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value))
/** JSON text shows the order of members, and tells numbers and texts apart. */
const expectSame = (found: unknown, expected: unknown): void =>
  expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
const addressOf = (resource: string, { id }: Row): string =>
  `/${resource}/${keyInSegment(id as string)}`

/** Ids of lists with texts are compared as texts. */
function leadsTo({ posts }: Content, { postId }: Row): Row | undefined {
  const isText = !posts.every(({ id }) => Number.isSafeInteger(id))
  if (postId === null || postId === undefined) return undefined
  return posts.find(({ id }) => (isText ? String(id) === String(postId) : id === postId))
}
const isRelated = (content: Content): boolean => {
  const related = content.comments.filter(({ postId }) => postId != null)
  return related.length > 0 && related.every((row) => leadsTo(content, row) !== undefined)
}

/** Sends a change, and makes it in the content, which must then be what the file contains. */
async function make({ send, model }: Serving, given: Change, content: Content): Promise<void> {
  const { method, resource, pick, post } = given
  const row = clone(given.row)
  if (resource === 'profile') {
    if (method === 'DELETE') return
    const next = method === 'PATCH' ? { ...content.profile, ...row } : row
    expectSame((await send(method, '/profile', row)).body, next)
    content.profile = next
    return
  }
  const list = content[resource]
  const { posts } = content
  if (resource === 'comments' && method !== 'DELETE')
    row.postId = post === null || posts.length === 0 ? null : posts[post % posts.length]!.id
  if (method === 'POST') {
    const sent = given.id === null ? row : { id: given.id, ...row }
    const { status, body, headers } = await send('POST', `/${resource}`, sent)
    if (status !== 201) {
      // A taken id, a text where ids are numbers, or the last number, behind which none is left.
      const refusals = given.id === 2 ** 31 - 1 ? [400, 409, 422] : [400, 409]
      expect([given.id === null, refusals.includes(status)]).toEqual([false, true])
      return
    }
    expect(body).toEqual({ id: body.id, ...row })
    // Digits in a text are a number where ids are numbers.
    if (given.id !== null) expect(String(body.id)).toBe(String(given.id))
    expectSame((await send('GET', String(headers.location))).body, body)
    expect(new URL(String(headers.location), 'http://x').pathname).toBe(headers.location)
    list.push(body)
    return
  }
  const old = list[pick % Math.max(list.length, 1)]
  if (old === undefined) return
  const url = addressOf(resource, old)
  expectSame((await send('GET', url)).body, old)
  if (method === 'DELETE') {
    const hasRelation = model.classes.some(({ relations }) => relations.length > 0)
    const goes = ({ postId }: Row): boolean =>
      resource === 'posts' && hasRelation && postId != null && String(postId) === String(old.id)
    expect((await send('DELETE', url)).status).toBe(200)
    content[resource] = list.filter((row) => row !== old)
    content.comments = content.comments.filter((row) => !goes(row))
    return
  }
  const next = method === 'PUT' ? { id: old.id, ...row } : { ...old, ...row }
  expectSame((await send(method, url, row)).body, next)
  list[list.indexOf(old)] = next
}

/** What is served is the content, and comments lead to their posts. */
async function expectServed({ send, model }: Serving, content: Content): Promise<void> {
  expectSame((await send('GET', '/db')).body, content)
  const relations = model.classes.flatMap(({ relations }) => relations.map(({ name }) => name))
  expect(relations).toEqual(isRelated(content) ? ['post'] : [])
  for (const row of relations.length > 0 ? content.comments : []) {
    const { body } = await send('GET', `${addressOf('comments', row)}?_expand=post`)
    expect([row.id, body.post]).toEqual([row.id, leadsTo(content, row)])
  }
}

/** A new row may have the place of a removed one. */
const inAnyOrder = (content: Content): unknown => ({
  ...content,
  ...Object.fromEntries(LISTS.map((name) => [name, content[name].map(textOf).sort()])),
})
const textOf = (row: Row): string => JSON.stringify(row)

test('a db.json that is changed, saved and loaded again has the same rows, order, types and relations', () =>
  fc.assert(
    fc.asyncProperty(
      database,
      fc.array(change, { maxLength: 4 }),
      fc.array(change, { maxLength: 2 }),
      async (document, first, second) => {
        const { toString: notes, ...others } = clone(document)
        let content: Content = { ...others, notes }
        let serving = await serve(file, content)
        for (const changes of [first, second, []]) {
          await expectServed(serving, content)
          for (const each of changes) {
            await make(serving, each, content)
            const saved = (await serving.read()) as Content
            expect(inAnyOrder(saved)).toEqual(inAnyOrder(content))
            content = saved
          }
          serving.close()
          serving = await serve(file)
        }
        await expectServed(serving, content)
        serving.close()
        expect(Object.keys(Object.prototype)).toEqual([])
      },
    ),
    runs(40),
  ))
