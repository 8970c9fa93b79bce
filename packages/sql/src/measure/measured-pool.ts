import type { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestTally, StopSign } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import {
  poolOver,
  type SqlConnection,
  type SqlPool,
  type SqlRows,
  type Statement,
} from '../connect/port.ts'
import { BEGIN_SNAPSHOT, COMMIT } from '../sql-builder/transaction.ts'
import type { RoundTripKind, SqlFigures } from './sql-figures.ts'

export interface Measuring {
  readonly figures: SqlFigures
  readonly monotonic: () => number
  /** The request that is being answered, while requests are tallied. */
  readonly request: { storage: AsyncLocalStorage<RequestTally> | null }
  /** Whether that request is stopped, while requests can be. */
  readonly stopping: { storage: AsyncLocalStorage<StopSign> | null }
}

/**
 * The same pool, with its round trips counted under a kind. Cost: four clock readings per
 * connection that is taken.
 */
export function measuredPool(pool: SqlPool, kind: RoundTripKind, measuring: Measuring): SqlPool {
  const { figures, monotonic, request, stopping } = measuring
  const connect = async <R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> => {
    const tally = request.storage?.getStore()
    const stop = stopping.storage?.getStore()
    const asked = monotonic()
    let hasStarted = false
    figures.waiting++
    const started = (): void => {
      if (hasStarted) return
      hasStarted = true
      figures.waiting--
    }
    try {
      return await pool.connect(async (connection) => {
        started()
        const waited = monotonic() - asked
        figures.connectionWaits.observe(waited)
        if (tally !== undefined) tally.waitMilliseconds += waited
        figures.inUse++
        const endWatch = stop?.onStop(() => connection.cancel?.())
        try {
          return await body({
            send: async (statements) => {
              if (stop?.isStopped === true) throw new DatabaseError('timeout', null)
              return send(connection, statements, tally)
            },
          })
        } finally {
          endWatch?.()
          figures.inUse--
        }
      })
    } catch (error) {
      // A connection that breaks fails in `send`, and was counted there.
      if (!hasStarted && error instanceof DatabaseError) figures.failures.count(error.failure)
      throw error
    } finally {
      started()
    }
  }

  async function send(
    connection: SqlConnection,
    statements: readonly Statement[],
    tally: RequestTally | undefined,
  ): Promise<readonly SqlRows[]> {
    const own = figures.roundTrips[kind === 'decide' && isCommit(statements) ? 'commit' : kind]
    const sent = monotonic()
    own.statements += statements.length
    try {
      return await connection.send(statements)
    } catch (error) {
      if (error instanceof DatabaseError) figures.failures.count(error.failure)
      throw error
    } finally {
      const elapsed = monotonic() - sent
      own.durations.observe(elapsed)
      if (tally !== undefined) {
        tally.roundTrips++
        tally.databaseMilliseconds += elapsed
      }
    }
  }

  return poolOver(pool, connect)
}

/** A pool for round trips that requests share: none of them ends with a request that is stopped. */
export interface SharedPool {
  readonly pool: SqlPool
  /** Runs what waits for such a round trip, which is tallied as one of the request. */
  joined<R>(work: () => Promise<R>): Promise<R>
}

/** See `SharedPool`. */
export function sharedPool(pool: SqlPool, kind: RoundTripKind, measuring: Measuring): SharedPool {
  const { monotonic, request } = measuring
  const none = { storage: null }
  return {
    pool: measuredPool(pool, kind, { ...measuring, request: none, stopping: none }),
    async joined(work) {
      const tally = request.storage?.getStore()
      if (tally === undefined) return work()
      const began = monotonic()
      try {
        return await work()
      } finally {
        tally.roundTrips++
        tally.databaseMilliseconds += monotonic() - began
      }
    },
  }
}

/** The last round trip of a decision, which may be its only one. A read ends its snapshot, too. */
const isCommit = (statements: readonly Statement[]): boolean =>
  statements.at(-1) === COMMIT && statements[0] !== BEGIN_SNAPSHOT
