import { EntiaError, type EntitySetInfo, type EntitySetLimits, type Session } from '@entia/core'
import { lifetimeOf, plainUuid, refused } from '@entia/core/kit'
import type { SqlRows } from '../connect/port.ts'
import type { SqlTable } from '../schema/sql-model.ts'
import { type Sql, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { BYTES_PER_MEMBER, claimId, insertSet } from './create-set.ts'
import { holdSession, sessionRefused } from './session-pieces.ts'
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

/** The lifetime of a set that is not read. */
const DEFAULT_LIFETIME_SECONDS = 7200
const SET_ID = /^[0-9A-F]{32}$/

export interface CreateSetOptions {
  readonly sorted: boolean
  readonly lifetimeSeconds?: number | undefined
  readonly owner?: Session | null | undefined
  /** To create a set again under its old id. */
  readonly id?: string | undefined
}

/** One page of a set. */
export interface SetPage extends FoundSet {
  /** Record numbers in order; undefined for a member that was removed. */
  readonly records: readonly (number | undefined)[]
}

/**
 * The entity sets of a dataset: `EntitySets` of `@entia/core` in the database. Members are record
 * numbers, which no later entity has. Their order and membership do not change.
 *
 * Reads that filter, order or combine members put the pieces of `set-pieces.ts` into their own
 * statement.
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
    const { sorted, id: given } = options
    const lifetimeSeconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
    const owner = options.owner == null ? null : this.#sessions.idOf(options.owner)
    const id = given === undefined ? plainUuid(this.#port.ids.uuid()) : givenId(given)
    const set = { id, dataClass, records, sorted, lifetimeSeconds, owner }
    const insertion = statementOf(insertSet(this.#port, this.#limits, set))
    if (given === undefined) this.#check(await this.#port.pool.query(insertion), owner)
    else
      await this.#port.pool.connect(async (connection) => {
        const isOpen = owner === null ? sql`SELECT 1` : holdSession(this.#port, owner)
        const claim = [sql`BEGIN`, isOpen, ...claimId(this.#port, set)].map(statementOf)
        const [, held, claimed] = await connection.send(claim)
        if (held!.count === 0) throw sessionRefused('one that has ended')
        if (claimed!.count === 0)
          throw refused('The id', 'one that is free', 'that of a set of another session')
        const [made] = await connection.send([insertion])
        this.#check(made!, owner)
        await connection.send([statementOf(sql`COMMIT`)])
      })
    return id
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
    const seconds = lifetimeOf(lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
    const found = findSets(this.#port, [id], this.#callerOf(session))
    await this.#run(sql`UPDATE ${tables.set} SET lifetime = ${seconds}::double precision,
      expires = ${time()} + ${seconds}::double precision * 1000, used = DEFAULT
      WHERE id IN (SELECT f.id FROM (${found}) f)`)
  }

  /** The members at a place, of the table of the set's dataclass. Renews the set. One statement. */
  async page(
    table: SqlTable,
    id: string,
    window: Window,
    session: Session | null = null,
  ): Promise<SetPage | undefined> {
    const caller = this.#callerOf(session)
    const found = await this.#run(sql`WITH renewed AS (${renewSets(this.#port, [id], caller)}),
      found AS (${findSets(this.#port, [id], caller)})
      SELECT f.*, p.n, p.rec FROM found f LEFT JOIN LATERAL (
        SELECT m.n, t._rec AS rec FROM (${membersOf(this.#port, id, window)}) m
        LEFT JOIN ${table.name} t ON t._rec = m.rec WHERE f.class = ${table.model.name}
      ) p ON true ORDER BY p.n`)
    const set = foundSets(found).get(storedId(id))
    if (set === undefined) return undefined
    const placed = found.rows.filter((row) => row[5] !== null)
    return { ...set, records: placed.map((row) => (row[6] as number | null) ?? undefined) }
  }

  /** Whether two queries of members share an entity that exists. */
  async intersects(table: SqlTable, first: Members, second: Members): Promise<boolean> {
    const { rows } = await this.#run(sql`SELECT EXISTS (SELECT FROM (${first}) a
      JOIN ${table.name} t ON t._rec = a.rec JOIN (${second}) b ON b.rec = a.rec)`)
    return rows[0]![0] as boolean
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
    if (isMade) return
    throw new EntiaError('budgetExceeded', {
      what: 'bytes of an entity set',
      limit: this.#limits.maxBytes,
      option: 'entitySets.maxBytes',
    })
  }

  #callerOf(session: Session | null): string | null {
    return session === null ? null : this.#sessions.idOf(session)
  }

  #run(piece: Sql): Promise<SqlRows> {
    return this.#port.pool.query(statementOf(piece))
  }
}

function givenId(given: string): string {
  const id = String(given).toUpperCase()
  if (SET_ID.test(id)) return id
  throw refused('The id', '32 hexadecimal digits', `"${id.slice(0, 40)}"`)
}
