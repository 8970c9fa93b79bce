import type { Writable } from 'node:stream'
import { checkObject, refused } from '@entia/core/internal'
import pg from 'pg'
import { cancelStatement } from './cancel-statement.ts'
import {
  connectError,
  DatabaseError,
  databaseError,
  hasNoConnection,
  isLostConnection,
  preparedConflict,
  preparedProblem,
} from './database-error.ts'
import { Hosts, hostsOf } from './hosts.ts'
import { sendWithOneSync } from './one-sync.ts'
import {
  type PoolState,
  ROLLBACK,
  type SendListener,
  type SqlConnection,
  type SqlPool,
  type SqlRows,
  type Statement,
} from './port.ts'
import { PreparedNames } from './prepared-names.ts'
import { checkOneTransaction } from './transaction-state.ts'
import { decoderOf } from './wire-values.ts'

export interface PgPoolOptions {
  /**
   * `postgres://user:password@host:port/database`. Several hosts as libpq takes them:
   * `postgres://user@a:5432,b:5432/database?target_session_attrs=read-write`.
   */
  readonly connectionString: string
  /** Connections at the same time: 10 unless given. */
  readonly max?: number
  /**
   * Whether statements are prepared: true unless given. The pool stops by itself if a pooler loses
   * them; `false` saves the attempt.
   */
  readonly prepare?: boolean
  /** Time to wait for a connection: 5000 unless given. */
  readonly connectMilliseconds?: number
  /** Time that one statement may take: 30 000 unless given. The database cancels a longer one. */
  readonly statementMilliseconds?: number
  /** Time that an idle connection is kept: 10 000 unless given. */
  readonly idleMilliseconds?: number
  readonly ssl?: pg.PoolConfig['ssl']
  /** As the database lists connections. */
  readonly applicationName?: string
  /** Told of every round trip. */
  readonly onSend?: SendListener
}

/** Options beside a pool that the application made: see `PgPoolOptions`. */
export type ExistingPoolOptions = Pick<PgPoolOptions, 'prepare' | 'onSend'>

/** Added to the database's limit: it should be the one that answers. */
const GRACE_MILLISECONDS = 5000
/** The longest time of a timer: `pg` takes 0 for its own limit. */
const NO_LIMIT_MILLISECONDS = 2 ** 31 - 1
/** How long the pool opens no more connections once the server has refused one. */
const FULL_MILLISECONDS = 10_000
const MAX_CONNECT_ATTEMPTS = 5

/** This pool's types; those of the application's other pools stay as they are. */
const types: pg.CustomTypesConfig = {
  // Results are texts: no statement asks for binary ones.
  getTypeParser: ((type: number) => decoderOf(type)) as pg.CustomTypesConfig['getTypeParser'],
}

/**
 * A pool over `pg`. Statements of one `send` share a round trip if the connection pipelines: always
 * in a pool made here, and with `pipeline: true` in an existing one. `close` leaves an existing
 * pool open. Throws `argumentInvalid` without an address; the first statement connects.
 *
 * @example
 * ```ts
 * const database = pgPool({ connectionString: 'postgres://localhost/hr', max: 10 })
 * ```
 */
export function pgPool(options: PgPoolOptions): SqlPool
export function pgPool(existing: pg.Pool, options?: ExistingPoolOptions): SqlPool
export function pgPool(given: PgPoolOptions | pg.Pool, beside: ExistingPoolOptions = {}): SqlPool {
  checkObject('The options of pgPool', given)
  // A pool of another copy of `pg` is one too.
  if ('connect' in given) return new PgPool(given, beside, false, null)
  const { connectionString, statementMilliseconds = 30_000 } = given
  if (typeof connectionString !== 'string' || connectionString === '')
    throw refused(
      'The option connectionString',
      'an address such as postgres://user@host/database',
      connectionString === '' ? 'an empty text' : typeof connectionString,
    )
  const list = hostsOf(connectionString)
  const hosts = list && new Hosts(list)
  const config = {
    ...(hosts === null ? { connectionString } : { Client: hosts.Client }),
    max: given.max ?? 10,
    connectionTimeoutMillis: given.connectMilliseconds ?? 5000,
    idleTimeoutMillis: given.idleMilliseconds ?? 10_000,
    statement_timeout: statementMilliseconds,
    query_timeout: statementMilliseconds === 0 ? 0 : statementMilliseconds + GRACE_MILLISECONDS,
    application_name: given.applicationName ?? 'entia',
    keepAlive: true,
    pipeline: true,
    ...(given.ssl === undefined ? {} : { ssl: given.ssl }),
  }
  const pool = new pg.Pool(config)
  if (given.prepare !== false) pool.on('connect', withoutJit)
  return new PgPool(pool, given, true, hosts)
}

/**
 * A page holds the count that is taken only if the known one is stale. For that count's estimated
 * cost PostgreSQL would compile the page each time, which takes a hundred times as long as the
 * page. The setting shares the round trip of the first statement. An engine without it refuses it,
 * which changes nothing.
 */
function withoutJit(client: pg.PoolClient): void {
  client.query('SET jit = off').catch((error: unknown) => {
    if ((error as { severity?: unknown }).severity === 'FATAL') reasons.set(client, error)
  })
}

/** Why connections ended that ended before their first statement was answered. */
const reasons = new WeakMap<object, unknown>()

/**
 * A server that ends a connection at once can say so in the bytes that tell that it is ready. `pg`
 * reads them before the lease has its listener; without one the process would end.
 */
function untilLeased(client: pg.PoolClient): void {
  client.on('error', ignore)
  setImmediate(() => client.off('error', ignore))
}

class PgPool implements SqlPool {
  readonly #pool: pg.Pool
  readonly #hosts: Hosts | null
  readonly #isOurs: boolean
  readonly #names: PreparedNames
  readonly #onSend: SendListener | undefined
  readonly #statementMilliseconds: number | null
  readonly #leases = new Set<Promise<unknown>>()
  /** Connections that are leased. */
  #used = 0
  /** The wanted `max`: that of the pool is lower while the server has no more connections. */
  readonly #max: number
  #closing: Promise<void> | null = null

  /** `isOurs` is false for a pool of the application. */
  constructor(
    pool: pg.Pool,
    { prepare = true, onSend }: ExistingPoolOptions,
    isOurs: boolean,
    hosts: Hosts | null,
  ) {
    this.#pool = pool
    this.#max = pool.options.max
    this.#isOurs = isOurs
    this.#hosts = hosts
    this.#names = new PreparedNames(prepare)
    this.#onSend = onSend
    const limit = Number(pool.options.statement_timeout)
    this.#statementMilliseconds = limit > 0 ? limit : null
    // `pg` drops an idle connection that fails; without a listener the process would end.
    pool.on('error', ignore)
    pool.on('connect', untilLeased)
    pool.on('remove', this.#onRemove)
  }

  get prepares(): boolean {
    return this.#names.prepares
  }

  state(): PoolState {
    const { idleCount } = this.#pool
    return { idle: idleCount, max: this.#max, prepared: this.#names.count }
  }

  readonly #onRemove = (client: pg.PoolClient): void => this.#names.forget(client)

  query(statement: Statement): Promise<SqlRows> {
    return this.connect(async ({ send }) => (await send([statement]))[0]!)
  }

  connect<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    if (this.#closing !== null) return Promise.reject(new DatabaseError('unavailable', null))
    const lease = this.#lease(body)
    const settled = lease.then(ignore, ignore)
    this.#leases.add(settled)
    void settled.then(() => this.#leases.delete(settled))
    return lease
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all(this.#leases)
    // Connections of our pool may still fail while they end: it keeps its listeners.
    this.#hosts?.close()
    if (this.#isOurs) return this.#pool.end()
    this.#pool.off('error', ignore)
    this.#pool.off('connect', untilLeased)
    this.#pool.off('remove', this.#onRemove)
  }

  async #lease<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    const hosts = this.#hosts
    const client = await this.#connect()
    this.#used++
    // A connection in use that breaks fails its statements: the event says nothing more.
    client.on('error', ignore)
    let isLost = false
    let limit: number | undefined
    const send = async (statements: readonly Statement[]): Promise<readonly SqlRows[]> => {
      const isOpen = client.getTransactionStatus() !== 'I'
      checkOneTransaction(isOpen, statements)
      this.#onSend?.(statements)
      try {
        const sent = this.#sendPrepared(client, statements, isOpen, limit)
        return await (hosts === null ? sent : hosts.during(sent))
      } catch (error) {
        const translated = databaseError(reasons.get(client) ?? error)
        if (isLostConnection(translated)) isLost = true
        translated.limitMilliseconds = this.#statementMilliseconds
        throw translated
      }
    }
    // A late request would end a statement of the next lease: the connection has none.
    const cancel = (): void => {
      isLost = true
      cancelStatement(client)
    }
    const liftLimit = (): void => {
      limit = NO_LIMIT_MILLISECONDS
    }
    try {
      return await body({ send, cancel, liftLimit })
    } finally {
      if (!isLost && client.getTransactionStatus() !== 'I') {
        this.#onSend?.([ROLLBACK])
        await client.query(ROLLBACK.text).catch(() => {
          isLost = true
        })
      }
      client.off('error', ignore)
      this.#used--
      client.release(isLost || this.#names.isFull(client))
    }
  }

  /**
   * A connection. A server that has no more of them, as while the processes of two deployments run,
   * leaves those that the pool has: it waits for one of them, as if it had reached its `max`.
   */
  async #connect(): Promise<pg.PoolClient> {
    const pool = this.#pool
    const hosts = this.#hosts
    for (let attempt = 1; ; attempt++) {
      try {
        return await (hosts === null ? pool.connect() : hosts.during(hosts.connect(pool)))
      } catch (error) {
        const isOver = !this.#isOurs || pool.totalCount === 0 || attempt === MAX_CONNECT_ATTEMPTS
        if (isOver || !hasNoConnection(error)) throw connectError(error)
        if (pool.options.max === this.#max)
          setTimeout(() => {
            pool.options.max = this.#max
          }, FULL_MILLISECONDS).unref()
        pool.options.max = Math.max(1, this.#used + pool.idleCount)
      }
    }
  }

  /**
   * Sends statements, and sends them again if a prepared one is not as this pool knows it. That
   * statement was not carried out, and so nothing was if the transaction began here. In an earlier
   * one the error is a `conflict`, so that the transaction runs again.
   */
  async #sendPrepared(
    client: pg.PoolClient,
    statements: readonly Statement[],
    isOpen: boolean,
    limit: number | undefined,
  ): Promise<readonly SqlRows[]> {
    for (let attempt = 1; ; attempt++) {
      const { generation, prepares } = this.#names
      try {
        return await this.#send(client, statements, limit)
      } catch (error) {
        const problem = preparedProblem(error)
        if (problem === null || !prepares) throw error
        if (problem === 'lost') this.#names.stop()
        else this.#names.renew(generation)
        if (isOpen || attempt === MAX_PREPARED_ATTEMPTS) throw preparedConflict(error)
        if (client.getTransactionStatus() !== 'I') {
          this.#onSend?.([ROLLBACK])
          await client.query(ROLLBACK.text)
        }
        this.#onSend?.(statements)
      }
    }
  }

  async #send(
    client: pg.PoolClient,
    statements: readonly Statement[],
    limit: number | undefined,
  ): Promise<readonly SqlRows[]> {
    const sent = together(client, () =>
      sendWithOneSync(
        client,
        statements.map((statement) => this.#names.wire(client, statement)),
        limit,
      ),
    )
    if (sent !== null) return sent
    // One after the other: nothing is sent behind a statement that failed.
    const results: SqlRows[] = []
    for (const statement of statements) results.push(await this.#run(client, statement, limit))
    return results
  }

  async #run(
    client: pg.PoolClient,
    statement: Statement,
    limit: number | undefined,
  ): Promise<SqlRows> {
    const { name, text, values } = this.#names.wire(client, statement)
    const { rows, rowCount } = await client.query<unknown[]>({
      text,
      values: [...values],
      rowMode: 'array',
      types,
      // Not a simple query: that could carry several statements.
      queryMode: 'extended',
      query_timeout: limit,
      ...(name === undefined ? {} : { name }),
    } as pg.QueryArrayConfig<unknown[]>)
    return { rows, count: rowCount ?? 0 }
  }
}

/** Stale plans of two migrations and the loss of all names can follow each other. */
const MAX_PREPARED_ATTEMPTS = 4

/**
 * Statements that are sent at once leave in one write: `pg` writes each message by itself, which
 * costs a call of the system and a wake-up of the database for each.
 */
function together<R>(client: pg.PoolClient, send: () => R): R {
  const { connection } = client as { connection?: { readonly stream?: Partial<Writable> } }
  const stream = connection?.stream
  stream?.cork?.()
  try {
    return send()
  } finally {
    stream?.uncork?.()
  }
}

function ignore(): void {}
