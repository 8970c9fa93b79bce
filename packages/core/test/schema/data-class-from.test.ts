import { toStandardJsonSchema } from '@valibot/to-json-schema'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'
import { dataClassFrom, schemasOf } from '../../src/schema.ts'
import { runs } from '../runs.ts'

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

  test('takes the entity of a relation, as its schemas do', () => {
    const store = createBlog()
    const author = store.User.all().first()
    expect(store.Post.insert({ ...hello, author: author as never }).author?.key).toBe(1)
    const { insert, update } = schemasOf([User, Post]).Post
    expect(insert['~standard'].validate({ ...hello, author })).toEqual({ value: hello })
    expect(update['~standard'].validate({ author })).toEqual({ value: { author: 1 } })
    const post = store.Post.all().first()
    expect(update['~standard'].validate({ author: post })).toMatchObject({
      issues: [{ path: ['author'] }],
    })
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

describe('what a schema gives is what is stored', () => {
  const letter = z.object({
    id: z.string().trim().toUpperCase(),
    to: z.string().trim().toLowerCase().min(2),
    tags: z.array(z.string().trim()).default([]),
    place: z
      .object({ city: z.string().trim(), zip: z.string().default('0') })
      .nullable()
      .optional(),
    sent: z.iso.datetime({ precision: 0 }).optional(),
    read: z.iso.datetime({ precision: -1 }).nullable(),
    exact: z.iso.datetime({ precision: 6 }).optional(),
    count: z.int32().default(1),
  })
  const Letter = dataClassFrom('Letter', letter, { key: 'id' })
  const parts = {
    to: fc.constantFrom(' Ada ', 'ADA', 'eve', '  x', '   ', ''),
    tags: fc.option(fc.array(fc.constantFrom(' a', 'B ', '')), { nil: undefined }),
    place: fc.constantFrom(undefined, null, { city: ' Rome ' }, { city: 'Oslo', zip: '1', x: 2 }),
    sent: fc.constantFrom(undefined, '2024-05-31T10:00:07Z'),
    read: fc.constantFrom(null, '2024-05-31T10:00Z'),
    exact: fc.constantFrom(undefined, '2024-05-31T10:00:07.120000Z'),
    count: fc.constantFrom(undefined, 3),
  }
  const { attributes } = Letter
  /** The output as an entity shows it. */
  const shown = (value: object) =>
    Object.fromEntries(
      Object.keys(attributes).map((name) => {
        const part = (value as { readonly [name: string]: unknown })[name] ?? null
        const isDate = attributes[name as keyof typeof attributes].type === 'date'
        return [name, isDate && typeof part === 'string' ? new Date(part).toISOString() : part]
      }),
    )

  test('after every insert and update', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a', ' b', 'C'),
        fc.record(parts),
        fc.record(parts, { requiredKeys: [] }),
        (id, first, change) => {
          const store = createDataStore({ name: 'letters', dataClasses: [Letter] })
          const save = (values: object, write: () => object): void => {
            const { success, data } = letter.safeParse(values)
            if (success) expect({ ...write() }).toEqual(shown(data))
            else expect(write).toThrow('to: Too small')
          }
          save({ id, ...first }, () => store.Letter.insert({ id, ...first } as never))
          const stored = store.Letter.all().first()
          if (stored === undefined) return
          const given = Object.fromEntries(
            Object.entries(change).filter(([, value]) => value !== undefined),
          )
          const { place, sent, exact, ...rest } = first
          const before = { id, ...rest, ...(place && { place }), sent, exact, ...given }
          save(before, () => store.Letter.update(stored.id, given as never))
        },
      ),
      runs(200),
    )
  })

  test('also for a key that was stored without it: keys never change', () => {
    const store = createDataStore({ name: 'letters', dataClasses: [Letter] })
    store.Letter.load([{ id: ' x', to: 'ada', read: null }], { hooks: false })
    expect(store.Letter.update(' x', { to: ' Eve ' })).toMatchObject({ id: ' x', to: 'eve' })
  })

  test('several issues are several failures with their attributes', () => {
    const Pair = dataClassFrom(
      'Pair',
      z
        .object({
          id: z.int32(),
          a: z.string().min(2),
          b: z.number().max(1),
          c: z.object({ d: z.array(z.string().min(1)) }),
        })
        .check(({ value, issues }) => {
          if (value.id === 2) issues.push({ code: 'custom', message: 'Not two', input: value })
        }),
      { key: 'id' },
    )
    const store = createDataStore({ name: 'pairs', dataClasses: [Pair] })
    const failuresOf = (values: object) => {
      try {
        store.Pair.insert(values as never)
      } catch (error) {
        if (!isEntiaError(error, 'validationFailed')) throw error
        return error.details.failures.map(({ code, errCode, message, details }) => [
          code,
          errCode,
          message,
          'attribute' in details ? details.attribute : undefined,
        ])
      }
      return []
    }
    expect(failuresOf({ id: 1, a: 'x', b: 2, c: { d: ['y', ''] } })).toEqual([
      ['hookRefused', 10_000, expect.stringMatching(/^a: Too small/), 'a'],
      ['hookRefused', 10_000, expect.stringMatching(/^b: Too big/), 'b'],
      ['hookRefused', 10_000, expect.stringMatching(/^c\.d\.1: Too small/), 'c'],
    ])
    expect(failuresOf({ id: 2, a: 'xx', b: 1, c: { d: [] } })).toEqual([
      ['hookRefused', 10_000, 'Not two.', undefined],
    ])
    expect(
      failuresOf({ id: 3, b: 2, c: { d: [] } }).map(([code, , , name]) => [code, name]),
    ).toEqual([
      ['notNullViolation', 'a'],
      ['hookRefused', 'a'],
      ['hookRefused', 'b'],
    ])
  })
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
