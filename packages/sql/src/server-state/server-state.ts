import type { ServerStateLimits } from '@entia/core/internal'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { SqlEntitySets } from './entity-sets.ts'
import { SqlLocks } from './locks.ts'
import { SqlSessions } from './sessions.ts'
import type { StatePort } from './state-port.ts'
import { SqlUploads } from './uploads.ts'

/** Expired rows that one statement deletes. */
const SWEEP_SIZE = 500

/** Sessions, locks, entity sets and uploads of a dataset, for all processes that serve it. */
export class SqlServerState {
  readonly port: StatePort
  readonly sessions: SqlSessions
  readonly locks: SqlLocks
  readonly entitySets: SqlEntitySets
  readonly uploads: SqlUploads

  constructor(port: StatePort, limits: ServerStateLimits) {
    this.port = port
    this.sessions = new SqlSessions(port, limits.sessions)
    this.locks = new SqlLocks(port, this.sessions, limits.locks)
    this.entitySets = new SqlEntitySets(port, this.sessions, limits.entitySets)
    this.uploads = new SqlUploads(port, limits.uploads)
  }

  /**
   * Deletes some of the rows that have expired, and returns how many. Call it from time to time, in
   * any process: it skips rows that others use or delete, and no answer depends on it. 0 means that
   * nothing is left to delete.
   */
  async sweep(): Promise<number> {
    const { pool, tables, time } = this.port
    let count = 0
    for (const table of [tables.session, tables.set, tables.upload])
      count += (
        await pool.query(
          statementOf(sql`DELETE FROM ${table} WHERE id IN (SELECT x.id FROM ${table} x
            WHERE x.expires <= ${time()} LIMIT ${SWEEP_SIZE}::bigint FOR UPDATE SKIP LOCKED)`),
        )
      ).count
    return count
  }
}
