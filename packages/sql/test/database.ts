import { randomBytes } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { SendListener, SqlPool, SqlRows, SqlValue } from '../src/connect/port.ts'
import { pgPool } from '../src/pg.ts'
import { pglitePool } from '../src/pglite.ts'
import { statementOfText } from '../src/sql-builder/statement.ts'
import type { FoundDatabase, Target } from './database-setup.ts'
import { POOLING } from './tested.ts'

export interface TestDatabase {
  readonly target: Target
  /** The address for other processes; null for PGlite. */
  readonly connectionString: string | null
  /** The schema of this block of tests, created before it and dropped after it. */
  readonly schema: string
  readonly pool: SqlPool
  /** Another pool over the same database, closed after the block. PGlite has one connection. */
  open(options?: { readonly max?: number; readonly onSend?: SendListener }): SqlPool
  /** Another schema, dropped after the block. It does not exist yet. */
  newSchema(): string
}

/**
 * The tests of `body` on a database of this machine: the first one that is found, or that of
 * `ENTIA_SQL`; `npm run test:sql` runs them on each. Those that need several connections at the
 * same time are skipped on PGlite, and reported as skipped. `on: 'one'`: never on several, for
 * tests that take long.
 */
export function describeDatabases(
  title: string,
  options: { readonly connections?: 'several'; readonly on?: 'one' },
  body: (database: TestDatabase) => void,
): void {
  const databases = inject('databases')
  const isOne = options.on === 'one' || Number(process.env.ENTIA_RUNS ?? 1) < 2
  for (const found of isOne ? databases.slice(0, 1) : databases) {
    const isSkipped = options.connections === 'several' && found.connectionString === null
    describe.skipIf(isSkipped)(`${title} [${found.target}]`, () => {
      if (!isSkipped) body(testDatabase(found))
    })
  }
}

/** Runs one text with values on any connection. */
export const run = (pool: SqlPool, text: string, ...values: SqlValue[]): Promise<SqlRows> =>
  pool.query(statementOfText(text, values))

/** A statement that waits for the transactions of stores that the server still carries out. */
export const untilWritten = (schema: string): string =>
  `DO $$ BEGIN LOCK TABLE "${schema}".entia_store IN SHARE MODE; END $$`

/** A slow machine must not fail a test. */
const HOOK_MILLISECONDS = 120_000

/** One for the tests of a file: it takes seconds to start. */
let pglite: PGlite | null = null

function testDatabase({ target, connectionString }: FoundDatabase): TestDatabase {
  const schemas: string[] = []
  const pools: SqlPool[] = []
  const newSchema = (): string => {
    const schema = `test_${randomBytes(8).toString('hex')}`
    schemas.push(schema)
    return schema
  }
  const open: TestDatabase['open'] = (options = {}) => {
    if (connectionString === null) pglite ??= new PGlite()
    const pool =
      connectionString === null
        ? pglitePool(pglite!, options)
        : pgPool({ connectionString, max: 4, ...POOLING, ...options })
    pools.push(pool)
    return pool
  }
  const schema = newSchema()
  const pool = open()
  beforeAll(async () => {
    await run(pool, `CREATE SCHEMA "${schema}"`)
  }, HOOK_MILLISECONDS)
  afterAll(async () => {
    // A statement that still runs can lock tables that are dropped, in another order.
    await Promise.all(pools.filter((each) => each !== pool).map((each) => each.close()))
    for (const each of schemas) await run(pool, `DROP SCHEMA IF EXISTS "${each}" CASCADE`)
    await pool.close()
  }, HOOK_MILLISECONDS)
  return { target, connectionString, schema, pool, open, newSchema }
}
