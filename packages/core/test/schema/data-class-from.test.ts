import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { dataClassFrom, schemasOf } from '../../src/schema.ts'

const post = z.object({
  id: z.int32(),
  title: z.string().min(3).max(20),
  state: z.enum(['draft', 'public']).default('draft'),
  views: z.int().optional(),
  rating: z.number().positive().nullable(),
  published: z.iso.datetime().optional(),
  day: z.iso.date().optional(),
  tags: z.array(z.string()).optional(),
  place: z.object({ city: z.string() }).optional(),
  open: z.boolean().optional(),
  author: z.int32(),
})
const User = defineDataClass('User', {
  ID: attribute.long({ key: true, autoSequence: true }),
  posts: attribute.relatedEntities('Post', 'author'),
})
const Post = dataClassFrom('Post', post, {
  key: 'id',
  attributes: { author: attribute.relatedEntity('User', { notNull: true }) },
})

function createBlog() {
  const store = createDataStore({ name: 'blog', dataClasses: [User, Post] })
  store.User.insert({})
  return store
}
const hello = { id: 1, title: 'Hello', rating: null, author: 1 }

describe('a dataclass from a zod schema', () => {
  test('has attributes of the right types', () => {
    const types = Object.entries(Post.attributes).map(([name, { kind, ...rest }]) => [
      name,
      'type' in rest ? rest.type : kind,
    ])
    expect(Object.fromEntries(types)).toEqual({
      id: 'long',
      title: 'string',
      state: 'string',
      views: 'long64',
      rating: 'number',
      published: 'date',
      day: 'date',
      tags: 'object',
      place: 'object',
      open: 'bool',
      author: 'relatedEntity',
    })
  })

  test('stores and reads entities, with defaults, relations and filters', () => {
    const store = createBlog()
    const saved = store.Post.insert({ ...hello, published: '2024-05-31T10:00:00Z', tags: ['a'] })
    expect(saved.state).toBe('draft')
    expect(saved.author?.key).toBe(1)
    expect(store.Post.query('state = "draft" and published > "2024-01-01"').count).toBe(1)
    const title: string = saved.title
    const views: number | null = saved.views
    expect([title, views]).toEqual(['Hello', null])
    // @ts-expect-error no such attribute
    saved.titel
  })

  test('its rules hold on every save, with its messages and paths', () => {
    const store = createBlog()
    expect(() => store.Post.insert({ ...hello, title: 'No' })).toThrow(/title: Too small/)
    // @ts-expect-error not a state
    expect(() => store.Post.insert({ ...hello, state: 'secret' })).toThrow(/state: Invalid option/)
    expect(() => store.Post.insert({ ...hello, rating: -1 })).toThrow(/rating: Too small/)
    store.Post.insert(hello)
    expect(() => store.Post.update(1, { title: '' })).toThrow(/title: Too small/)
    expect(store.Post.get(1)?.title).toBe('Hello')
  })

  test('is a schema again', () => {
    const { Post: schemas } = schemasOf([User, Post])
    expect(schemas.insert['~standard'].validate({ id: 1, title: 'x', rating: 'y' })).toMatchObject({
      issues: [{ path: ['rating'] }, { path: ['author'] }],
    })
  })
})

test('a dataclass from a valibot schema', () => {
  const Note = dataClassFrom(
    'Note',
    toStandardJsonSchema(
      v.object({ id: v.string(), text: v.pipe(v.string(), v.maxLength(5, 'too long')) }),
    ),
    { key: 'id', errCode: 12_000 },
  )
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  expect(store.Note.insert({ id: 'a', text: 'short' }).text).toBe('short')
  expect(() => store.Note.insert({ id: 'b', text: 'too long' })).toThrow(/text: too long/)
})

describe('a schema that cannot be a dataclass is refused with the remedy', () => {
  const from = (schema: unknown, key = 'id') =>
    expect(() => dataClassFrom('Bad', schema as typeof post, { key: key as 'id' }))

  test.each([
    ['a union', z.object({ id: z.int32(), x: z.union([z.string(), z.number()]) }), '"x"'],
    ['any value', z.object({ id: z.int32(), x: z.any() }), '"x"'],
    ['a date object', z.object({ id: z.int32(), x: z.date() }), 'ISO 8601'],
    ['a map', z.object({ id: z.int32(), x: z.map(z.string(), z.number()) }), 'JSON cannot hold'],
    ['a transform', z.object({ id: z.int32(), x: z.string().transform(Number) }), 'cannot hold'],
    ['a list', z.array(z.string()), 'not that of an object'],
    ['valibot without JSON Schema', v.object({ id: v.number() }), 'toStandardJsonSchema'],
    ['no schema', {}, 'toStandardJsonSchema'],
    ['nothing', undefined, 'toStandardJsonSchema'],
  ])('%s', (_title, schema, reason) => {
    from(schema).toThrow(reason)
  })

  test('no key', () => {
    expect(() => dataClassFrom('Bad', post, undefined as never)).toThrow('its key is not named')
  })

  test('a key that it does not have', () => {
    from(post, 'ID').toThrow('its schema has no property "ID" for the key. Properties: id, title')
  })

  test('an asynchronous check refuses the save', () => {
    const slow = z.object({ id: z.int32() }).refine(async () => true)
    const Slow = dataClassFrom('Slow', slow, { key: 'id' })
    const store = createDataStore({ name: 'slow', dataClasses: [Slow] })
    expect(() => store.Slow.insert({ id: 1 })).toThrow(/synchronous/)
  })
})
