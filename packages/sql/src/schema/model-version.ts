import { DatabaseError } from '../connect/database-error.ts'
import { poolOver, type SqlPool } from '../connect/port.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

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
}

/** The same pool. A statement that the database cannot carry out names a migration as the cause. */
export const explainingPool = (pool: SqlPool, version: ModelVersion): SqlPool =>
  poolOver(pool, async (body) => {
    try {
      return await pool.connect(body)
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.failure !== 'internal') throw error
      throw await version.explained(error)
    }
  })
