import { setTimeout as wait } from 'node:timers/promises'
import { engineError } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import { connectLong } from '../connect/long-connection.ts'
import type { SqlConnection, SqlPool } from '../connect/port.ts'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { DatabaseState } from './database-state.ts'
import type { SqlModel } from './sql-model.ts'

/**
 * A migration locks all tables that it may change before it changes one, so that it waits for
 * nothing afterwards. One that changes nothing locks none. Requests lock tables in the order in
 * which their statements name them, so no order of a migration is theirs: each would wait for the
 * other. Therefore it gives up its locks after half a second, before PostgreSQL looks for a
 * deadlock and ends a request, and tries again. Requests wait behind it only that long, also when a
 * transaction stays open for hours.
 */

const MAX_ATTEMPTS = 30
/** Added to each pause, up to the longest: together with the attempts, about a minute. */
const PAUSE_MILLISECONDS = 200
const LONGEST_PAUSE_MILLISECONDS = 2000

/**
 * Runs `body` in a transaction of its own until it has got its locks: then it answers a result, and
 * null before. Throws `migrationBlocked`.
 */
export async function untilLocked<R>(
  pool: SqlPool,
  schema: string,
  body: (connection: SqlConnection) => Promise<R | null>,
): Promise<R> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await connectLong(pool, body)
    if (result !== null) return result
    await wait(Math.min(attempt * PAUSE_MILLISECONDS, LONGEST_PAUSE_MILLISECONDS))
  }
  throw engineError('migrationBlocked', { schema, by: await holders(pool, schema) })
}

/**
 * Keeps all others from the tables of Entia and of the dataclasses until the end of the
 * transaction. False if some of them are in use: then the transaction has failed.
 */
export function lockTables(
  connection: SqlConnection,
  model: SqlModel,
  { tables, classes }: DatabaseState,
): Promise<boolean> {
  const places = new Set([...classes.values(), ...model.tables.map(({ name }) => name.plain)])
  const names = [...tables.keys()].filter((name) => name.startsWith('entia_') || places.has(name))
  if (names.length === 0) return Promise.resolve(true)
  // Transactions that write begin with the store: the later ones wait there, and hold nothing.
  names.sort((a, b) => Number(b === 'entia_store') - Number(a === 'entia_store'))
  return lock(connection, model.schema, names, sql`ACCESS EXCLUSIVE`)
}

/**
 * Keeps transactions that write out of the store, and lets reads and dumps pass. False if some
 * write: then the transaction has failed.
 */
export const lockWriters = (connection: SqlConnection, schema: string): Promise<boolean> =>
  lock(connection, schema, ['entia_store'], sql`SHARE ROW EXCLUSIVE`)

async function lock(
  { send }: SqlConnection,
  schema: string,
  names: readonly string[],
  mode: Sql,
): Promise<boolean> {
  const list = listed(names.map((name) => sql`${new SqlName(schema, name)}`))
  try {
    await send(
      [
        // Requests do not wait for this one. It ends a vacuum of the server, after a second.
        sql`LOCK TABLE ${list} IN SHARE UPDATE EXCLUSIVE MODE`,
        sql`SELECT set_config('statement_timeout', greatest(1, least(500, extract(epoch FROM current_setting('deadlock_timeout')::interval) * 500))::integer::text, true)`,
        sql`LOCK TABLE ${list} IN ${mode} MODE`,
        sql`SET LOCAL statement_timeout = 0`,
      ].map(statementOf),
    )
    return true
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.failure !== 'timeout' && error.failure !== 'conflict') throw error
    return false
  }
}

/** The connections whose transactions hold tables of a schema, the oldest first. */
async function holders(pool: SqlPool, schema: string): Promise<readonly string[]> {
  const { rows } = await pool.query({
    ...statementOf(sql`SELECT a.pid, a.application_name,
        extract(epoch FROM clock_timestamp() - a.xact_start)::integer
      FROM pg_stat_activity AS a WHERE a.pid <> pg_backend_pid() AND a.pid IN
        (SELECT l.pid FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
          JOIN pg_database AS d ON d.oid = l.database AND d.datname = current_database()
          WHERE l.granted AND c.relnamespace =
            (SELECT n.oid FROM pg_namespace AS n WHERE n.nspname = ${schema}::text))
      ORDER BY a.xact_start LIMIT 3`),
    name: '',
  })
  return rows.map(([pid, name, seconds]) => {
    const since = seconds === null ? '' : `, for ${String(seconds)} seconds`
    return `connection ${String(pid)} (${String(name)}${since})`
  })
}
