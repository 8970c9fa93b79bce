import type { DatabaseState } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlPool } from '../connect/port.ts'
import { storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import type { SqlServerState } from '../server-state/server-state.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

/** Figures of the database, for all processes together. */
export interface DatabaseSample {
  readonly database: DatabaseState
  /** By dataclass. */
  readonly entities: ReadonlyMap<string, number>
  readonly entitySets: number
  readonly entitySetBytes: number
  readonly sessions: number
  readonly locks: number
  readonly uploads: number
}

export interface SamplingOptions {
  readonly pool: SqlPool
  readonly model: SqlModel
  readonly state: SqlServerState
  readonly monotonic: () => number
}

/** A sample answers all scrapes within this time. */
const MAX_AGE = 5000

/** Reads the figures of the database when they are asked for, at most once in five seconds. */
export class DatabaseSampling {
  readonly #options: SamplingOptions
  #sample: Promise<DatabaseSample | null> | null = null
  #at = Number.NEGATIVE_INFINITY

  constructor(options: SamplingOptions) {
    this.#options = options
  }

  /** Null if the database does not answer. Cost: five statements, or none. */
  take(): Promise<DatabaseSample | null> {
    const now = this.#options.monotonic()
    if (this.#sample !== null && now - this.#at < MAX_AGE) return this.#sample
    this.#at = now
    this.#sample = readSample(this.#options).catch((error: unknown) => {
      if (error instanceof DatabaseError) return null
      throw error
    })
    return this.#sample
  }
}

async function readSample({ pool, model, state }: SamplingOptions): Promise<DatabaseSample> {
  const { schema } = model
  const { sessions, locks, entitySets, uploads } = state
  const classes = sql`(SELECT json_object_agg(class, members) FROM ${new SqlName(schema, 'entia_class')})`
  const alive = (table: string) =>
    sql`(SELECT n_live_tup FROM pg_stat_user_tables WHERE schemaname = ${schema} AND relname = ${table})`
  const [main, setSize, sessionCount, lockCount, uploadCount] = await Promise.all([
    pool.query(
      statementOf(sql`SELECT g.stamp, ${classes}, ${alive('entia_commit')}, ${alive('entia_change')},
        (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::double precision FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${schema} AND c.relkind = 'r'),
        a.connections, current_setting('max_connections')::integer, a.waiting, a.oldest,
        current_setting('server_version')
        FROM ${storeRow(schema)}, (SELECT
          count(*) FILTER (WHERE backend_type = 'client backend') AS connections,
          count(*) FILTER (WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting,
          coalesce(max(extract(epoch FROM clock_timestamp() - xact_start))
            FILTER (WHERE datname = current_database() AND backend_type = 'client backend'), 0)::double precision AS oldest
          FROM pg_stat_activity) AS a`),
    ),
    entitySets.size(),
    sessions.size(),
    locks.size(),
    uploads.size(),
  ])
  const row = main.rows[0]!
  const [stamp, counts, commits, changes, bytes, connections, maxConnections, waiting, oldest] = row
  const byClass = (counts === null ? {} : JSON.parse(String(counts))) as { [name: string]: number }
  return {
    database: {
      version: String(row.at(-1)),
      schema,
      globalStamp: Number(stamp),
      bytes: Number(bytes),
      connections: Number(connections),
      maxConnections: Number(maxConnections),
      lockWaits: Number(waiting),
      oldestTransactionSeconds: Number(oldest),
      historyCommits: Number(commits),
      historyChanges: Number(changes),
    },
    entities: new Map(Object.entries(byClass)),
    entitySets: setSize.count,
    entitySetBytes: setSize.bytes,
    sessions: sessionCount,
    locks: lockCount,
    uploads: uploadCount,
  }
}
