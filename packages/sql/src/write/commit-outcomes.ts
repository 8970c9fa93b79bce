import type { EntiaError } from '@entia/core'
import { type Decision, engineError } from '@entia/engine'
import { DatabaseError, isLostAnswer, RETRY_AFTER_SECONDS } from '../connect/database-error.ts'
import type { SqlPool } from '../connect/port.ts'
import { type After, RequestTime } from '../connect/request-time.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import type { Committed } from './decided.ts'

/** What a look-up needs. */
export interface CommitOutcomesOptions {
  readonly pool: SqlPool
  /** Part of the ids of commits: no other process has it. */
  readonly processId: string
  readonly wait: (milliseconds: number) => Promise<void>
  readonly after: After
}

/** How long the outcome of a commit is looked up. */
const LOOKUP_MILLISECONDS = 10_000

/** Finds out what became of commits whose answer got lost. */
export class CommitOutcomes {
  readonly #options: CommitOutcomesOptions
  readonly #schema: string
  #commits = 0

  constructor(options: CommitOutcomesOptions, schema: string) {
    this.#options = options
    this.#schema = schema
  }

  /**
   * Runs what calls `begin` before it sends the commits of a decision, with their ids. If the
   * answer gets lost, the database is asked what became of them. Throws a `DatabaseError` only if
   * nothing was stored, and `commitOutcomeUnknown` if the database does not answer that.
   */
  async settled<R>(
    time: RequestTime,
    run: (begin: (decision: Decision<R>) => readonly string[]) => Promise<Committed<R>>,
  ): Promise<Committed<R>> {
    let sent: { readonly decision: Decision<R>; readonly commitId: string } | null = null
    let isStored = false
    const begin = (decision: Decision<R>): readonly string[] => {
      const ids = decision.commits.map(() => `${this.#options.processId}.${this.#commits++}`)
      time.beginCommit()
      sent = { decision, commitId: ids.at(-1)! }
      return ids
    }
    try {
      const committed = await time.whileCommitting(run(begin))
      isStored = sent !== null
      return committed
    } catch (error) {
      if (sent === null || !isLostAnswer(error)) throw error
      const { decision, commitId } = sent as { decision: Decision<R>; commitId: string }
      const globalStamp = await this.stampOf(commitId)
      if (globalStamp === null) throw error
      isStored = true
      return { decision, globalStamp }
    } finally {
      if (sent !== null) time.endCommit(isStored)
    }
  }

  /**
   * The global stamp of a commit; null if it is not stored and never will be. The database may
   * still be carrying it out. So its id is taken: that waits for the commit if it has got so far,
   * and makes it fail if it has not. Throws `commitOutcomeUnknown` if the database does not answer
   * in time.
   */
  async stampOf(commitId: string): Promise<number | null> {
    const { pool } = this.#options
    const table = new SqlName(this.#schema, 'entia_commit')
    const statements = [
      BEGIN,
      statementOf(sql`SET LOCAL lock_timeout = 2000`),
      // It writes the row that it finds, too: so this waits until a synchronous standby has the
      // commit.
      statementOf(
        sql`INSERT INTO ${table} AS c (id, stamp) VALUES (${commitId}, NULL) ON CONFLICT (id) DO UPDATE SET at = c.at RETURNING stamp`,
      ),
      COMMIT,
    ]
    const results = await this.lookUp(() => pool.connect(({ send }) => send(statements)))
    const stamp = results[2]!.rows[0]![0]
    return stamp === null ? null : Number(stamp)
  }

  /**
   * Asks the database about a commit that may be stored, again while it fails: no failure may look
   * as if nothing was stored. Throws `commitOutcomeUnknown` if it does not answer in time.
   */
  async lookUp<R>(ask: () => Promise<R>): Promise<R> {
    const { after, wait } = this.#options
    const time = new RequestTime(after, LOOKUP_MILLISECONDS)
    try {
      for (let pause = 50; ; pause *= 2)
        try {
          return await time.cut(ask())
        } catch (error) {
          if (time.isOver || !(error instanceof DatabaseError)) throw error
          await time.cut(wait(Math.min(pause, 1000)))
        }
    } catch (error) {
      // Also for unexpected failures: none of them says what became of the commit.
      throw outcomeUnknown({ cause: error })
    } finally {
      time.end()
    }
  }
}

/** The error for a commit that may be stored or not. */
export const outcomeUnknown = (options?: ErrorOptions): EntiaError =>
  engineError('commitOutcomeUnknown', { retryAfterSeconds: RETRY_AFTER_SECONDS }, options)
