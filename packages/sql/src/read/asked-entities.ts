import type { ClassModel } from '@entia/core'
import type { OrderBy, ReadFilter } from '@entia/core/kit'
import { classOf, type SelectionQuery } from '@entia/rest/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Window } from '../state/set-pieces.ts'
import { type Sql, sql } from '../text/sql.ts'
import type { RowsOf } from '../translate/joins.ts'
import { orderSql } from '../translate/order-sql.ts'
import { fromPlace, rootPlace, storedAt } from '../translate/place.ts'
import { isTranslatable, predicateSql } from '../translate/predicate-sql.ts'
import type { CallerFilters } from './caller-filters.ts'
import { type CountSql, readsOfAll } from './known-counts.ts'
import { ownerSql, visibleReference } from './owner-sql.ts'
import type { ReadContext } from './read-context.ts'

/** The entities that a query selects, of its dataclass as `t0`. */
export interface AskedEntities {
  readonly dataClass: ClassModel
  readonly filters: CallerFilters
  /** The table of the dataclass, with the members of an entity set as `m`. */
  readonly from: Sql
  /** Null if the filter has no SQL. */
  readonly where: Sql | null
  /** The bound filter with the row filters. */
  readonly bound: ReadFilter
  /** Null for the order of the entity set. */
  readonly orderBy: OrderBy | null
  /** The key of the entity whose relation is read: null if it does not exist. Null without one. */
  readonly owner: Sql | null
  /** Members of an entity set, those that were removed included; null if they are to be counted. */
  readonly size: number | null
  /** `from` with the members at some places only, where these are those of a page; else null. */
  readonly fromAt: ((window: Window) => Sql) | null
  /** The dataclasses that decide which entities these are; null if that is not known. */
  readonly reads: ReadonlySet<ClassModel> | null
  /** True for all entities of the dataclass. */
  readonly isAll: boolean
}

/** The parts of a query that determine its entities. */
export type Criteria = Pick<SelectionQuery, 'source' | 'filter' | 'orderBy' | 'saved'>

/**
 * The entities of a dataclass or a relation that a query selects. Throws the errors of its filter
 * and its order.
 */
export function askedEntities(
  model: SqlModel,
  filters: CallerFilters,
  { source, filter, orderBy, saved }: Criteria,
): AskedEntities {
  const dataClass = classOf(source)
  if (saved?.filter != null) filters.bind(dataClass, saved.filter)
  const bound = filters.bind(dataClass, filter)
  const order = orderBy === null ? (bound.orderBy ?? []) : filters.bindOrderBy(dataClass, orderBy)
  const at = rootPlace(model, dataClass)
  const where = whereOf(model, bound)
  const { predicate } = bound
  const asked = {
    dataClass,
    filters,
    from: fromPlace(at),
    fromAt: null,
    bound,
    orderBy: order,
    size: null,
  }
  if (source.kind !== 'related') {
    const isAll = predicate.kind === 'constant' && predicate.value
    return { ...asked, where, owner: null, isAll, reads: readsOfAll([[dataClass, predicate]]) }
  }
  const { relation, owner } = source
  const key = ownerSql(model, filters, owner, (place) => storedAt(place, owner.dataClass.key))
  return {
    ...asked,
    where: where && sql`${storedAt(at, relation.inverse.foreignKey)} = ${key} AND ${where}`,
    owner: key,
    isAll: false,
    reads: readsOfAll([
      [dataClass, predicate],
      [owner.dataClass, visibleReference(filters, owner)],
    ]),
  }
}

/** The condition of a filter; null if it has no SQL. */
export function whereOf(model: SqlModel, { dataClass, predicate }: ReadFilter): Sql | null {
  if (!isTranslatable(model, predicate)) return null
  return predicateSql(model, predicate, rootPlace(model, dataClass))
}

/** The entities of one page: what stands behind the columns of a SELECT. */
export function pagePart(
  { from, fromAt }: AskedEntities,
  where: Sql,
  { joins, by }: AskedOrder,
  { skip, top }: Window,
): Sql {
  if (fromAt !== null)
    return sql`FROM ${fromAt({ skip, top })} ${joins} WHERE ${where} ORDER BY ${by}`
  return sql`FROM ${from} ${joins} WHERE ${where} ORDER BY ${by} LIMIT ${top}::bigint OFFSET ${skip}::bigint`
}

/** How many entities these are: of a statement that has the row of the store as `g`. */
export function askedCount(
  { counts }: ReadContext,
  { dataClass, from, where, size, reads, isAll }: AskedEntities & { readonly where: Sql },
): CountSql {
  if (size !== null) return { column: sql`${size}::bigint`, read: (found) => Number(found) }
  const kept = isAll ? counts.ofClass(dataClass) : null
  return kept ?? counts.countOf(sql`FROM ${from} WHERE ${where}`, reads)
}

/** How a page finds its place: tables to join, and what stands behind ORDER BY. */
export interface AskedOrder {
  readonly joins: Sql
  readonly by: Sql
}

/** The order of the entities; null if it has no SQL. Removed members of a set come last. */
export function askedOrder(
  model: SqlModel,
  { dataClass, orderBy, size }: AskedEntities,
  rowsOf: RowsOf,
): AskedOrder | null {
  if (orderBy === null) return { joins: sql``, by: sql`m.n` }
  const order = orderSql(model, dataClass, orderBy, rowsOf)
  if (order === null || size === null) return order
  return { joins: order.joins, by: sql`m.is_removed, ${order.by}, m.n` }
}
