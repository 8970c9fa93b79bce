import type { ClassModel, EntiaError, LockOutcome, SessionInfo, UnlockOutcome } from '@entia/core'
import { serverStateError } from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { isOneOf } from '../schema/bound-values.ts'
import { keyOf } from '../schema/row-codec.ts'
import type { SqlModel, SqlTable } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { sessionColumns, sessionRow } from './session-pieces.ts'
import type { StatePort } from './state-port.ts'

type Port = Pick<StatePort, 'tables' | 'time'>

/** An entity to lock: at most one row of its table `t` satisfies the condition. */
export interface LockTarget {
  readonly table: SqlTable
  readonly where: Sql
}

/** A record that a session has locked. */
export interface LockedRecord {
  readonly dataClass: string
  readonly recordNumber: number
  readonly holder: SessionInfo
}

/**
 * A statement that finds the locks of other sessions, or of all for null. `records` is a query with
 * the columns class (text) and record number. The transaction must hold the rows of these records
 * before it sends this statement: a lock that is taken while the transaction waits for a row would
 * not be seen by the statement that waits.
 */
export const locksOfOthers = (port: Port, records: Sql, session: string | null): Sql =>
  sql`SELECT l.class, l.rec, ${sessionColumns(port)} FROM ${port.tables.lock} l
    JOIN ${port.tables.session} s ON s.id = l.session AND s.expires > ${port.time()}
    WHERE (l.class, l.rec) IN (${records}) AND l.session IS DISTINCT FROM ${session}::text
    ORDER BY l.class, l.rec`

/** The rows of `locksOfOthers`. */
export const lockedRecords = ({ rows }: SqlRows): readonly LockedRecord[] =>
  rows.map((row) => ({
    dataClass: row[0] as string,
    recordNumber: row[1] as number,
    holder: sessionRow(row, 2)!.info,
  }))

/** The refusal of a write to a locked entity. */
export const entityLocked = (
  { dataClass, recordNumber, holder }: LockedRecord,
  key: string | number,
): EntiaError =>
  serverStateError('entityLocked', { dataClass, key: String(key), recordNumber, holder })

/** A statement that drops the locks of records that the transaction removes. */
export const dropLocks = (
  { tables }: Pick<Port, 'tables'>,
  dataClass: string,
  records: readonly number[],
): Sql =>
  sql`DELETE FROM ${tables.lock} WHERE class = ${dataClass} AND ${isOneOf(sql`rec`, 'bigint', records)}`

/** Holds the row of an entity, so that writes to it and other locks of it wait. */
export const holdEntity = ({ table, where }: LockTarget): Sql =>
  sql`SELECT t._rec FROM ${table.name} t WHERE ${where} FOR NO KEY UPDATE`

/** The entity, and the open session that holds its lock: `lockState` reads the rows. */
export const findLock = (port: Port, { table, where }: LockTarget): Sql =>
  sql`SELECT t._rec, t._stamp, ${sessionColumns(port)} FROM ${table.name} t
    LEFT JOIN (${port.tables.lock} l JOIN ${port.tables.session} s
      ON s.id = l.session AND s.expires > ${port.time()})
      ON l.class = ${table.model.name} AND l.rec = t._rec
    WHERE ${where}`

/** An entity and its lock. */
export interface LockState {
  readonly recordNumber: number
  readonly stamp: number
  readonly holder: SessionInfo | null
}

/** The rows of `findLock`; null if the entity does not exist. */
export function lockState({ rows }: SqlRows): LockState | null {
  const row = rows[0]
  if (row === undefined) return null
  return {
    recordNumber: row[0] as number,
    stamp: row[1] as number,
    holder: sessionRow(row, 2)?.info ?? null,
  }
}

/**
 * Takes the lock if it is free. Send it in a transaction behind `holdSession` and `holdEntity`, in
 * a statement of its own. `takenLock` reads the rows. `stamp` is null if any will do.
 */
export function takeLock(
  port: Port,
  target: LockTarget,
  session: string,
  stamp: number | null,
  maxPerSession: number,
): Sql {
  const { tables, time } = port
  const { name } = target.table.model
  return sql`WITH found AS MATERIALIZED (${findLock(port, target)}),
    entity AS (SELECT f._rec AS rec, f._stamp AS stamp, f.id AS holder FROM found f),
    owner AS (SELECT s.id FROM ${tables.session} s
      WHERE s.id = ${session} AND s.expires > ${time()}),
    counted AS (SELECT count(*) AS locks FROM ${tables.lock} l WHERE l.session = ${session}),
    taken AS (
      INSERT INTO ${tables.lock} (class, rec, session)
      SELECT ${name}, e.rec, o.id FROM entity e, owner o, counted c
      WHERE e.holder IS NULL AND c.locks < ${maxPerSession}::bigint
        AND (${stamp}::bigint IS NULL OR e.stamp = ${stamp}::bigint)
      ON CONFLICT (class, rec) DO UPDATE SET session = excluded.session
      RETURNING rec)
    SELECT f.*, EXISTS (SELECT FROM taken) FROM found f`
}

/** The rows of `takeLock`. `full` is thrown if the session holds too many locks. */
export function takenLock(
  found: SqlRows,
  session: string,
  stamp: number | null,
  full: () => EntiaError,
): LockOutcome {
  const state = lockState(found)
  if (state === null) return { kind: 'absent' }
  const refusal = lockRefusal(state, session, stamp)
  if (refusal !== null) return refusal
  if (state.holder === null && found.rows[0]!.at(-1) !== true) throw full()
  return { kind: 'locked' }
}

/** Why a session cannot get the lock; null if it can. A null session holds no locks. */
export function lockRefusal(
  { recordNumber, stamp: stored, holder }: LockState,
  session: string | null,
  stamp: number | null,
): Exclude<LockOutcome, { readonly kind: 'locked' }> | null {
  if (holder !== null && holder.id !== session)
    return { kind: 'alreadyLocked', holder, recordNumber }
  return stamp !== null && stamp !== stored ? { kind: 'stampChanged', stored } : null
}

/** Releases the lock if the session holds it. `unlocked` reads the rows. */
export const releaseLock = (port: Port, target: LockTarget, session: string): Sql =>
  sql`WITH found AS MATERIALIZED (${findLock(port, target)}),
    released AS (DELETE FROM ${port.tables.lock} l USING found f
      WHERE l.class = ${target.table.model.name} AND l.rec = f._rec AND l.session = ${session})
    SELECT * FROM found`

/** The rows of `releaseLock`. */
export function unlocked(rows: SqlRows, session: string | null): UnlockOutcome {
  const state = lockState(rows)
  if (state === null) return { kind: 'absent' }
  const { holder, recordNumber } = state
  if (holder === null || holder.id === session) return { kind: 'unlocked' }
  return { kind: 'alreadyLocked', holder, recordNumber }
}

/** The row of an entity, for locks. */
export function lockTarget(
  model: SqlModel,
  dataClass: ClassModel,
  key: string | number,
): LockTarget {
  const table = model.tables[dataClass.ordinal]!
  const column = table.columns[dataClass.key.ordinal]!
  const value = typeof key === 'string' ? keyOf(column, key) : key
  return { table, where: sql`${new SqlName('t')}.${column.key} = ${value}` }
}
