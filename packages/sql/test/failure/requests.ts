import { GIF_PIXEL } from '../../../testing/src/conformance/fixtures/images.ts'
import { type Asked, type Reply, USER, type World } from './world.ts'

/** The data that a request needs, created before it. */
export interface Facts {
  readonly cookie?: string | null
  /** Ids of entity sets or uploads. */
  readonly ids?: readonly string[]
  /** Keys of the items, in order. */
  readonly keys: readonly number[]
}

/** One kind of request. Items are written as their mark's end and size, such as `a:5`. */
export interface RequestKind {
  readonly name: string
  /** The items that are there before. */
  readonly before?: readonly string[]
  /** The items after success; those before unless given. After a failure there are those before. */
  readonly after?: readonly string[]
  /** Creates the data that the request needs. */
  facts?(safe: World, mark: string): Promise<Omit<Facts, 'keys'>>
  asked(mark: string, facts: Facts): Asked
  /** True if the reply is compared with that of a process without broken connections. */
  readonly isRead?: boolean
  /** Checks the state after a success; returns what is wrong. */
  check?(safe: World, reply: Reply, facts: Facts, mark: string): Promise<string | null>
}

const filter = (mark: string): string => `$filter="mark=${mark}@"&$orderby=mark`
const loggedIn = async (safe: World): Promise<string | null> =>
  (await safe.ask({ method: 'POST', path: '$directory/login', body: USER })).cookie
const setOf = async (safe: World, mark: string): Promise<string> => {
  const { body } = await safe.ask({ path: `Item?${filter(mark)}&$method=entityset` })
  return String(body.__ENTITYSET).split('/').at(-1)!
}
const locked = async (safe: World, cookie: string | null, key: number): Promise<boolean> => {
  const { body } = await safe.ask({ path: `Item(${key})?$lock=true`, cookie })
  return body?.result === true
}
const userOf = async (safe: World, cookie: string | null): Promise<unknown> =>
  (await safe.ask({ path: '$directory/currentUser', cookie })).body?.result ?? null

/** Three items, which most requests begin with. */
const THREE = ['a:1', 'b:2', 'c:3']

export const KINDS: readonly RequestKind[] = [
  {
    name: 'entity',
    before: THREE,
    isRead: true,
    asked: (_, { keys }) => ({ path: `Item(${keys[0]})?$expand=box` }),
  },
  {
    name: 'page',
    before: THREE,
    isRead: true,
    asked: (mark) => ({ path: `Item?${filter(mark)}&$top=2&$expand=box&$queryplan=true` }),
  },
  {
    name: 'page with an entity set',
    before: THREE,
    asked: (mark) => ({ path: `Item?${filter(mark)}&$method=entityset` }),
    async check(safe, { body }) {
      const path = String(body.__ENTITYSET).replace('/rest/', '')
      const found = await safe.ask({ path })
      return found.body?.__COUNT === 3 ? null : `the set has ${JSON.stringify(found.body)}`
    },
  },
  {
    name: 'page of an entity set',
    before: THREE,
    isRead: true,
    facts: async (safe, mark) => ({ ids: [await setOf(safe, mark)] }),
    asked: (_, { ids }) => ({ path: `Item/$entityset/${ids![0]}?$orderby=size%20desc` }),
  },
  {
    name: 'set algebra',
    before: THREE,
    isRead: true,
    facts: async (safe, mark) => ({
      ids: [await setOf(safe, mark), await setOf(safe, `${mark}a`)],
    }),
    asked: (_, { ids }) => ({
      path: `Item/$entityset/${ids![0]}?$logicOperator=EXCEPT&$otherCollection=${ids![1]}`,
    }),
  },
  {
    name: 'compute',
    before: THREE,
    isRead: true,
    asked: (mark) => ({ path: `Item/size?$filter="mark=${mark}@"&$compute=$all` }),
  },
  {
    name: 'distinct',
    before: THREE,
    isRead: true,
    asked: (mark) => ({ path: `Item/size?$filter="mark=${mark}@"&$distinct=true` }),
  },
  {
    name: 'group',
    before: THREE,
    isRead: true,
    asked: (mark) => ({
      path: `Item?$filter="mark=${mark}@"&$groupby=size&$aggregates=count&$orderby=size`,
    }),
  },
  {
    name: 'insert',
    after: ['a:7'],
    asked: (mark) => ({ method: 'POST', path: 'Item', body: { mark: `${mark}a`, size: 7 } }),
  },
  {
    name: 'update',
    before: THREE,
    after: ['a:9', 'b:2', 'c:3'],
    asked: (_, { keys }) => ({
      method: 'POST',
      path: 'Item',
      body: { __KEY: String(keys[0]), __STAMP: 1, size: 9 },
    }),
  },
  {
    name: 'delete',
    before: THREE,
    after: ['b:2', 'c:3'],
    asked: (_, { keys }) => ({ method: 'DELETE', path: `Item(${keys[0]})` }),
  },
  {
    name: 'delete by filter',
    before: THREE,
    after: [],
    asked: (mark) => ({ method: 'DELETE', path: `Item?$filter="mark=${mark}@"` }),
  },
  {
    name: 'atomic batch',
    before: THREE,
    after: ['a:8', 'b:2', 'c:3', 'd:4'],
    asked: (mark, { keys }) => ({
      method: 'POST',
      path: 'Item?$method=update&$atomic=true',
      body: [
        { mark: `${mark}d`, size: 4 },
        { __KEY: String(keys[0]), __STAMP: 1, size: 8 },
      ],
    }),
  },
  {
    name: 'batch',
    before: THREE,
    after: ['a:8', 'b:2', 'c:3', 'd:4'],
    asked: (mark, { keys }) => ({
      method: 'POST',
      path: 'Item?$method=update',
      body: [
        { mark: `${mark}d`, size: 4 },
        { __KEY: String(keys[0]), __STAMP: 1, size: 8 },
      ],
    }),
  },
  {
    name: 'function',
    after: ['a:1000', 'b:1000'],
    asked: (mark) => ({ method: 'POST', path: '$catalog/put', body: [mark] }),
  },
  {
    name: 'image',
    before: THREE,
    asked: (_, { keys }) => ({
      method: 'POST',
      path: `Item(${keys[0]})/photo?$rawPict=true`,
      body: GIF_PIXEL,
    }),
    async check(safe, _, { keys }) {
      const { body } = await safe.ask({ path: `Item(${keys[0]})` })
      return body.photo === null ? 'no image is stored' : null
    },
  },
  {
    name: 'upload',
    asked: () => ({ method: 'POST', path: '$upload?$rawPict=true', body: GIF_PIXEL }),
    async check(safe, reply) {
      const body = { photo: { ID: reply.body.ID } }
      const { status } = await safe.ask({ method: 'POST', path: 'Item', body })
      return status === 200 ? null : `the upload is not there: ${status}`
    },
  },
  {
    name: 'write of an upload',
    after: ['a:3'],
    async facts(safe) {
      const path = '$upload?$rawPict=true'
      const { body } = await safe.ask({ method: 'POST', path, body: GIF_PIXEL })
      return { ids: [body.ID] }
    },
    asked: (mark, { ids }) => ({
      method: 'POST',
      path: 'Item',
      body: { mark: `${mark}a`, size: 3, photo: { ID: ids![0] } },
    }),
  },
  {
    name: 'lock',
    before: ['a:1'],
    facts: async (safe) => ({ cookie: await loggedIn(safe) }),
    asked: (_, { keys, cookie = null }) => ({ path: `Item(${keys[0]})?$lock=true`, cookie }),
    async check(safe, reply, { keys, cookie = null }) {
      if (reply.body?.result !== true) return `the answer is ${JSON.stringify(reply.body)}`
      if (await locked(safe, null, keys[0]!)) return 'another session gets the lock'
      return (await locked(safe, cookie, keys[0]!)) ? null : 'its own session has no lock'
    },
  },
  {
    name: 'unlock',
    before: ['a:1'],
    async facts(safe, mark) {
      const cookie = await loggedIn(safe)
      const { body } = await safe.ask({ path: `Item?${filter(mark)}` })
      await safe.ask({ path: `Item(${body.__ENTITIES[0].ID})?$lock=true`, cookie })
      return { cookie }
    },
    asked: (_, { keys, cookie = null }) => ({ path: `Item(${keys[0]})?$lock=false`, cookie }),
    async check(safe, _, { keys }) {
      return (await locked(safe, null, keys[0]!)) ? null : 'the lock is still held'
    },
  },
  {
    name: 'write of a locked entity',
    before: ['a:1'],
    after: ['a:2'],
    async facts(safe, mark) {
      const cookie = await loggedIn(safe)
      const { body } = await safe.ask({ path: `Item?${filter(mark)}` })
      await safe.ask({ path: `Item(${body.__ENTITIES[0].ID})?$lock=true`, cookie })
      return { cookie }
    },
    asked: (_, { keys, cookie = null }) => ({
      method: 'POST',
      path: 'Item',
      body: { __KEY: String(keys[0]), size: 2 },
      cookie,
    }),
  },
  {
    name: 'login',
    asked: () => ({ method: 'POST', path: '$directory/login', body: USER }),
    async check(safe, reply) {
      return (await userOf(safe, reply.cookie)) === null ? 'the user is not logged in' : null
    },
  },
  {
    name: 'logout',
    facts: async (safe) => ({ cookie: await loggedIn(safe) }),
    asked: (_, { cookie = null }) => ({ method: 'POST', path: '$directory/logout', cookie }),
    async check(safe, _, { cookie = null }) {
      return (await userOf(safe, cookie)) === null ? null : 'the user is still logged in'
    },
  },
  {
    name: 'live query',
    before: THREE,
    asked: (mark) => ({ path: `Item?${filter(mark)}&$live=true` }),
    async check(_, { event }) {
      return event?.includes('"__COUNT":3') === true ? null : `the first event is ${event}`
    },
  },
  {
    name: 'readiness',
    asked: () => ({ path: '$health/ready' }),
  },
]
