import { restError } from '@entia/rest/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlPool } from '../connect/port.ts'
import { SqlName, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'

/** What a look-up needs. */
export interface CommitOutcomesOptions {
  readonly pool: SqlPool
  readonly wait: (milliseconds: number) => Promise<void>
  readonly monotonic: () => number
}

/** How long the outcome of a commit is looked up. */
const LOOKUP_MILLISECONDS = 10_000
const RETRY_AFTER_SECONDS = 1

const BEGIN = statementOf(sql`BEGIN`)
const COMMIT = statementOf(sql`COMMIT`)

/** Finds out what became of commits whose answer got lost. */
export class CommitOutcomes {
  readonly #options: CommitOutcomesOptions
  readonly #schema: string

  constructor(options: CommitOutcomesOptions, schema: string) {
    this.#options = options
    this.#schema = schema
  }

  /**
   * The global stamp of a commit; null if it is not stored and never will be. The database may still
   * be carrying it out. So its id is taken: that waits for the commit if it has got so far, and makes
   * it fail if it has not. Throws `engineUnavailable` if the database does not answer in time.
   */
  async stampOf(commitId: string): Promise<number | null> {
    const { pool, monotonic, wait } = this.#options
    const table = new SqlName(this.#schema, 'entia_commit')
    const statements = [
      BEGIN,
      statementOf(sql`SET LOCAL lock_timeout = 2000`),
      statementOf(
        sql`INSERT INTO ${table} (id, stamp) VALUES (${commitId}, NULL) ON CONFLICT (id) DO NOTHING`,
      ),
      statementOf(sql`SELECT stamp FROM ${table} WHERE id = ${commitId}`),
      COMMIT,
    ]
    const start = monotonic()
    for (let pause = 50; monotonic() - start < LOOKUP_MILLISECONDS; pause *= 2) {
      try {
        const results = await pool.connect(({ send }) => send(statements))
        const stamp = results[3]!.rows[0]![0]
        return stamp === null ? null : Number(stamp)
      } catch (error) {
        const failure = error instanceof DatabaseError ? error.failure : null
        if (failure !== 'unavailable' && failure !== 'conflict') throw error
        await wait(Math.min(pause, 1000))
      }
    }
    throw restError('engineUnavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}
