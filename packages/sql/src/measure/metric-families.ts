import { counter, gauge, labelled, type MetricFamily } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import type { DatabaseSample } from './database-sample.ts'
import { type ConflictReason, ROUND_TRIP_KINDS, type SqlFigures } from './sql-figures.ts'

/** What is measured of a store over PostgreSQL. */
export interface MeasuredStore {
  readonly model: SqlModel
  readonly figures: SqlFigures
  readonly pool: SqlPool
  /** Milliseconds since the store was opened. */
  readonly uptime: () => number
  /** Counts of pages that were known, and that the database counted. */
  readonly counts: { readonly known: number; readonly counted: number }
  /** The global stamp up to which commits were reported; null without a listener. */
  readonly followed: () => number | null
}

const REASONS: readonly ConflictReason[] = ['conflict', 'unique', 'constraint', 'unavailable']

/** The figures of this process: they cost nothing and need no database. */
export function processFamilies(store: MeasuredStore): readonly MetricFamily[] {
  const { figures, pool, counts, model } = store
  const { decisions, roundTrips } = figures
  const state = pool.state?.()
  return [
    gauge('store_info', 'The store that is served.', labelled('store', [[model.catalog.name, 1]])),
    gauge('uptime_seconds', 'Time since the store was opened.', store.uptime() / 1000),
    gauge(
      'database_pool_connections',
      'Connections of this process.',
      labelled('state', Object.entries({ in_use: figures.inUse, idle: state?.idle ?? 0 })),
    ),
    gauge(
      'database_pool_connections_max',
      'Connections that this process may open; 0 if the pool does not tell.',
      state?.max ?? 0,
    ),
    gauge('database_pool_waiting', 'Requests that wait for a connection.', figures.waiting),
    {
      name: 'entia_database_connection_wait_seconds',
      type: 'histogram',
      help: 'Time until a connection was there.',
      samples: figures.connectionWaits.samples(),
    },
    {
      name: 'entia_database_round_trip_seconds',
      type: 'histogram',
      help: 'Round trips, by what they are for.',
      samples: ROUND_TRIP_KINDS.flatMap((kind) => roundTrips[kind].durations.samples({ kind })),
    },
    counter(
      'database_statements_total',
      'Statements, by what they are for.',
      labelled(
        'kind',
        ROUND_TRIP_KINDS.map((kind) => [kind, roundTrips[kind].statements]),
      ),
    ),
    counter('database_failures_total', 'Failures, by kind.', labelled('failure', figures.failures)),
    gauge(
      'database_prepared_statements',
      'Prepared statements of all open connections.',
      state?.prepared ?? 0,
    ),
    counter(
      'decision_attempts_total',
      'Transactions begun for writes and functions.',
      decisions.attempts,
    ),
    counter(
      'decision_conflicts_total',
      'Attempts that failed, by reason.',
      labelled(
        'reason',
        REASONS.map((reason) => [reason, decisions.conflicts.get(reason) ?? 0]),
      ),
    ),
    counter(
      'decision_replays_total',
      'Runs repeated because something was missing.',
      decisions.replays,
    ),
    counter('decision_commits_total', 'Commits that this process stored.', decisions.commits),
    {
      name: 'entia_gate_wait_seconds',
      type: 'histogram',
      help: 'Time that commits wait at the gate.',
      samples: decisions.gateWaits.samples(),
    },
    counter(
      'counts_total',
      'Counts of pages, known or counted again.',
      labelled('result', Object.entries({ known: counts.known, counted: counts.counted })),
    ),
  ]
}

/** The figures of the database, and whether it answers. */
export function databaseFamilies(
  sample: DatabaseSample | null,
  { model, followed }: MeasuredStore,
): readonly MetricFamily[] {
  const up = gauge('database_up', '1 if the database answers.', sample ? 1 : 0)
  if (sample === null) return [up]
  const { database } = sample
  const last = followed()
  return [
    up,
    gauge(
      'entities',
      'Entities of each dataclass.',
      labelled(
        'dataclass',
        model.catalog.classes.map(({ name }) => [name, sample.entities.get(name) ?? 0]),
      ),
    ),
    counter('commits_total', 'The global stamp.', database.globalStamp),
    gauge('history_commits', 'Commits that are kept, about.', database.historyCommits),
    gauge('history_changes', 'Changes that are kept, about.', database.historyChanges),
    gauge(
      'follower_lag_commits',
      'Commits that live queries and readers of changes have not seen.',
      last === null ? 0 : Math.max(0, database.globalStamp - last),
    ),
    gauge('entity_sets', 'Entity sets that are kept.', sample.entitySets),
    gauge('entity_set_bytes', 'Bytes of entity sets.', sample.entitySetBytes),
    gauge('sessions', 'Open sessions.', sample.sessions),
    gauge('locks', 'Locks of entities.', sample.locks),
    gauge('uploads', 'Uploads that wait for a write.', sample.uploads),
    gauge('database_bytes', 'Bytes of the schema.', database.bytes),
    gauge(
      'database_server_connections',
      'Connections of all programs to the server.',
      database.connections,
    ),
    gauge(
      'database_server_connections_max',
      'Connections that the server allows.',
      database.maxConnections,
    ),
    gauge(
      'database_lock_waits',
      'Connections that wait for a lock in the database.',
      database.lockWaits,
    ),
    gauge(
      'database_oldest_transaction_seconds',
      'Age of the oldest open transaction.',
      database.oldestTransactionSeconds,
    ),
  ]
}
