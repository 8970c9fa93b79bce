import type { ClassModel } from '@entia/core'
import { type Scalar, storedKey } from '@entia/core/internal'
import { SharedTrips, type Waiting } from '../connect/turns.ts'
import type { SharedPool } from '../measure/measured-pool.ts'
import { isOneOf } from '../schema/bound-values.ts'
import { keyOf, writtenTypes } from '../schema/row-codec.ts'
import { listed, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import {
  columnOf,
  comparedAt,
  fromPlace,
  recordAt,
  rootPlace,
  storedAt,
} from '../translate/place.ts'
import type { ReadContext } from './read-context.ts'
import type { RecordSql } from './record-sql.ts'

type Rows = readonly (readonly unknown[])[]

/** Statements of a group that are on their way at the same time. */
const MAX_UNDER_WAY = 2
/** Entities that one of them reads. */
const MAX_KEYS = 64

/**
 * Reads of entities by their keys, all with the same content. Those that come while others are on
 * their way share a statement: a round trip costs a process and the database several times as much
 * as a row. One that comes alone is sent at once. Each gets the rows of the statement of one
 * entity: the global stamp, two columns for its owner, the record number (null if there is none)
 * and the content.
 */
type EntityGroup = (key: Scalar) => Promise<Rows>

function entityGroup(
  { shared, model, storeRow, after }: ReadContext,
  dataClass: ClassModel,
  record: RecordSql,
): EntityGroup {
  const at = rootPlace(model, dataClass)
  const key = columnOf(at, dataClass.key)
  const compared = comparedAt(at, dataClass.key)
  const columns = sql`${recordAt(at)}, ${listed(record.columns)}, ${storedAt(at, dataClass.key)}`
  const keyIn = (row: readonly unknown[]): unknown => {
    const value = row.at(-1)
    return typeof value === 'string' ? keyOf(key, value) : value
  }
  const send = async (group: readonly Waiting<Scalar, Rows>[]): Promise<void> => {
    const keys = [...new Set(group.map(({ item }) => item))]
    const found = sql`SELECT ${columns} FROM ${fromPlace(at)} WHERE ${isOneOf(compared, writtenTypes(key)[0]!, keys)}`
    const select = sql`SELECT g.stamp, 1, 1, e.* FROM ${storeRow} LEFT JOIN LATERAL (${found}) AS e ON TRUE`
    const { rows } = await shared.pool.query(statementOf(select))
    const byKey = new Map(rows.map((row) => [keyIn(row), row]))
    const absent = [rows[0]![0], 1, 1, null]
    for (const { item, resolve } of group) resolve([byKey.get(item) ?? absent])
  }
  const trips = new SharedTrips<Scalar, Rows>({
    after,
    most: MAX_UNDER_WAY,
    take: (waiting) => [waiting.slice(0, MAX_KEYS), waiting.slice(MAX_KEYS)],
    send,
  })
  return (one) => shared.joined(() => trips.join(one))
}

const groups = new WeakMap<SharedPool, WeakMap<RecordSql, EntityGroup>>()

/**
 * Reads the entity with a key together with others that have the same content. Null for a key that
 * no row can have, and on a replica. See `EntityGroup`.
 */
export function readInGroup(
  context: ReadContext,
  dataClass: ClassModel,
  record: RecordSql,
  given: string | number,
): Promise<Rows> | null {
  const column = columnOf(rootPlace(context.model, dataClass), dataClass.key)
  const stored = storedKey(dataClass, given)
  const key = typeof stored === 'string' ? keyOf(column, stored) : stored
  if (key === null || !canHold(column.kind, key) || context.lowest !== undefined) return null
  let ofPool = groups.get(context.shared)
  if (ofPool === undefined) groups.set(context.shared, (ofPool = new WeakMap()))
  let group = ofPool.get(record)
  if (group === undefined) ofPool.set(record, (group = entityGroup(context, dataClass, record)))
  return group(key)
}
