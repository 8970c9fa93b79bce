import { PGlite } from '@electric-sql/pglite'
import type { SqlPool, Statement } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { pglitePool } from '../../src/pglite.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'

/** A database as far as the differential test uses it. */
export interface TestDatabase {
  run(text: string): Promise<void>
  /** The rows of each statement, all of one round trip. Fails if one of them does. */
  rows(statements: readonly Statement[]): Promise<readonly Rows[]>
  close(): Promise<void>
}

export type Rows = readonly (readonly unknown[])[]

/** PostgreSQL inside this process. */
export async function openPglite(): Promise<TestDatabase> {
  const database = await PGlite.create()
  return overPool(pglitePool(database), () => database.close())
}

/**
 * A server; an address such as `postgres://postgres@127.0.0.1/postgres`. Statements are sent once,
 * so preparing and compiling them takes longer than running them.
 */
export async function openServer(connectionString: string): Promise<TestDatabase> {
  const database = overPool(pgPool({ connectionString, max: 1, prepare: false }), async () => {})
  await database.run('SET jit = off')
  return database
}

const BEGIN = statementOfText('BEGIN', [])
const COMMIT = statementOfText('COMMIT', [])

const overPool = (pool: SqlPool, closed: () => Promise<void>): TestDatabase => ({
  async run(text) {
    await pool.query({ name: text, text, values: [] })
  },
  async rows(statements) {
    const all = [BEGIN, ...statements, COMMIT]
    const results = await pool.connect((connection) => connection.send(all))
    return results.slice(1, -1).map(({ rows }) => rows)
  },
  async close() {
    await pool.close()
    await closed()
  },
})
