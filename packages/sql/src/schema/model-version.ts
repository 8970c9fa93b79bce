import { DatabaseError } from '../connect/database-error.ts'
import { connectLong } from '../connect/long-connection.ts'
import { poolOver, type SqlPool } from '../connect/port.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'

/**
 * Tells whether the tables were migrated after this process had opened them. It is asked only about
 * statements that failed: no ordinary request pays for it.
 */
export class ModelVersion {
  readonly #pool: SqlPool
  readonly #schema: string
  readonly #opened: number

  /** `opened`: `entia_store.migrations` when the process opened the store. */
  constructor(pool: SqlPool, schema: string, opened: number) {
    this.#pool = pool
    this.#schema = schema
    this.#opened = opened
  }

  /** The error to throw in place of another one: that of a migration if there was any. */
  async explained(error: DatabaseError): Promise<DatabaseError> {
    if (error.failure === 'timeout') return this.#waited(error)
    const store = new SqlName(this.#schema, 'entia_store')
    const count = sql`SELECT (to_jsonb(s) ->> 'migrations')::integer FROM ${store} AS s`
    const isOld = await this.#pool.query(statementOf(count)).then(
      ({ rows }) => Number(rows[0]?.[0] ?? 0) !== this.#opened,
      // A store that is gone was renamed or dropped.
      ({ sqlState }: DatabaseError) => sqlState === '42P01',
    )
    if (!isOld) return error
    const migrated = new DatabaseError('migrated', error.sqlState, error)
    migrated.schema = this.#schema
    return migrated
  }

  /** A migration that still runs is what a statement has waited for that took too long. */
  async #waited(error: DatabaseError): Promise<DatabaseError> {
    const hold = statementOf(
      sql`LOCK TABLE ${new SqlName(this.#schema, 'entia_store')} IN ACCESS SHARE MODE NOWAIT`,
    )
    const isRunning = await connectLong(this.#pool, ({ send }) => send([BEGIN, hold, COMMIT])).then(
      () => false,
      ({ sqlState }: DatabaseError) => sqlState === '55P03',
    )
    // It has no connection to lose: another attempt at once would wait as well.
    return isRunning
      ? new DatabaseError('unavailable', error.sqlState, error, false, MIGRATING)
      : error
  }
}

const MIGRATING = 'A migration of the tables takes longer than a statement may. Try again later.'

/**
 * The same pool. A statement that the database cannot carry out, or that takes too long, names a
 * migration as the cause.
 */
export const explainingPool = (pool: SqlPool, version: ModelVersion): SqlPool =>
  poolOver(pool, async (body) => {
    try {
      return await pool.connect(body)
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      const { failure } = error
      throw failure === 'internal' || failure === 'timeout' ? await version.explained(error) : error
    }
  })
