import { type ClassModel, isEntiaError, type ToOneAttribute } from '@entia/core'
import { both, EVERYTHING, type Predicate } from '@entia/core/internal'
import {
  type EntityAnswer,
  EntityCounter,
  type EntityQuery,
  lifeOfRecord,
  lifeToken,
} from '@entia/engine'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { fromPlace, placeOf, recordAt, rootPlace, storedAt } from '../translate/place.ts'
import { isTranslatable, predicateSql } from '../translate/predicate-sql.ts'
import type { CallerFilters } from './caller-filters.ts'
import { readInGroup } from './entity-group.ts'
import { ownerExists, ownerSql, visibleReference } from './owner-sql.ts'
import { type ReadContext, stampIn } from './read-context.ts'
import type { RecordSql } from './record-sql.ts'

/** What an address of one entity leads to. */
export type FoundEntity = Pick<EntityAnswer, 'globalStamp' | 'record' | 'life'>

export interface EntitySql {
  readonly select: Sql
  readonly record: RecordSql
  /** Null if there is no such entity, or the filter does not select it. */
  read(rows: readonly (readonly unknown[])[]): FoundEntity | null
}

/**
 * The statement of one entity. Null if a part of it has no SQL. Throws the errors of its filter.
 */
function entitySql(
  context: ReadContext,
  filters: CallerFilters,
  query: EntityQuery,
): EntitySql | null {
  const { model, dataset, pieces, storeRow } = context
  const { reference, through, projection } = query
  const { dataClass } = projection
  const at = rootPlace(model, dataClass)
  const predicate = shownPredicate(filters, dataClass, query)
  const scope = { model, rowsOf: filters.rowsOf, relatedTop: query.relatedTop }
  const record = pieces.record(scope, filters, projection)
  if (record === null || !isTranslatable(model, predicate)) return null
  let where = predicateSql(model, predicate, at)
  let owner: Sql = sql`1`
  let leadsTo: Sql = sql`1`
  if (through !== null) {
    if (through.kind !== 'relatedEntity') return null
    owner = ownerSql(model, filters, reference, (place) => storedAt(place, reference.dataClass.key))
    leadsTo = targetSql(model, filters, query, through)
    where = sql`${storedAt(at, dataClass.key)} = ${leadsTo} AND ${where}`
  }
  const columns = listed(record.columns)
  const found = sql`SELECT ${recordAt(at)}, ${columns} FROM ${fromPlace(at)} WHERE ${where} ORDER BY ${recordAt(at)} LIMIT 1`
  return {
    select: sql`SELECT g.stamp, ${owner}, ${leadsTo}, e.* FROM ${storeRow} LEFT JOIN LATERAL (${found}) AS e ON TRUE`,
    record,
    read([row]) {
      const [stamp, ownerKey, targetKey, rec] = row!
      const globalStamp = stampIn(context, stamp)
      if (ownerKey === null) return null
      if (targetKey === null) return { globalStamp, record: null, life: null }
      if (rec === null) return null
      return {
        globalStamp,
        record: record.read(row!, 4, new EntityCounter(query)),
        life: lifeToken(dataset, lifeOfRecord(dataClass, Number(rec))),
      }
    },
  }
}

/** The key of the entity that a relation leads to, if the caller may see it. */
function targetSql(
  model: ReadContext['model'],
  filters: CallerFilters,
  { reference }: EntityQuery,
  { target, foreignKey }: ToOneAttribute,
): Sql {
  const key = ownerSql(model, filters, reference, (place) => storedAt(place, foreignKey))
  const rows = filters.rowsOf(target)
  if (rows === null) return key
  const there = placeOf(model, target, 'v', 0)
  return sql`(SELECT ${storedAt(there, target.key)} FROM ${fromPlace(there)} WHERE ${storedAt(there, target.key)} = ${key} AND ${predicateSql(model, rows, there)})`
}

function shownPredicate(
  filters: CallerFilters,
  dataClass: ClassModel,
  { reference, through, filter }: EntityQuery,
): Predicate {
  const own =
    through === null
      ? visibleReference(filters, reference)
      : (filters.rowsOf(dataClass) ?? EVERYTHING)
  if (filter === null) return own
  return both([own, filters.bind(dataClass, filter).predicate])
}

/**
 * One entity: one round trip. A filter that cannot be bound is an error only if the entity exists,
 * which is then looked up first.
 */
export async function readEntity(
  context: ReadContext,
  filters: CallerFilters,
  query: EntityQuery,
): Promise<FoundEntity | null | undefined> {
  let asked: EntitySql | null
  try {
    asked = entitySql(context, filters, query)
  } catch (error) {
    if (!isEntiaError(error) || query.filter === null) throw error
    const found = await readEntity(context, filters, { ...query, filter: null })
    if (found === null || found?.record === null) return found
    if (found === undefined && !(await ownerExists(context, filters, query.reference))) return null
    throw error
  }
  if (asked === null) return undefined
  const { reference, through, filter } = query
  // The content of callers with row filters is built for each request.
  const isShared = reference.kind === 'key' && !filters.restrictsRows
  const shared =
    isShared && through === null && filter === null
      ? readInGroup(context, reference.dataClass, asked.record, reference.key)
      : null
  const rows = shared ?? context.pool.query(statementOf(asked.select)).then(({ rows }) => rows)
  return asked.read(await rows)
}
