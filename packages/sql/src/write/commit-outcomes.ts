import { engineError } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlPool } from '../connect/port.ts'
import { type After, RequestTime } from '../connect/request-time.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'

/** What a look-up needs. */
export interface CommitOutcomesOptions {
  readonly pool: SqlPool
  readonly wait: (milliseconds: number) => Promise<void>
  readonly after: After
}

/** How long the outcome of a commit is looked up. */
const LOOKUP_MILLISECONDS = 10_000
const RETRY_AFTER_SECONDS = 1

/** Finds out what became of commits whose answer got lost. */
export class CommitOutcomes {
  readonly #options: CommitOutcomesOptions
  readonly #schema: string

  constructor(options: CommitOutcomesOptions, schema: string) {
    this.#options = options
    this.#schema = schema
  }

  /**
   * The global stamp of a commit; null if it is not stored and never will be. The database may
   * still be carrying it out. So its id is taken: that waits for the commit if it has got so far,
   * and makes it fail if it has not. Throws `commitOutcomeUnknown` if the database does not answer
   * in time.
   */
  async stampOf(commitId: string): Promise<number | null> {
    const { pool, after, wait } = this.#options
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
    const time = new RequestTime(after, LOOKUP_MILLISECONDS)
    try {
      for (let pause = 50; ; pause *= 2)
        try {
          const results = await time.cut(pool.connect(({ send }) => send(statements)))
          const stamp = results[2]!.rows[0]![0]
          return stamp === null ? null : Number(stamp)
        } catch (error) {
          if (time.isOver || !(error instanceof DatabaseError)) throw error
          await time.cut(wait(Math.min(pause, 1000)))
        }
    } catch (error) {
      // Also for unexpected failures: none of them says what became of the commit.
      throw engineError(
        'commitOutcomeUnknown',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
        { cause: error },
      )
    } finally {
      time.end()
    }
  }
}
