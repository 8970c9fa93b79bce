import { type EntiaError, isEntiaError, type Session } from '@entia/core'
import { Access } from '@entia/core/internal'
import {
  type Awaitable,
  type Caller,
  type Missing,
  type Names,
  notOnThisEngine,
} from '@entia/engine'
import { publicError } from '../connect/database-error.ts'
import type { RequestTime } from '../connect/request-time.ts'
import { repeated } from '../engine/bounded-calls.ts'
import { EntitySetTransfer } from '../engine/entity-set-transfer.ts'
import type { LocalBody, LocalRuns } from '../engine/local-runs.ts'
import type { MirrorAnswers } from '../mirror/mirror-answers.ts'
import type { SetContext } from '../read/asked-set.ts'
import type { CallerFilters } from '../read/caller-filters.ts'
import type { SqlServerState } from '../server-state/server-state.ts'
import type { SqlTransactionLimits } from '../store/sql-options.ts'
import type { Concluded, Decided } from '../write/decided.ts'
import type { MissingSql } from '../write/missing-sql.ts'
import { refuseWaiting } from './open-transaction.ts'

/** What all users of a store share. */
export interface AsyncPort {
  readonly context: SetContext
  /** Of the application: everything is seen. */
  readonly filters: CallerFilters
  readonly names: Names
  readonly state: SqlServerState
  readonly runs: LocalRuns
  /** Null without a mirror. */
  readonly mirror: MirrorAnswers | null
  /** The most members of an entity set that a decision loads. */
  readonly maxRows: number
  /** Those of the pool: transactions that hold them all leave none for other calls. */
  readonly maxConnections: number
  readonly transactions: SqlTransactionLimits
  /** The time of one write, and some milliseconds more. */
  readonly requestTime: (more?: number) => RequestTime
  /** Calls back after some milliseconds, unless the signal is aborted before. Never rejects. */
  readonly after: (milliseconds: number, signal: AbortSignal, done: () => void) => Promise<void>
}

/** What a run of core's own code needs besides its body. */
export interface RunFacts {
  /** Facts that it will surely ask for. */
  readonly predicted?: readonly Missing[]
  /** See `Decided`. */
  readonly attempt?: Decided<unknown>['attempt']
  /** Ids of the entity sets that it names. */
  readonly sets?: readonly string[]
  /** A question of its own that answers further facts. Reads only. */
  readonly first?: MissingSql | undefined
}

/** Runs core's own code for one user: in decisions of their own, or within one transaction. */
export interface AsyncRuns {
  /** Null within a transaction, whose reads see its own writes. */
  readonly port: AsyncPort | null
  /** The session of the user; null without one. */
  session(): Promise<Session | null>
  /** The session; a new one if there is none. Refused within a transaction. */
  openSession(): Promise<Session>
  read<R>(facts: RunFacts, body: (access: Access) => Awaitable<R>): Promise<R>
  write<R>(name: string, facts: RunFacts, body: (access: Access) => Awaitable<R>): Promise<R>
}

/** Throws `notOnThisEngine` within a transaction. */
export function portOf({ port }: AsyncRuns, what: string, remedy: string): AsyncPort {
  if (port === null) throw notWithin(what, remedy)
  return port
}

export const notWithin = (what: string, remedy: string): EntiaError =>
  notOnThisEngine(`${what} within a transaction`, remedy)

/** A user of a store, and the session in which it writes. */
export class SqlUser implements AsyncRuns {
  readonly port: AsyncPort
  #session: Session | null

  constructor(port: AsyncPort, session: Session | null) {
    this.port = port
    this.#session = session
  }

  /** Every call asks for the session first. */
  async session(): Promise<Session | null> {
    refuseWaiting(this.port, this.port.maxConnections)
    if (this.#session !== null) this.#session = await this.#touched(this.#session)
    return this.#session
  }
  async #touched({ token }: Session): Promise<Session | null> {
    return (await repeated(null, () => this.port.state.sessions.touch(token))) ?? null
  }
  async openSession(): Promise<Session> {
    const { sessions } = this.port.state
    const fresh = sessions.fresh()
    this.#session = (await this.session()) ?? (await repeated(null, () => sessions.open({}, fresh)))
    return this.#session
  }

  read<R>(facts: RunFacts, body: (access: Access) => Awaitable<R>): Promise<R> {
    const { runs } = this.port
    const { first } = facts
    return this.#run(facts, null, body, (caller, predicted, run) =>
      repeated(null, () => runs.read(caller, null, run, { first, predicted })),
    )
  }
  write<R>(name: string, facts: RunFacts, body: (access: Access) => Awaitable<R>): Promise<R> {
    const { runs, requestTime } = this.port
    const { attempt } = facts
    const time = requestTime()
    return this.#run(facts, time, body, (caller, predicted, run) =>
      runs.write(name, caller, { predicted }, run, { time, attempt }),
    ).finally(() => time.end())
  }

  async #run<R>(
    { predicted = [], sets: ids = [] }: RunFacts,
    time: RequestTime | null,
    body: (access: Access) => Awaitable<R>,
    decide: <D>(
      caller: Caller,
      predicted: readonly Missing[],
      run: LocalBody<D>,
    ) => Promise<Concluded<D>>,
  ): Promise<R> {
    const { context, filters, maxRows, names } = this.port
    try {
      const session = await this.session()
      const sets = new EntitySetTransfer(context, filters, maxRows)
      await repeated(time, () => sets.load(ids, session))
      const caller = { session, access: null, names }
      const { value } = await sets.around(
        time,
        (_, as, working) => body(new Access(working.store, as.session)),
        (run) => decide(caller, [...predicted, ...sets.predicted], run),
      )
      return value
    } catch (error) {
      throw isEntiaError(error) ? error : publicError(error)
    }
  }
}
