import type { EntitySetLimits } from '@entia/core'
import { BYTES_PER_MEMBER } from '@entia/core/internal'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { isAlive } from './set-pieces.ts'
import type { StatePort } from './state-port.ts'
import { CHUNK_SIZE } from './tables.ts'

/** A set to create. */
export interface NewSet {
  readonly id: string
  readonly dataClass: string
  /** A query of record numbers, in the order of the members. */
  readonly records: Sql
  readonly sorted: boolean
  readonly lifetimeSeconds: number
  readonly owner: string | null
  readonly rule: string | null
}

/**
 * A statement that creates a set from a query, inside the database. One row: how many members the
 * query has, whether the set was created, and whether its owner is open. It creates nothing for
 * more members than fit or an owner that has ended. Its id must be new, or taken by `claimId`.
 *
 * Before, it drops the least recently used sets beyond the limits: first those of the owner, then
 * any. The members are an array for a moment, of 8 bytes each.
 */
export function insertSet(port: StatePort, limits: Required<EntitySetLimits>, set: NewSet): Sql {
  const { tables, time } = port
  const { id, dataClass, records, sorted, lifetimeSeconds, owner, rule } = set
  const seconds = sql`${lifetimeSeconds}::double precision`
  const maxMembers = Math.floor(limits.maxBytes / BYTES_PER_MEMBER)
  // The lock keeps the owner from ending between this look and the check of the foreign key.
  const openOwner =
    owner === null
      ? sql`SELECT NULL::text AS id`
      : sql`SELECT s.id FROM ${tables.session} s
          WHERE s.id = ${owner} AND s.expires > ${time()} FOR KEY SHARE`
  return sql`WITH owner AS MATERIALIZED (${openOwner}),
    members AS MATERIALIZED (SELECT ARRAY(${records}) AS recs),
    made AS (
      INSERT INTO ${tables.set} (id, class, size, sorted, lifetime, expires, owner, rule)
      SELECT ${id}, ${dataClass}, cardinality(m.recs), ${sorted}::boolean, ${seconds},
        ${time()} + ${seconds} * 1000, o.id, ${rule}::text
      FROM members m, owner o WHERE cardinality(m.recs) <= ${maxMembers}::bigint
      ON CONFLICT (id) DO UPDATE SET class = excluded.class, size = excluded.size,
        sorted = excluded.sorted, lifetime = excluded.lifetime, expires = excluded.expires,
        owner = excluded.owner, rule = excluded.rule, used = DEFAULT
      RETURNING size, owner),
    chunks AS (
      INSERT INTO ${tables.chunk} (id, chunk, recs)
      SELECT ${id}, c, m.recs[c * ${CHUNK_SIZE}::integer + 1:(c + 1) * ${CHUNK_SIZE}::integer]
      FROM made, members m,
        generate_series(0, (cardinality(m.recs) - 1) / ${CHUNK_SIZE}::integer) c
      WHERE made.size > 0),
    ${victims(port, limits)}
    SELECT cardinality(m.recs), EXISTS (SELECT FROM made), EXISTS (SELECT FROM owner)
    FROM members m`
}

/**
 * Statements that take the id of a set to create it again, in the same transaction: the old set
 * counts as expired from now on. The first one changes no row if the set belongs to another open
 * session. Transactions with the same id wait for each other.
 */
export function claimId(port: StatePort, { id, owner }: NewSet): readonly [Sql, Sql] {
  const { set, chunk } = port.tables
  return [
    sql`INSERT INTO ${set} AS e (id, class, size, sorted, lifetime, expires)
      VALUES (${id}, '', 0, false, 0, 0)
      ON CONFLICT (id) DO UPDATE SET expires = 0
        WHERE e.owner IS NULL OR e.owner = ${owner}::text OR NOT (${isAlive(port)})`,
    sql`DELETE FROM ${chunk} WHERE id = ${id}`,
  ]
}

/** The sets that make room for `made`. All sets are ranked only if there are too many. */
function victims(port: StatePort, limits: Required<EntitySetLimits>): Sql {
  const { set } = port.tables
  const bytes = (size: Sql): Sql => sql`greatest(1, ${size} * ${BYTES_PER_MEMBER}::bigint)::numeric`
  return sql`own AS MATERIALIZED (
      SELECT e.id FROM ${set} e JOIN made ON e.owner = made.owner WHERE ${isAlive(port)}
      ORDER BY e.used DESC OFFSET ${limits.maxPerSession - 1}::bigint),
    others AS NOT MATERIALIZED (
      SELECT e.id, e.size, e.used FROM ${set} e
      WHERE ${isAlive(port)} AND e.id NOT IN (SELECT id FROM own)),
    full_of AS MATERIALIZED (
      SELECT made.size FROM made, (SELECT count(*) AS sets,
        coalesce(sum(${bytes(sql`x.size`)}), 0) AS bytes FROM others x) s
      WHERE s.sets >= ${limits.max}::bigint
        OR s.bytes + ${bytes(sql`made.size`)} > ${limits.maxBytes}::bigint),
    ranked AS (
      SELECT x.id, row_number() OVER place AS number,
        sum(${bytes(sql`x.size`)}) OVER place AS bytes
      FROM others x WHERE EXISTS (SELECT FROM full_of)
      WINDOW place AS (ORDER BY x.used DESC)),
    dropped AS (
      DELETE FROM ${set} WHERE id IN (SELECT id FROM own UNION ALL
        SELECT r.id FROM ranked r, full_of f WHERE r.number >= ${limits.max}::bigint
          OR r.bytes + ${bytes(sql`f.size`)} > ${limits.maxBytes}::bigint))`
}
