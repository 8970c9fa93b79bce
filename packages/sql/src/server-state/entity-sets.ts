import type { EntitySetInfo, EntitySetLimits, Session } from '@entia/core'
import {
  BYTES_PER_MEMBER,
  plainUuid,
  sessionRefused,
  setIdOf,
  setIdTaken,
  setLifetimeOf,
  setTooLarge,
} from '@entia/core/internal'
import type { SqlRows, Statement } from '../connect/port.ts'
import { beginSnapshot } from '../schema/entia-tables.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, BEGIN_MOMENT, COMMIT } from '../sql-builder/transaction.ts'
import { claimId, insertSet } from './create-set.ts'
import { holdSession } from './session-pieces.ts'
import type { SqlSessions } from './sessions.ts'
import {
  type FoundSet,
  findSets,
  foundSets,
  isAlive,
  type Members,
  membersOf,
  renewSets,
  storedId,
  type Window,
} from './set-pieces.ts'
import type { StatePort } from './state-port.ts'

/** Of no statement. */
const noRows: SqlRows = { rows: [], count: 0 }

export interface CreateSetOptions {
  readonly sorted: boolean
  readonly lifetimeSeconds?: number | undefined
  readonly owner?: Session | null | undefined
  /** The row filter of the caller, by which every member was visible: see `FoundSet.rule`. */
  readonly rule?: string | null
  /** To create a set again under its old id. */
  readonly id?: string | undefined
}

/**
 * The entity sets of a dataset: `EntitySets` of `@entia/core` for all processes that serve it.
 * Members are record numbers, which no later entity has. Their order and membership do not change.
 */
export class SqlEntitySets {
  readonly #port: StatePort
  readonly #sessions: SqlSessions
  readonly #limits: Required<EntitySetLimits>

  constructor(port: StatePort, sessions: SqlSessions, limits: Required<EntitySetLimits>) {
    this.#port = port
    this.#sessions = sessions
    this.#limits = limits
  }

  /**
   * Stores the record numbers that a query finds, in its order, and returns the id of the set. The
   * numbers do not leave the database. One round trip, or three for a given id. Throws
   * `budgetExceeded`, and `argumentInvalid` for an owner that has ended or an id that belongs to
   * another session.
   */
  async create(dataClass: string, records: Sql, options: CreateSetOptions): Promise<string> {
    return (await this.createWith(dataClass, records, options, null)).id
  }

  /**
   * As `create`, with the answer to a statement that reads the same moment; no rows for null.
   * Rejects with a `DatabaseError` of the kind `conflict` if another request changed what both
   * write.
   */
  async createWith(
    dataClass: string,
    records: Sql,
    options: CreateSetOptions,
    reading: Statement | null,
  ): Promise<{ readonly id: string; readonly read: SqlRows }> {
    const { sorted, rule = null, id: given } = options
    const lifetimeSeconds = setLifetimeOf(options.lifetimeSeconds)
    const owner = options.owner == null ? null : this.#sessions.idOf(options.owner)
    const id = given === undefined ? plainUuid(this.#port.ids.uuid()) : setIdOf(given)
    const set = { id, dataClass, records, sorted, lifetimeSeconds, owner, rule }
    const insertion = statementOf(insertSet(this.#port, this.#limits, set))
    if (given === undefined && reading === null) {
      this.#check(await this.#port.pool.query(insertion), owner)
      return { id, read: noRows }
    }
    return this.#port.pool.connect(async (connection) => {
      const begin = async (statements: readonly Statement[]): Promise<readonly SqlRows[]> =>
        reading === null
          ? (await connection.send([BEGIN, ...statements])).slice(1)
          : beginSnapshot(connection, this.#port.tables.schema, statements, BEGIN_MOMENT)
      const inserting = reading === null ? [insertion] : [insertion, reading]
      if (given === undefined) {
        const [made, read] = await begin([...inserting, COMMIT])
        this.#check(made!, owner)
        return { id, read: read! }
      }
      const isOpen = owner === null ? sql`SELECT 1` : holdSession(this.#port, owner)
      const claim = [isOpen, ...claimId(this.#port, set)].map(statementOf)
      const [held, claimed] = await begin(claim)
      if (held!.count === 0) throw sessionRefused('one that has ended')
      if (claimed!.count === 0) throw setIdTaken()
      const [made, read] = await connection.send(inserting)
      this.#check(made!, owner)
      await connection.send([COMMIT])
      return { id, read: read ?? noRows }
    })
  }

  /** A set that the session finds, renewed unless it is of another dataclass than `dataClass`. */
  async get(
    id: string,
    session: Session | null = null,
    dataClass: string | null = null,
  ): Promise<FoundSet | undefined> {
    const caller = this.#callerOf(session)
    const renewed = renewSets(this.#port, [id], caller, dataClass)
    const rows = await this.#run(sql`WITH renewed AS (${renewed})
      ${findSets(this.#port, [id], caller)}`)
    return foundSets(rows).get(storedId(id))
  }

  /** As `get`, without renewing. */
  async peek(id: string, session: Session | null = null): Promise<FoundSet | undefined> {
    const rows = await this.#run(findSets(this.#port, [id], this.#callerOf(session)))
    return foundSets(rows).get(storedId(id))
  }

  /** Changes the lifetime of a set that the session finds, and renews it. */
  async setLifetime(id: string, lifetimeSeconds: number, session: Session | null): Promise<void> {
    const { tables, time } = this.#port
    const seconds = setLifetimeOf(lifetimeSeconds)
    const found = findSets(this.#port, [id], this.#callerOf(session))
    await this.#run(sql`UPDATE ${tables.set} SET lifetime = ${seconds}::double precision,
      expires = ${time()} + ${seconds}::double precision * 1000, used = DEFAULT
      WHERE id IN (SELECT f.id FROM (${found}) f)`)
  }

  /** The members of a set that was found, as a query: all of them, or those of a window. */
  members(set: FoundSet, window?: Window): Members {
    return membersOf(this.#port, set, window)
  }

  /** True if the set existed. */
  async release(id: string, session: Session | null = null): Promise<boolean> {
    return (await this.releaseAll([id], session)) > 0
  }

  /** Releases the sets that the session finds. Returns how many. */
  async releaseAll(ids: readonly string[], session: Session | null = null): Promise<number> {
    const caller = this.#callerOf(session)
    const { count } = await this.#run(sql`DELETE FROM ${this.#port.tables.set}
      WHERE id IN (SELECT f.id FROM (${findSets(this.#port, ids, caller)}) f)`)
    return count
  }

  /** The sets of all owners, the least recently used first. Cost: O(sets). */
  async list(): Promise<readonly EntitySetInfo[]> {
    const { rows } = await this.#run(sql`SELECT e.id, e.class, e.size, e.sorted, e.owner,
        e.expires, e.lifetime
      FROM ${this.#port.tables.set} e WHERE ${isAlive(this.#port)} ORDER BY e.used`)
    return rows.map(([id, dataClass, size, sorted, owner, ends, lifetime]) => {
      const expires = Math.round(ends as number)
      return Object.freeze({
        id: id as string,
        dataClass: dataClass as string,
        size: size as number,
        sorted: sorted as boolean,
        refreshed: expires - Math.round((lifetime as number) * 1000),
        expires,
        owner: owner as string | null,
      })
    })
  }

  /** Sets, and the bytes that count for them. Cost: O(sets). */
  async size(): Promise<{ readonly count: number; readonly bytes: number }> {
    const { rows } = await this.#run(sql`SELECT count(*),
        coalesce(sum(e.size), 0)::double precision
      FROM ${this.#port.tables.set} e WHERE ${isAlive(this.#port)}`)
    const [count, members] = rows[0] as [number, number]
    return { count, bytes: members * BYTES_PER_MEMBER }
  }

  #check({ rows }: SqlRows, owner: string | null): void {
    const [, isMade, isOpen] = rows[0] as [number, boolean, boolean]
    if (owner !== null && !isOpen) throw sessionRefused('one that has ended')
    if (!isMade) throw setTooLarge(this.#limits.maxBytes)
  }

  #callerOf(session: Session | null): string | null {
    return session === null ? null : this.#sessions.idOf(session)
  }

  #run(piece: Sql): Promise<SqlRows> {
    return this.#port.pool.query(statementOf(piece))
  }
}
