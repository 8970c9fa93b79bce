import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestHandler, type RestOptions } from '../../src/index.ts'
import { type Reply, send } from '../http/send.ts'

const Post = defineDataClass(
  'Post',
  {
    id: attribute.long({ key: true, autoSequence: true }),
    title: attribute.string({ notNull: true, indexed: true, maxLength: 20 }),
    views: attribute.number({ indexed: true }),
    published: attribute.bool(),
    author: attribute.object(),
    more: attribute.object(),
    comments: attribute.relatedEntities('Comment', 'post'),
  },
  { collectionName: 'posts' },
)
const Comment = defineDataClass(
  'Comment',
  {
    id: attribute.string({ key: true }),
    body: attribute.string(),
    post: attribute.relatedEntity('Post', { onDelete: 'cascade' }),
  },
  { collectionName: 'comments' },
)
const Setting = defineDataClass('Setting', {
  ID: attribute.long({ key: true }),
  theme: attribute.string(),
  max_lte: attribute.number(),
})
const Secret = defineDataClass(
  'Secret',
  { ID: attribute.long({ key: true }), text: attribute.string() },
  { exposed: false },
)

/** A store with posts, comments and one setting, and its handler. */
export function serveBlog(options: RestOptions = {}): {
  readonly store: AnyDataStore
  readonly rest: RestHandler
} {
  const store = createDataStore({ name: 'blog', dataClasses: [Post, Comment, Setting, Secret] })
  store.Post.load([
    { id: 1, title: 'First', views: 100, published: true, author: { name: 'ada', age: 36 } },
    { id: 2, title: 'Second', views: 200, published: false, more: { mood: 'calm', level: 3 } },
    { id: 3, title: 'Third', views: null, author: { name: 'eve' } },
  ])
  store.Comment.load([
    { id: 'a', body: 'Hello', post: 1 },
    { id: 'b', body: '100% @home', post: 1 },
  ])
  store.Setting.load([{ ID: 1, theme: 'dark', max_lte: 7 }])
  const plain = {
    resources: {
      posts: { dataClass: 'Post', others: 'more' },
      comments: 'Comment',
      setting: { dataClass: 'Setting', only: 1 },
    },
    ids: { uuid: () => '0123456789ab4cde8f0123456789abcd' },
  }
  return { store, rest: createRestHandler(store, { plain, ...options }) }
}

/** Sends a request as a client of `http://blog.example` does. */
export const ask = (
  rest: RestHandler,
  method: string,
  url: string,
  body?: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Reply> => send(rest, method, url, body, { host: 'blog.example', ...headers })

/** The ids of a list. */
export async function idsOf(rest: RestHandler, url: string): Promise<readonly unknown[]> {
  const reply = await ask(rest, 'GET', url)
  if (reply.status !== 200) return [reply.status, reply.body.error]
  return reply.body.map(({ id }: { readonly id: unknown }) => id)
}
