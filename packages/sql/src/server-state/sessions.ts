import type { Session, SessionInfo, SessionLimits, SessionOptions, SessionUser } from '@entia/core'
import {
  checkCallOptions,
  lifetimeOf,
  OpenSession,
  ORIGIN_OPTIONS,
  plainUuid,
  SESSION_OPTIONS,
  sessionRefused,
} from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import { SessionCache } from './session-cache.ts'
import { sessionColumns, sessionRow } from './session-pieces.ts'
import { boundsOf, hasRoom, makeRoom } from './session-room.ts'
import {
  digestOf,
  identifiedUser,
  type StoredUser,
  storedOrigin,
  storedUser,
} from './session-values.ts'
import { SessionWatches, type Watch } from './session-watches.ts'
import type { StatePort } from './state-port.ts'

type Options = Omit<SessionOptions, 'user'>

/** What a session that may be new is known by: attempts of one call share it. */
interface FreshSession {
  readonly id: string
  readonly token: string
}

/**
 * The sessions of a dataset: `Sessions` of `@entia/core` in the database, for all processes. Each
 * call is one round trip, or none where the process has read the session lately.
 *
 * The database has only the SHA-256 of a token. The session of an identified user has none there:
 * its token is a handle of this process, which no client gets and no other process knows.
 */
export class SqlSessions {
  readonly #port: StatePort
  readonly #limits: Required<SessionLimits>
  readonly #cache: SessionCache
  readonly #watches: SessionWatches
  /** The handles of identified users' sessions, and the ids of the sessions by their handles. */
  readonly #handles = new Map<string, string>()
  readonly #idOfHandle = new Map<string, string>()

  constructor(port: StatePort, limits: Required<SessionLimits>) {
    this.#port = port
    this.#limits = limits
    this.#cache = new SessionCache(port, limits.max)
    this.#watches = new SessionWatches({
      cacheMilliseconds: port.cacheMilliseconds,
      monotonic: () => port.clock.monotonic(),
      open: (ids) => this.openOf(ids),
    })
  }

  /** For calls that may be repeated after a lost answer: no second session is left behind. */
  fresh(): FreshSession {
    const { ids } = this.#port
    return { id: plainUuid(ids.uuid()), token: ids.token() }
  }

  /** Throws `tooManySessions`, `argumentInvalid`. */
  async open(options: SessionOptions = {}, { id, token } = this.fresh()): Promise<Session> {
    checkCallOptions(options, SESSION_OPTIONS)
    const user = options.user == null ? null : storedUser(options.user)
    const rows = await this.#insert(user, options, id, token)
    return this.#seen(rows, token) as Session
  }

  /** The session of a token, renewed. Undefined when there is none or it has ended. */
  async touch(token: string): Promise<Session | undefined> {
    const cached = this.#cache.get(byToken(token))
    if (cached !== undefined) return cached
    const rows = await this.#run(sql`UPDATE ${this.#port.tables.session} s
      SET ${this.#renewal()} WHERE ${this.#isOf(token)} RETURNING ${sessionColumns(this.#port)}`)
    return this.#seen(rows, token)
  }

  /** As `login` of `Sessions`: always a new token. Throws `tooManySessions`, `argumentInvalid`. */
  async login(
    token: string | null,
    user: SessionUser,
    options: Options = {},
    fresh = this.fresh(),
  ): Promise<Session> {
    checkCallOptions(options, ORIGIN_OPTIONS)
    const stored = storedUser(user)
    const seconds = this.#lifetimeOf(options)
    const lifetime =
      options.lifetimeSeconds === undefined ? sql`s.lifetime` : sql`${seconds}::double precision`
    if (token === null || this.#idOfHandle.has(token)) return this.open({ ...options, user }, fresh)
    const { session } = this.#port.tables
    const isOwn = sql`(s.user_key IS NULL OR s.user_key = ${stored.key})`
    // An attempt whose answer got lost may have given the session its new token.
    const isIt = sql`(${this.#isOf(token)} OR ${this.#isOf(fresh.token)})`
    const given = storedOrigin(options)
    const kept = (value: string | undefined, name: string): string | null =>
      value === undefined ? null : name
    const loggedIn = await this.#run(sql`UPDATE ${session} s SET
        token = ${digestOf(fresh.token)}, "user" = ${stored.json}::text::json, user_key = ${stored.key},
        host = coalesce(${kept(options.host, given.host)}, s.host),
        address = coalesce(${kept(options.ipAddress, given.ipAddress)}, s.address),
        agent = coalesce(${kept(options.userAgent, given.userAgent)}, s.agent),
        lifetime = ${lifetime},
        ends = ${this.#lastEnd()}, used = DEFAULT,
        expires = ${this.#port.time()} + least(${lifetime},
          ${this.#limits.maxSeconds}::double precision) * 1000
      WHERE ${isIt} AND ${isOwn} RETURNING ${sessionColumns(this.#port)}`)
    const entered = this.#seen(loggedIn, fresh.token)
    if (entered !== undefined) return entered
    // A user must not inherit the locks and sets of another.
    await this.close(token)
    return this.open({ ...options, user }, fresh)
  }

  /**
   * The one session of a user whom the host identifies. The result has the groups and claims given
   * here. Throws `tooManySessions`, `argumentInvalid`.
   */
  async identified(given: SessionUser, options: Options = {}): Promise<Session> {
    checkCallOptions(options, ORIGIN_OPTIONS)
    const stored = identifiedUser(given)
    const key = `user ${Buffer.from(stored.key).toString('hex')}`
    const cached = this.#cache.get(key)
    if (cached !== undefined) return this.#identifiedAs(cached, stored.user)
    const { session } = this.#port.tables
    const known = await this.#run(sql`UPDATE ${session} s
      SET "user" = ${stored.json}::text::json, ${this.#renewal()}
      WHERE s.identified AND s.user_key = ${stored.key} AND s.expires > ${this.#port.time()}
      RETURNING ${sessionColumns(this.#port)}`)
    const { rows } =
      known.count > 0
        ? known
        : await this.#insert(stored, options, plainUuid(this.#port.ids.uuid()), null)
    const { info, left } = sessionRow(rows[0]!)!
    this.#cache.set(key, new OpenSession(this, info, ''), left)
    return this.#identifiedAs(info, stored.user)
  }

  /** True when there was such a session. Its locks and sets end with it. */
  async close(token: string): Promise<boolean> {
    const { rows } = await this.#run(sql`DELETE FROM ${this.#port.tables.session} s
      WHERE ${this.#isOf(token)} RETURNING s.id`)
    const id = rows[0]?.[0] as string | undefined
    if (id === undefined) return false
    this.#cache.forget(id)
    const handle = this.#handles.get(id)
    if (handle !== undefined) this.#dropHandle(id, handle)
    this.#watches.end(id)
    return true
  }

  /** All sessions, the least recently used first. Cost: O(sessions). */
  async list(): Promise<readonly SessionInfo[]> {
    const { rows } = await this.#run(sql`SELECT ${sessionColumns(this.#port)}
      FROM ${this.#port.tables.session} s WHERE s.expires > ${this.#port.time()} ORDER BY s.used`)
    return rows.map((row) => sessionRow(row)!.info)
  }

  /** Cost: O(sessions). */
  async size(): Promise<number> {
    const { rows } = await this.#run(sql`SELECT count(*) FROM ${this.#port.tables.session}
      WHERE expires > ${this.#port.time()}`)
    return rows[0]![0] as number
  }

  /** Calls back once if the session ends, in this process or another one. */
  whenEnded(session: Session, ended: () => void): Watch {
    return this.#watches.watch(session.id, ended)
  }

  /** Looks which watched sessions have ended, at most once in `cacheMilliseconds`. */
  checkWatched(): void {
    this.#watches.checkAll()
  }

  /** The id of a session that this object returned. Throws `argumentInvalid` for anything else. */
  idOf(session: unknown): string {
    const id = OpenSession.idFor(session, this)
    if (id === null) throw sessionRefused('something else')
    return id
  }

  /** The ids among these of sessions that are open. */
  async openOf(ids: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.#run(sql`SELECT s.id FROM ${this.#port.tables.session} s
      WHERE s.id = ANY(${ids}::text[]) AND s.expires > ${this.#port.time()}`)
    return rows.map(([id]) => id as string)
  }

  /** A new row, or the one of an earlier attempt. `token` is null for an identified user. */
  async #insert(
    stored: StoredUser | null,
    options: Options,
    id: string,
    token: string | null,
  ): Promise<SqlRows> {
    const { tables, time, pool } = this.#port
    const lifetime = this.#lifetimeOf(options)
    const { host, ipAddress, userAgent } = storedOrigin(options)
    const bounds = boundsOf(this.#limits, stored !== null, ipAddress)
    const now = time()
    const row = (condition: Sql): Sql => sql`INSERT INTO ${tables.session} AS s
        (id, token, identified, user_key, "user", lifetime, expires, ends, host, address, agent)
      SELECT ${id}, ${token === null ? null : digestOf(token)}::bytea,
        ${token === null}::boolean, ${stored?.key ?? null}::bytea,
        ${stored?.json ?? null}::text::json, ${lifetime}::double precision,
        ${now} + ${lifetime}::double precision * 1000, ${this.#lastEnd()},
        ${host}, ${ipAddress}, ${userAgent}
      WHERE ${condition}
      ON CONFLICT ${token === null ? sql`(user_key) WHERE identified` : sql`(id)`}
        DO UPDATE SET "user" = excluded."user", ${this.#renewal()}
      RETURNING ${sessionColumns(this.#port)}`
    if (token !== null) {
      const isThere = sql`EXISTS (SELECT FROM ${tables.session} o WHERE o.id = ${id})`
      const rows = await this.#run(row(sql`(${hasRoom(this.#port, bounds)}) OR ${isThere}`))
      if (rows.count > 0) return rows
    }
    return pool.connect(async (connection) => {
      // The row of an identified user's session that expired is still in the index.
      await connection.send([
        BEGIN,
        statementOf(sql`DELETE FROM ${tables.session}
          WHERE identified AND user_key = ${stored?.key ?? null}::bytea AND expires <= ${now}`),
      ])
      await makeRoom(this.#port, connection, bounds)
      const [rows] = await connection.send([statementOf(row(sql`true`)), COMMIT])
      return rows!
    })
  }

  /** The session that a statement found by a token. */
  #seen({ rows }: SqlRows, token: string): Session | undefined {
    const found = sessionRow(rows[0])
    if (found === null) return undefined
    const session = new OpenSession(this, found.info, token)
    this.#cache.forget(session.id)
    this.#cache.set(byToken(token), session, found.left)
    return session
  }

  #identifiedAs(info: SessionInfo, user: SessionUser): Session {
    let handle = this.#handles.get(info.id)
    if (handle === undefined) {
      const [oldest] = this.#handles
      if (this.#handles.size >= this.#limits.max && oldest !== undefined)
        this.#dropHandle(...oldest)
      handle = this.#port.ids.token()
      this.#handles.set(info.id, handle)
      this.#idOfHandle.set(handle, info.id)
    }
    const { id, lifetimeSeconds, expires, host, ipAddress, userAgent } = info
    const facts = { id, user, lifetimeSeconds, expires, host, ipAddress, userAgent }
    return new OpenSession(this, facts, handle)
  }

  #dropHandle(id: string, handle: string): void {
    this.#handles.delete(id)
    this.#idOfHandle.delete(handle)
  }

  /** The condition that finds an open session by its token, or by the handle of this process. */
  #isOf(token: string): Sql {
    const id = this.#idOfHandle.get(token)
    const isIt = id === undefined ? sql`s.token = ${digestOf(String(token))}` : sql`s.id = ${id}`
    return sql`${isIt} AND s.expires > ${this.#port.time()}`
  }

  /** A use of the session: a new lifetime, but not beyond its last end. */
  #renewal(): Sql {
    return sql`used = DEFAULT, expires = least(${this.#port.time()} + s.lifetime * 1000, s.ends)`
  }
  #lastEnd(): Sql {
    return sql`${this.#port.time()} + ${this.#limits.maxSeconds}::double precision * 1000`
  }
  #lifetimeOf({ lifetimeSeconds }: Options): number {
    return lifetimeOf(lifetimeSeconds, this.#limits.idleSeconds, this.#limits.maxSeconds)
  }

  #run(piece: Sql): Promise<SqlRows> {
    return this.#port.pool.query(statementOf(piece))
  }
}

/** A key of the cache that differs from those of identified users. */
const byToken = (token: string): string => `token ${token}`
