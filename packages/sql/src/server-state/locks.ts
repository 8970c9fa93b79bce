import type {
  EntiaError,
  LockLimits,
  LockOptions,
  LockOutcome,
  Session,
  UnlockOutcome,
} from '@entia/core'
import { overBudget } from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import {
  findLock,
  holdEntity,
  type LockTarget,
  lockRefusal,
  lockState,
  releaseLock,
  takeLock,
  takenLock,
  unlocked,
} from './lock-pieces.ts'
import { heldSession, holdSession } from './session-pieces.ts'
import type { SqlSessions } from './sessions.ts'
import type { StatePort } from './state-port.ts'

/**
 * The locks of a dataset: `Locks` of `@entia/core` in the database. A lock belongs to a record
 * number, which no later entity has. It is taken and checked by transactions that hold the row of
 * the entity, so it waits at most for a write to that entity that is being committed.
 */
export class SqlLocks {
  readonly #port: StatePort
  readonly #sessions: SqlSessions
  readonly #maxPerSession: number

  constructor(port: StatePort, sessions: SqlSessions, { maxPerSession }: Required<LockLimits>) {
    this.#port = port
    this.#sessions = sessions
    this.#maxPerSession = maxPerSession
  }

  /** One round trip. Throws `argumentInvalid` for a session that has ended, `budgetExceeded`. */
  async lock(
    target: LockTarget,
    session: Session,
    { stamp = null }: { readonly stamp?: LockOptions['stamp'] | null } = {},
  ): Promise<LockOutcome> {
    const id = this.#sessions.idOf(session)
    const pieces = [
      holdSession(this.#port, id),
      holdEntity(target),
      takeLock(this.#port, target, id, stamp, this.#maxPerSession),
    ]
    const [held, , taken] = await this.#together(pieces)
    heldSession(held!)
    return takenLock(taken!, id, stamp, () => this.#full())
  }

  /** What `lock` answers to a session without locks. Locks nothing. */
  async probe(
    target: LockTarget,
    { stamp = null }: { readonly stamp?: LockOptions['stamp'] | null } = {},
  ): Promise<LockOutcome> {
    const state = lockState(await this.#run(findLock(this.#port, target)))
    if (state === null) return { kind: 'absent' }
    return lockRefusal(state, null, stamp) ?? { kind: 'locked' }
  }

  /** `unlocked` also for an entity that was not locked. Throws as `lock`. */
  async unlock(target: LockTarget, session: Session): Promise<UnlockOutcome> {
    const id = this.#sessions.idOf(session)
    const pieces = [holdSession(this.#port, id), releaseLock(this.#port, target, id)]
    const [held, released] = await this.#together(pieces)
    heldSession(held!)
    return unlocked(released!, id)
  }

  /** Locks of open sessions. Cost: O(locks). */
  async size(): Promise<number> {
    const { tables, time } = this.#port
    const { rows } = await this.#run(sql`SELECT count(*) FROM ${tables.lock} l
      JOIN ${tables.session} s ON s.id = l.session AND s.expires > ${time()}`)
    return rows[0]![0] as number
  }

  #full(): EntiaError {
    return overBudget('locks of one session', this.#maxPerSession, 'locks.maxPerSession')
  }

  /** One transaction in one round trip: the results of the pieces. */
  async #together(pieces: readonly Sql[]): Promise<readonly SqlRows[]> {
    const statements = [BEGIN, ...pieces.map(statementOf), COMMIT]
    const results = await this.#port.pool.connect(({ send }) => send(statements))
    return results.slice(1)
  }
  #run(piece: Sql): Promise<SqlRows> {
    return this.#port.pool.query(statementOf(piece))
  }
}
