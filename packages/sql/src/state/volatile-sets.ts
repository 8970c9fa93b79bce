import type { EntitySetInfo, EntitySetLimits, Session } from '@entia/core'
import { lifetimeOf, plainUuid } from '@entia/core/kit'
import type { SqlConnection, SqlRows, Statement } from '../connect/port.ts'
import { joined, type Sql, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { BEGIN, BEGIN_MOMENT } from '../text/transaction.ts'
import { BYTES_PER_MEMBER } from './create-set.ts'
import {
  type CreateSetOptions,
  type EntitySetState,
  SET_LIFETIME_SECONDS,
} from './entity-set-state.ts'
import { givenId, idTaken, noRows, setTooLarge } from './entity-sets.ts'
import { holdSession, sessionRefused } from './session-pieces.ts'
import type { SqlSessions } from './sessions.ts'
import {
  chunksOf,
  type FoundSet,
  type Members,
  membersIn,
  noMembers,
  storedId,
  type Window,
} from './set-pieces.ts'
import type { StatePort } from './state-port.ts'
import { CHUNK_SIZE } from './tables.ts'
import {
  absentWhenAway,
  type Entry,
  type EntryFacts,
  type EntryLimits,
  type VolatileEntries,
  type WrittenContent,
} from './volatile-state.ts'

/** Chunks that one statement reads, and that one parameter carries: about 512 kB. */
const CHUNKS_AT_ONCE = 64

const NEXT_CHUNKS = statementOf(sql`FETCH 64 FROM entia_members`)

/**
 * Entity sets outside of the database. Statements that read them get their members as parameters. A
 * set that cannot be reached counts as expired; one that cannot be stored expires at once.
 *
 * The session of a call must be open: only its id is compared with the owner.
 */
export class VolatileSets implements EntitySetState {
  readonly #port: StatePort
  readonly #sessions: SqlSessions
  readonly #limits: Required<EntitySetLimits>
  readonly #entries: VolatileEntries
  /** The entries of the sets that this object found. */
  readonly #found = new WeakMap<FoundSet, Entry>()

  constructor(
    port: StatePort,
    sessions: SqlSessions,
    limits: Required<EntitySetLimits>,
    entries: VolatileEntries,
  ) {
    this.#port = port
    this.#sessions = sessions
    this.#limits = limits
    this.#entries = entries
  }

  /** Two round trips to the database for up to 65,536 members, and one for as many again. */
  async create(dataClass: string, records: Sql, options: CreateSetOptions): Promise<string> {
    return (await this.createWith(dataClass, records, options, null)).id
  }
  async createWith(
    dataClass: string,
    records: Sql,
    options: CreateSetOptions,
    reading: Statement | null,
  ): Promise<{ readonly id: string; readonly read: SqlRows }> {
    const { sorted, rule = null, id: given } = options
    const lifetimeSeconds = lifetimeOf(options.lifetimeSeconds, SET_LIFETIME_SECONDS)
    const owner = options.owner == null ? null : this.#sessions.idOf(options.owner)
    const id = given === undefined ? plainUuid(this.#port.ids.uuid()) : givenId(given)
    const count = { members: 0 }
    let read = noRows
    const written = await this.#port.pool.connect(async (connection) => {
      const first = await this.#firstChunks(connection, records, owner, reading !== null)
      if (reading !== null) read = (await connection.send([reading]))[0]!
      return absentWhenAway(null, () => this.#entries.write(this.#chunks(connection, first, count)))
    })
    if (written === null) return { id, read }
    const note = JSON.stringify({ size: count.members, sorted, rule })
    const bytes = Math.max(1, count.members * BYTES_PER_MEMBER)
    const facts = { id, kind: dataClass, owner, note, bytes, lifetimeSeconds }
    await this.#enter({ ...facts, pieces: written.pieces }, written)
    return { id, read }
  }

  /** Begins to read the members, in a transaction that writes nothing. */
  async #firstChunks(
    connection: SqlConnection,
    records: Sql,
    owner: string | null,
    isMoment: boolean,
  ): Promise<SqlRows> {
    const isOpen = owner === null ? sql`SELECT 1` : holdSession(this.#port, owner)
    const numbered = sql`SELECT q.rec, row_number() OVER () - 1 AS n FROM (${records}) AS q(rec)`
    const chunks = sql`SELECT array_agg(m.rec ORDER BY m.n)::text, count(*)
      FROM (SELECT x.rec, x.n, x.n / ${CHUNK_SIZE}::bigint AS chunk FROM (${numbered}) x) m
      GROUP BY m.chunk ORDER BY m.chunk`
    const declared = statementOf(sql`DECLARE entia_members NO SCROLL CURSOR FOR ${chunks}`)
    const sent = [isMoment ? BEGIN_MOMENT : BEGIN, statementOf(isOpen), declared, NEXT_CHUNKS]
    const [, held, , first] = await connection.send(sent)
    if (held!.count === 0) throw sessionRefused('one that has ended')
    return first!
  }

  /** The members as texts of `bigint[]`. Throws `budgetExceeded`. */
  async *#chunks(
    connection: SqlConnection,
    first: SqlRows,
    count: { members: number },
  ): AsyncGenerator<readonly Uint8Array[]> {
    for (let rows: SqlRows = first; ; rows = (await connection.send([NEXT_CHUNKS]))[0]!) {
      for (const [, members] of rows.rows) count.members += members as number
      if (count.members * BYTES_PER_MEMBER > this.#limits.maxBytes) throw setTooLarge(this.#limits)
      if (rows.count > 0) yield rows.rows.map(([members]) => Buffer.from(members as string))
      if (rows.count < CHUNKS_AT_ONCE) return
    }
  }

  /** Makes the set known. Throws `argumentInvalid` for an id that another session has. */
  async #enter(facts: EntryFacts, written: WrittenContent): Promise<void> {
    const { max, maxBytes, maxPerSession } = this.#limits
    const limits: EntryLimits = { max, maxBytes, maxPerOwner: maxPerSession }
    const entered = (mayDrop: boolean) =>
      absentWhenAway(null, () => this.#entries.create(facts, written, limits, mayDrop))
    let creation = await entered(false)
    if (creation?.result === 'taken') {
      if ((await this.#sessions.openOf([creation.owner])).length > 0) throw idTaken()
      await this.#releaseNow([facts.id])
      creation = await entered(false)
    }
    if (creation?.result !== 'full') return
    // Sets of sessions that have ended make room first.
    await this.sweep()
    await entered(true)
  }

  async get(
    id: string,
    session: Session | null = null,
    dataClass: string | null = null,
  ): Promise<FoundSet | undefined> {
    return (await this.#find([id], session, dataClass ?? '')).get(storedId(id))
  }

  async peek(id: string, session: Session | null = null): Promise<FoundSet | undefined> {
    return (await this.#find([id], session, null)).get(storedId(id))
  }

  async #find(
    ids: readonly string[],
    session: Session | null,
    renew: string | null,
  ): Promise<ReadonlyMap<string, FoundSet>> {
    const caller = session === null ? null : this.#sessions.idOf(session)
    const found = new Map<string, FoundSet>()
    const entries = await absentWhenAway(null, () =>
      this.#entries.find(ids.map(storedId), caller, renew),
    )
    for (const [id, entry] of entries ?? []) {
      const set = foundSet(entry)
      this.#found.set(set, entry)
      found.set(id, set)
    }
    return found
  }

  async members(set: FoundSet, window?: Window): Promise<Members | null> {
    const entry = this.#found.get(set)
    if (entry === undefined) throw new Error('The set was not found here.')
    const [first, last] = window === undefined ? [0, entry.pieces] : chunksOf(window)
    const end = Math.min(last + 1, entry.pieces)
    if (first >= end) return noMembers
    const pieces = await absentWhenAway(null, () => this.#entries.read(entry, first, end))
    if (pieces === null) return null
    const texts = pieces.map((piece) =>
      Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString(),
    )
    const chunks: Sql[] = []
    for (let at = 0; at < texts.length; at += CHUNKS_AT_ONCE)
      chunks.push(
        sql`SELECT (k.place + ${first + at - 1}::bigint)::integer AS chunk, k.recs::bigint[] AS recs FROM unnest(${texts.slice(at, at + CHUNKS_AT_ONCE)}::text[]) WITH ORDINALITY AS k(recs, place)`,
      )
    return membersIn(this.#port, joined(chunks, sql` UNION ALL `), set.size, window)
  }

  async setLifetime(id: string, lifetimeSeconds: number, session: Session | null): Promise<void> {
    const seconds = lifetimeOf(lifetimeSeconds, SET_LIFETIME_SECONDS)
    const ids = [...(await this.#find([id], session, null)).keys()]
    if (ids.length > 0)
      await absentWhenAway(undefined, () => this.#entries.setLifetime(ids, seconds))
  }

  async release(id: string, session: Session | null = null): Promise<boolean> {
    return (await this.releaseAll([id], session)) > 0
  }

  async releaseAll(ids: readonly string[], session: Session | null = null): Promise<number> {
    const found = [...(await this.#find(ids, session, null)).keys()]
    return found.length === 0 ? 0 : this.#releaseNow(found)
  }

  async list(): Promise<readonly EntitySetInfo[]> {
    const entries = await absentWhenAway([], () => this.#entries.list())
    const owners = entries.flatMap(({ owner }) => (owner === null ? [] : [owner]))
    const open = new Set(await this.#sessions.openOf([...new Set(owners)]))
    return entries
      .filter(({ owner }) => owner === null || open.has(owner))
      .map((entry) => {
        const { id, dataClass, size, sorted, owner } = foundSet(entry)
        const { expires, lifetimeSeconds } = entry
        const refreshed = expires - Math.round(lifetimeSeconds * 1000)
        return Object.freeze({ id, dataClass, size, sorted, refreshed, expires, owner })
      })
  }

  size(): Promise<{ readonly count: number; readonly bytes: number }> {
    return absentWhenAway({ count: 0, bytes: 0 }, () => this.#entries.size())
  }

  /** Drops the sets of sessions that have ended. */
  async sweep(): Promise<void> {
    const owners = await absentWhenAway([], () => this.#entries.owners())
    if (owners.length === 0) return
    const open = new Set(await this.#sessions.openOf(owners))
    for (const owner of owners)
      if (!open.has(owner)) await absentWhenAway(undefined, () => this.#entries.releaseOwner(owner))
  }

  #releaseNow(ids: readonly string[]): Promise<number> {
    return absentWhenAway(0, () => this.#entries.release(ids))
  }
}

function foundSet({ id, kind, owner, note }: Entry): FoundSet {
  const { size, sorted, rule } = JSON.parse(note) as Pick<FoundSet, 'size' | 'sorted' | 'rule'>
  return Object.freeze({ id, dataClass: kind, size, sorted, owner, rule })
}
