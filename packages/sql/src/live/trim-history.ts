import type { SqlPool } from '../connect/port.ts'
import { storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

/** How long changes are kept for `changes({ since })`: until they are beyond one of both. */
export interface HistoryLimits {
  /** Commits: 100 000 unless given. */
  readonly commits: number
  /** Hours: 24 unless given. */
  readonly hours: number
}

/** Commits that one statement deletes. */
const TRIM_SIZE = 500
/**
 * Ids of commits stay longer than their changes: a process whose connection broke looks up what
 * became of its commit, and live queries which dataclasses changed.
 */
const ID_HOURS = 1

/**
 * Deletes changes that are beyond the limits, the oldest first, and the ids of commits whose
 * changes are gone for an hour; also the ids of commits that were given up an hour ago. Returns the
 * number of commits, at most `TRIM_SIZE`. Of several processes one does it, and the others return
 * 0. One round trip.
 */
export async function trimHistory(
  pool: SqlPool,
  { schema }: SqlModel,
  { commits, hours }: HistoryLimits,
): Promise<number> {
  const commit = new SqlName(schema, 'entia_commit')
  const history = new SqlName(schema, 'entia_history')
  const { rows } = await pool.query(
    statementOf(sql`WITH
      h AS (SELECT changes_until, commits_until FROM ${history} FOR UPDATE SKIP LOCKED),
      oldest AS (SELECT c.id, c.stamp, c.at FROM h JOIN ${commit} AS c ON c.stamp > h.changes_until
        JOIN ${storeRow(schema)} ON c.stamp <= g.stamp ORDER BY c.stamp LIMIT ${TRIM_SIZE}::bigint),
      many AS (SELECT c.stamp FROM ${commit} AS c
        WHERE c.stamp IS NOT NULL ORDER BY c.stamp DESC OFFSET ${commits}::bigint LIMIT 1),
      cut AS (SELECT max(o.stamp) AS stamp FROM oldest AS o
        WHERE o.at < now() - ${hours}::double precision * interval '1 hour'
          OR o.stamp <= (SELECT stamp FROM many)),
      trimmed AS (SELECT o.id FROM oldest AS o JOIN cut ON o.stamp <= cut.stamp),
      changes AS (DELETE FROM ${new SqlName(schema, 'entia_change')}
        WHERE commit_id IN (SELECT id FROM trimmed)),
      older AS (SELECT c.id, c.stamp, c.at FROM h JOIN ${commit} AS c
        ON c.stamp > h.commits_until AND c.stamp <= h.changes_until
        JOIN ${storeRow(schema)} ON c.stamp < g.stamp
        ORDER BY c.stamp LIMIT ${TRIM_SIZE}::bigint),
      drop AS (SELECT max(o.stamp) AS stamp FROM older AS o
        WHERE o.at < now() - ${ID_HOURS}::double precision * interval '1 hour'),
      dropped AS (DELETE FROM ${commit} WHERE id IN
        (SELECT o.id FROM older AS o JOIN drop ON o.stamp <= drop.stamp) RETURNING 1),
      given_up AS (DELETE FROM ${commit} WHERE id IN (SELECT c.id FROM h JOIN ${commit} AS c
        ON c.stamp IS NULL AND c.at < now() - ${ID_HOURS}::double precision * interval '1 hour'
        LIMIT ${TRIM_SIZE}::bigint) RETURNING 1),
      marked AS (UPDATE ${history} AS t SET
        changes_until = greatest(t.changes_until, (SELECT stamp FROM cut)),
        commits_until = greatest(t.commits_until, (SELECT stamp FROM drop))
        FROM h)
      SELECT greatest((SELECT count(*) FROM trimmed), (SELECT count(*) FROM dropped),
        (SELECT count(*) FROM given_up))`),
  )
  return Number(rows[0]![0])
}
