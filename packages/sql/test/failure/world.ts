import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import pg from 'pg'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlStoreOptions } from '../../src/store/sql-options.ts'
import { isPooled, POOLING } from '../tested.ts'

/** Where the data are. */
export interface Place {
  readonly connectionString: string
  readonly schema: string
}

export interface Asked {
  readonly method?: string
  /** The part of the address after `/rest/`. */
  readonly path: string
  /** JSON, or bytes. */
  readonly body?: unknown
  readonly cookie?: string | null
}
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
  readonly body: any
  readonly cookie: string | null
  readonly retryAfter: string | null
  /** The first event of a stream. */
  readonly event: string | null
  readonly milliseconds: number
}

export const USER = ['ada', 'byron'] as const
/** Connections of a process. */
export const MAX_CONNECTIONS = 4

/** A member of a transaction, as functions use it. */
interface Tx {
  Item: { insert(values: object): void }
}

/** The model: items with everything that requests differ in. */
function modelOf() {
  const Box = defineDataClass('Box', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ indexed: true }),
    items: attribute.relatedEntities('Item', 'box'),
  })
  const Item = defineDataClass('Item', {
    ID: attribute.long({ key: true, autoSequence: true }),
    mark: attribute.string({ indexed: true, unique: true }),
    size: attribute.long({ notNull: true, default: 0 }),
    photo: attribute.image(),
    box: attribute.relatedEntity('Box', { onDelete: 'cascade' }),
  })
  const functions = {
    put: {
      exposed: true,
      run: ({ store }: { store: object }, mark: string) =>
        (store as { transact(body: (tx: Tx) => void): void }).transact((tx) => {
          tx.Item.insert({ mark: `${mark}a`, size: 1000 })
          tx.Item.insert({ mark: `${mark}b`, size: 1000 })
        }),
    },
  }
  return { name: 'world', dataClasses: [Box, Item], functions }
}

/** Creates the tables. */
export async function migrateWorld({ connectionString, schema }: Place): Promise<void> {
  const database = pgPool({ connectionString, max: 1, ...POOLING })
  try {
    await migrateDatabase({ ...modelOf(), database, schema } as never)
  } finally {
    await database.close()
  }
}

/** A process that serves the items. `onError` of its handler is not an error of a test. */
export async function openWorld(
  { connectionString, schema }: Place,
  options: Partial<SqlStoreOptions> = {},
  pool: pg.PoolConfig = {},
) {
  const connections = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    application_name: schema,
    pipeline: true,
    connectionTimeoutMillis: 5000,
    ...(isPooled ? {} : { statement_timeout: 30_000 }),
    query_timeout: 35_000,
    ...pool,
  } as pg.PoolConfig)
  const database = pgPool(connections, POOLING)
  const store = await openSqlStore({
    ...modelOf(),
    database,
    schema,
    // Each request reads its session.
    sharing: { cacheMilliseconds: 0 },
    onError: () => {},
    ...options,
  } as never)
  /** Errors that became internal errors. */
  const failures: unknown[] = []
  const [name, password] = USER
  const rest = createRestHandler(store, {
    live: true,
    health: true,
    users: [{ name, password }],
    onError: (error) => failures.push(error),
  })
  return {
    store,
    rest,
    failures,
    /** Connections that are in use or wait for one. */
    get busy(): number {
      return connections.totalCount - connections.idleCount + connections.waitingCount
    },
    async ask({ method = 'GET', path, body, cookie }: Asked): Promise<Reply> {
      const started = performance.now()
      const isBytes = body instanceof Uint8Array
      const answer = await rest.handle({
        method,
        url: `/rest/${path}`,
        headers: {
          host: 'localhost',
          ...(isBytes ? { 'content-type': 'image/gif' } : {}),
          ...(cookie == null ? {} : { cookie }),
        },
        remoteAddress: '127.0.0.1',
        ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
      })
      let event: string | null = null
      if ('stream' in answer && answer.stream !== undefined) {
        const events = answer.stream[Symbol.asyncIterator]()
        event = (await events.next()).value ?? null
        await events.return?.()
      }
      const text = answer.body.toString()
      const set = answer.headers['set-cookie']
      return {
        status: answer.status,
        body: text === '' ? null : JSON.parse(text),
        cookie: set === undefined ? null : set.split(';', 1)[0]!,
        retryAfter: answer.headers['retry-after'] ?? null,
        event,
        milliseconds: performance.now() - started,
      }
    },
    async close(): Promise<void> {
      await store.close()
      await connections.end()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>
