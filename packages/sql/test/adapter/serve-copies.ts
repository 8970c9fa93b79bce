// A setup file for the tests of @entia/rest: their handlers serve copies of their stores in a
// database. A store is copied at its first request, and again when its test has changed it. What a
// request commits is copied back, for tests that look into their stores.

import { randomBytes } from 'node:crypto'
import type { AnyDataStore, DataStoreOptions } from '@entia/core'
import { ENGINE, type Engine, type EngineOptions, type Served } from '@entia/engine'
import { afterAll, afterEach, beforeEach, inject, vi } from 'vitest'
import type * as CreateModule from '../../../core/src/store/create-store.ts'
import type * as HandlerModule from '../../../rest/src/transport/handler/rest-handler.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { layoutOf } from '../../src/schema/layout.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import { joined, SqlName, sql } from '../../src/sql-builder/sql.ts'
import { statementOf, statementOfText } from '../../src/sql-builder/statement.ts'
import { copyModel } from '../../src/store/copy-store.ts'
import { readStore } from '../../src/store/read-store.ts'
import { openCopy, openCopyIn } from '../engine/sql-host.ts'
import { reasonToSkip } from './memory-only.ts'

const given = new WeakMap<object, DataStoreOptions>()

/** Schemas of this file, and those of earlier tests that fit a model, by its layout. */
const schemas: string[] = []
const free = new Map<string, string[]>()
/** The schemas that the running test uses; null outside of tests, where they are used on. */
let used: { readonly layout: string; readonly schema: string }[] | null = null

let opened: SqlPool | null = null
const pool = (): SqlPool => {
  const address = inject('databases').find(({ connectionString }) => connectionString !== null)
  if (address === undefined) throw new Error('These tests need a PostgreSQL server.')
  opened ??= pgPool({ connectionString: address.connectionString!, max: 4 })
  return opened
}

beforeEach((context) => {
  const reason = reasonToSkip(context.task.file.name, context.task.name)
  if (reason !== null && !process.env.ENTIA_NOSKIP) context.skip(reason)
  used = []
})

afterEach(() => {
  for (const { layout, schema } of used ?? [])
    free.set(layout, [...(free.get(layout) ?? []), schema])
  used = null
})

afterAll(async () => {
  if (opened === null) return
  for (const schema of schemas)
    await opened.query(statementOfText(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`, []))
  await opened.close()
})

/** A copy of a store, in a schema that is new or as empty as a new one. */
async function openedCopy(
  store: AnyDataStore,
  { limits, sessions, locks, entitySets, uploads }: DataStoreOptions,
  isOfTest: boolean,
): Promise<{ readonly served: Served; readonly model: SqlModel }> {
  const options = { limits, sessions, locks, entitySets, uploads } as object
  const tables = layoutOf(sqlModelOf(store.catalog, { schema: 'any' }))
  const layout = JSON.stringify([store.catalog.name, tables], (name, value) =>
    name === 'of' ? null : value,
  )
  const known = free.get(layout)?.pop()
  const schema = known ?? `rest_${randomBytes(6).toString('hex')}`
  const model = sqlModelOf(store.catalog, { schema })
  if (isOfTest) used?.push({ layout, schema })
  if (known !== undefined) {
    await empty(model, store.id)
    return { served: await openCopyIn(store, pool(), schema, options), model }
  }
  schemas.push(schema)
  return { served: await openCopy(store, pool(), schema, options), model }
}

/** Empties a schema. */
async function empty({ schema, tables }: SqlModel, instance: string): Promise<void> {
  const entia = (name: string) => new SqlName(schema, `entia_${name}`)
  const rest = ['change', 'commit', 'lock', 'set_chunk', 'set', 'upload', 'session'].map(entia)
  const reset = [
    sql`BEGIN`,
    ...[...tables.map(({ name }) => name), ...rest].map((name) => sql`DELETE FROM ${name}`),
    ...tables.map(
      ({ name }) =>
        sql`SELECT setval(pg_get_serial_sequence(${name.quoted}, '_rec'), 0::bigint, false)`,
    ),
    sql`UPDATE ${entia('class')} SET changed = 0, members = 0`,
    sql`UPDATE ${entia('sequence')} SET next = 1`,
    sql`UPDATE ${entia('store')} SET stamp = 0, instance = ${instance}`,
    sql`COMMIT`,
  ]
  await pool().connect(({ send }) => send(reset.map(statementOf)))
}

vi.mock('../../../core/src/store/create-store.ts', async (original) => {
  const module = await original<typeof CreateModule>()
  const createDataStore = (options: DataStoreOptions) => {
    const store = module.createDataStore(options as never)
    given.set(store, options)
    return store
  }
  return { ...module, createDataStore }
})

vi.mock('../../../rest/src/transport/handler/rest-handler.ts', async (original) => {
  const module = await original<typeof HandlerModule>()
  const createRestHandler: typeof module.createRestHandler = (store, options) => {
    const { catalogs } = options ?? {}
    const further =
      typeof catalogs === 'object' && catalogs !== null
        ? Object.entries(catalogs).map(([name, each]) => [name, copied(each)])
        : null
    const all = further === null ? options : { ...options, catalogs: Object.fromEntries(further) }
    return module.createRestHandler(copied(store) as typeof store, all)
  }
  return { ...module, createRestHandler }
})

/** A copy in the database of what `createDataStore` made; anything else as it is. */
function copied(store: unknown): unknown {
  if (typeof store !== 'object' || store === null || !given.has(store)) return store
  return new Copy(store as AnyDataStore, given.get(store)!).served
}

const NAMES = [
  ...['readEntity', 'readSelection', 'compute', 'distinct', 'group', 'write', 'remove', 'call'],
  ...['lock', 'unlock', 'info', 'metrics', 'upload', 'uploaded'],
  ...['releaseEntitySet', 'releaseEntitySets'],
]
const SESSION_NAMES = ['open', 'touch', 'login', 'identified', 'close']

class Copy {
  readonly served: Served
  readonly #store: AnyDataStore
  readonly #given: DataStoreOptions
  /** False for one that the tests of a file share. */
  readonly #isOfTest = used !== null
  #model: SqlModel | null = null
  #ready: Promise<Engine> | null = null
  #copiedStamp = -1
  #back: Promise<void> = Promise.resolve()

  constructor(store: AnyDataStore, options: DataStoreOptions) {
    this.#store = store
    this.#given = options
    this.served = {
      catalog: store.catalog,
      [ENGINE]: (engineOptions) => this.#engine(engineOptions),
      close: () => {},
    }
  }

  #engine(options: EngineOptions): Engine {
    const call =
      (name: string, within: (engine: Engine) => object = (engine) => engine) =>
      async (...values: unknown[]) => {
        const target = within(await this.#current(options))
        const run = Reflect.get(target, name) as (...all: unknown[]) => unknown
        try {
          return await run.apply(target, values)
        } finally {
          await this.#copyBack()
        }
      }
    const members = Object.fromEntries(NAMES.map((name) => [name, call(name)]))
    const sessions = SESSION_NAMES.map((name) => [name, call(name, (engine) => engine.sessions)])
    return {
      catalog: this.#store.catalog,
      instanceId: this.#store.id,
      features: { recordOrder: 'creation', live: 'none', relevance: true },
      lastCommit: null,
      position: null,
      follow: () => {
        throw new Error('no live queries')
      },
      ...members,
      sessions: {
        ...Object.fromEntries(sessions),
        whenEnded: () => ({ check: () => {}, stop: () => {} }),
      },
    } as never
  }

  async #current(options: EngineOptions): Promise<Engine> {
    const before = this.#ready
    this.#ready =
      before === null ? this.#open(options) : before.then((engine) => this.#follow(engine))
    return this.#ready
  }

  async #open(options: EngineOptions): Promise<Engine> {
    this.#copiedStamp = this.#store.globalStamp
    const { served, model } = await openedCopy(this.#store, this.#given, this.#isOfTest)
    this.#model = model
    return served[ENGINE](options)
  }

  /** Copies what the test has changed. */
  async #follow(engine: Engine): Promise<Engine> {
    if (this.#store.globalStamp === this.#copiedStamp) return engine
    this.#copiedStamp = this.#store.globalStamp
    const { tables } = this.#model!
    const deletions = tables.map(({ name }) => sql`DELETE FROM ${name}`)
    await pool().connect(({ send }) =>
      send([sql`BEGIN`, ...deletions, sql`COMMIT`].map(statementOf)),
    )
    await copyModel(this.#store, this.#model!, pool())
    return engine
  }

  /**
   * Copies what requests have committed into the store of the test, one after the other, and how
   * many sessions, locks and entity sets there are.
   */
  #copyBack(): Promise<void> {
    this.#back = this.#back.then(async () => {
      const model = this.#model!
      const { schema } = model
      const sizes = STATE.map(
        ([, table]) => sql`(SELECT count(*) FROM ${new SqlName(schema, table)})`,
      )
      const question = sql`SELECT stamp, ${joined(sizes, sql`, `)} FROM ${new SqlName(schema, 'entia_store')}`
      const [row] = (await pool().query(statementOf(question))).rows
      for (const [at, [name]] of STATE.entries())
        Object.defineProperty(this.#store[name], 'size', {
          value: Number(row![at + 1]),
          configurable: true,
        })
      if (Number(row![0]) === this.#store.globalStamp) return
      await pool().connect((connection) =>
        readStore(this.#store, model, connection, ({ record }) => record),
      )
      this.#copiedStamp = this.#store.globalStamp
    })
    return this.#back
  }
}

/** What a store in memory counts, and the tables that hold it. */
const STATE = [
  ['sessions', 'entia_session'],
  ['locks', 'entia_lock'],
  ['entitySets', 'entia_set'],
] as const
