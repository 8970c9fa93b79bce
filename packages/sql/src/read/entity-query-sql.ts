import type { ClassModel } from '@entia/core'
import type { OrderBy, ReadFilter } from '@entia/core/internal'
import { classOf, type SelectionQuery } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Window } from '../server-state/set-pieces.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { fromPlace, recordAt, rootPlace, storedAt } from '../translate/place.ts'
import { isTranslatable, predicateSql } from '../translate/predicate-sql.ts'
import type { MarkedPage } from './bookmarks.ts'
import type { CallerFilters } from './caller-filters.ts'
import { type CountSql, readsOfAll } from './known-counts.ts'
import { ownerSql, visibleReference } from './owner-sql.ts'
import type { ReadContext } from './read-context.ts'

/** The entities that a query selects, of its dataclass as `t0`. */
export interface EntityQuerySql {
  readonly dataClass: ClassModel
  readonly filters: CallerFilters
  /** The table of the dataclass, with the record numbers and places of an entity set as `m`. */
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
  /** True if `from` has the removed members of a set, which `m.is_removed` marks. */
  readonly hasRemoved: boolean
  /** True for members of an entity set, which `from` has as `m`. */
  readonly isSet: boolean
  /** True if `from` has only the entities of the requested page. */
  readonly isPage: boolean
  /** The dataclasses that decide which entities these are; null if that is not known. */
  readonly reads: ReadonlySet<ClassModel> | null
  /** True for all entities of the dataclass. */
  readonly isAll: boolean
}

/** One whose filter has SQL. */
export type TranslatedQuery = EntityQuerySql & { readonly where: Sql }

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
): EntityQuerySql {
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
    isSet: false,
    isPage: false,
    bound,
    orderBy: order,
    size: null,
    hasRemoved: false,
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

/** The statement of a page. */
export interface PageStatement {
  /** One row per entity: the global stamp, `owner`, the count, TRUE or FALSE, and `columns`. */
  readonly select: Sql
  readonly count: CountSql
  /** Takes the rows of a page with bookmarks; null for one without. */
  readonly marked: MarkedPage | null
}

/**
 * The statement of a page of entities that show some columns. There is one row, with null in the
 * place of TRUE or FALSE, if the page is empty. `hasBookmarks`: whether the page may begin behind
 * the end of an earlier one.
 */
export function pageStatement(
  context: ReadContext,
  asked: TranslatedQuery,
  order: AskedOrder,
  columns: Sql,
  window: Window,
  hasBookmarks = false,
): PageStatement {
  const { storeRow, bookmarks } = context
  const part = asked.isSet && asked.size === null ? foundFirst(context, asked, window) : null
  const count = part?.count ?? askedCount(context, asked)
  const marked =
    hasBookmarks && !asked.isSet
      ? bookmarks.pageOf(asked, asked.where, order, window, columns)
      : null
  const { where } = part?.asked ?? asked
  const page =
    marked?.join ??
    sql`LEFT JOIN LATERAL (SELECT TRUE, ${columns} ${pagePart(part?.asked ?? asked, where, order, window)}) AS p ON TRUE`
  const select = sql`SELECT g.stamp, ${asked.owner ?? sql`1`}, ${count.column}, p.* FROM ${storeRow} ${page}`
  return { count, marked, select: part === null ? select : sql`${part.before} ${select}` }
}

/** The members that are found, once for their number and their page: combining them takes long. */
function foundFirst(
  { model }: ReadContext,
  asked: TranslatedQuery,
  { skip, top }: Window,
): { readonly before: Sql; readonly count: CountSql; readonly asked: TranslatedQuery } {
  const at = rootPlace(model, asked.dataClass)
  const isPage = asked.orderBy === null
  const found = isPage
    ? sql`(SELECT f.rec, f.n FROM found f ORDER BY f.n LIMIT ${top}::bigint OFFSET ${skip}::bigint)`
    : sql`found`
  const { hasRemoved } = asked
  const joining = hasRemoved ? sql`LEFT JOIN` : sql`JOIN`
  const from = sql`${found} AS m ${joining} ${fromPlace(at)} ON ${recordAt(at)} = m.rec`
  const mark = hasRemoved ? sql`, m.is_removed` : sql``
  return {
    before: sql`WITH found AS MATERIALIZED (SELECT m.rec, m.n${mark} FROM ${asked.from} WHERE ${asked.where})`,
    count: { column: sql`(SELECT count(*) FROM found)`, read: Number },
    asked: { ...asked, from, isPage, where: sql`TRUE` },
  }
}

/** The entities of one page: what stands behind the columns of a SELECT. */
export function pagePart(
  { from, isPage }: EntityQuerySql,
  where: Sql,
  { joins, by }: AskedOrder,
  { skip, top }: Window,
): Sql {
  const entities = sql`FROM ${from} ${joins} WHERE ${where} ORDER BY ${by}`
  return isPage ? entities : sql`${entities} LIMIT ${top}::bigint OFFSET ${skip}::bigint`
}

/** How many entities these are: of a statement that has the row of the store as `g`. */
function askedCount(
  { counts }: ReadContext,
  { dataClass, from, where, size, reads, isAll }: TranslatedQuery,
): CountSql {
  if (size !== null) return { column: sql`${size}::bigint`, read: (found) => Number(found) }
  if (isAll) return counts.ofClass(dataClass)
  return counts.countOf(sql`FROM ${from} WHERE ${where}`, reads)
}

/** How a page finds its place: tables to join, and what stands behind ORDER BY. */
export interface AskedOrder {
  readonly joins: Sql
  readonly by: Sql
}

/** The order of the entities; null if it has no SQL. Removed members of a set come last. */
export function askedOrder(
  { model, pieces }: Pick<ReadContext, 'model' | 'pieces'>,
  { dataClass, filters, orderBy, hasRemoved }: EntityQuerySql,
): AskedOrder | null {
  if (orderBy === null) return { joins: sql``, by: sql`m.n` }
  const order = pieces.order({ model }, filters, dataClass, orderBy)
  if (order === null || !hasRemoved) return order
  return { joins: order.joins, by: sql`m.is_removed, ${order.by}, m.n` }
}
