import type { SqlConnection, SqlPool, SqlRows, Statement } from '../../src/connect/port.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'

const SNAPSHOT = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', 'SELECT 1'].map((text) =>
  statementOfText(text),
)
const borders = /^\s*(?:begin|commit)\b/i

/**
 * Simulates a standby: a pool that can be paused, as `pg_wal_replay_pause` pauses replay. Then all
 * statements read the snapshot of that moment. It can also be stopped, so that nothing answers.
 */
export class PausedReplica implements SqlPool {
  readonly prepares = false
  /** Statements that were answered. */
  count = 0
  /** The error of every statement; null if they succeed. */
  failure: Error | null = null
  readonly #pool: SqlPool
  #paused: { readonly connection: SqlConnection; end(): Promise<void> } | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(pool: SqlPool) {
    this.#pool = pool
  }

  async pause(): Promise<void> {
    if (this.#paused !== null) return
    await new Promise<void>((resolve, reject) => {
      const lease = this.#pool.connect(async (connection) => {
        await connection.send(SNAPSHOT)
        await new Promise<void>((release) => {
          const end = (): Promise<void> => {
            release()
            return lease
          }
          this.#paused = { connection, end }
          resolve()
        })
      })
      lease.catch(reject)
    })
  }

  async resume(): Promise<void> {
    const paused = this.#paused
    this.#paused = null
    await this.#last
    await paused?.end()
  }

  async query(statement: Statement): Promise<SqlRows> {
    return this.connect(async ({ send }) => (await send([statement]))[0]!)
  }

  connect<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    const run = async (): Promise<R> => {
      if (this.failure !== null) throw this.failure
      this.count++
      return this.#paused === null ? this.#pool.connect(body) : body({ send: this.#send })
    }
    const done = this.#last.then(run)
    this.#last = done.catch(() => {})
    return done
  }

  /** Statements of a transaction, within the one that is open. */
  readonly #send = async (statements: readonly Statement[]): Promise<readonly SqlRows[]> => {
    const results: SqlRows[] = []
    for (const statement of statements)
      results.push(
        borders.test(statement.text)
          ? { rows: [], count: 0 }
          : (await this.#paused!.connection.send([statement]))[0]!,
      )
    return results
  }

  async close(): Promise<void> {
    await this.resume()
    await this.#pool.close()
  }
}
