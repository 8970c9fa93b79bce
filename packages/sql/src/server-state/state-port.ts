import type { Clock, Ids } from '@entia/core'
import type { SqlPool } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import type { StateTables } from './tables.ts'

/**
 * The present time as a piece of a statement: epoch milliseconds in double precision. It must not
 * change within a statement.
 */
export type StateTime = () => Sql

/** The clock of the database: one clock for all processes. */
export const databaseTime: StateTime = () =>
  sql`(extract(epoch FROM statement_timestamp()) * 1000)::double precision`

/**
 * The clock of an application. Processes whose clocks differ disagree on when a session ends, so
 * this is for tests and for programs with one process.
 */
export const processTime =
  (clock: Pick<Clock, 'now'>): StateTime =>
  () =>
    sql`${clock.now()}::double precision`

/** What the server state needs. */
export interface StatePort {
  readonly pool: SqlPool
  readonly tables: StateTables
  readonly time: StateTime
  /** Measures how old cached rows are. Nothing else depends on it. */
  readonly clock: Pick<Clock, 'monotonic'>
  readonly ids: Ids
  /**
   * How long a process answers from a session that it has read, and how seldom it renews sessions
   * and sets. 0 reads and renews with every call.
   */
  readonly cacheMilliseconds: number
}
