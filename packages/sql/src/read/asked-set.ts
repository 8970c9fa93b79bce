import { type ClassModel, EntiaError, type Session } from '@entia/core'
import {
  type Awaitable,
  type EntitySetSource,
  engineError,
  type SavedCriteria,
  type SetCombination,
} from '@entia/engine'
import type { SqlEntitySets } from '../server-state/entity-sets.ts'
import {
  combinedMembers,
  type FoundSet,
  type Members,
  noMembers,
  type Window,
} from '../server-state/set-pieces.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { fromPlace, recordAt, rootPlace } from '../translate/place.ts'
import type { CallerFilters } from './caller-filters.ts'
import {
  askedEntities,
  askedOrder,
  type Criteria,
  type EntityQuerySql,
  whereOf,
} from './entity-query-sql.ts'
import type { ReadContext } from './read-context.ts'

/** A query of an entity set, and what becomes of the set. */
export interface AskedSet {
  readonly asked: EntityQuerySql
  /** The id, if the query is about the whole set in its own order; else null. */
  readonly entitySetId: string | null
  /** The criteria of a set that had expired: it is created again, once the query has succeeded. */
  readonly remade: EntityQuerySql | null
}

export interface SetContext extends ReadContext {
  readonly sets: SqlEntitySets
}

const SET_ID = /^[0-9A-F]{32}$/i

const orRemoved = (where: Sql, rule: string | null): Sql =>
  rule === null ? sql`TRUE` : sql`(m.is_removed OR ${where})`

/** A set with its members, where it is there. */
interface ReadSet {
  readonly set: FoundSet
  readonly members: Members
}

/**
 * The entities of a set that a query selects: one round trip, which also renews the sets. `wanted`:
 * the window of the only page that will be read; `whole` for all members; null for questions about
 * values, which removed members do not have. Throws entitySetNotFound, entitySetOfOtherClass,
 * otherCollectionInvalid and the errors of the filter.
 */
async function askedSet(
  context: SetContext,
  filters: CallerFilters,
  session: Session | null,
  source: EntitySetSource,
  { filter, orderBy, saved }: Criteria,
  wanted: Window | 'whole' | null,
): Promise<AskedSet> {
  const { model } = context
  const { dataClass, id, clean, combination } = source
  if (saved?.filter != null) filters.bind(dataClass, saved.filter)
  const isWhole = filter === null && !clean && combination === null
  const rule = filters.ruleOf(dataClass)
  const page = isWhole && rule === null && orderBy === null && wanted !== 'whole' ? wanted : null
  const found = id === null ? null : await readSet(context, session, dataClass, id, page)
  if (found !== null && found.set.dataClass !== dataClass.name)
    throw engineError('entitySetOfOtherClass', { id: shown(id!), dataClass: dataClass.name })
  const remade =
    id === null || found !== null ? null : remadeSet(context, filters, dataClass, id, saved)
  const isInOrder = orderBy === null || (remade !== null && orderBy === saved?.orderBy)
  const own = remade === null ? (found?.members ?? noMembers) : criteriaMembers(context, remade)
  const members = await combined(context, session, dataClass, own ?? noMembers, combination)
  const bound = filters.bind(dataClass, filter)
  // A caller sees that a member was removed only if its own row filter had selected it.
  const hasRemoved =
    isWhole && wanted !== null && found !== null && (rule === null || rule === found.set.rule)
  const at = rootPlace(model, dataClass)
  const where = whereOf(model, bound)
  const table = fromPlace(at)
  /** With the members that were removed. */
  const placed = sql`(SELECT x.rec, x.n, r._rec IS NULL AS is_removed FROM (${members}) x LEFT JOIN ${at.table.name} r ON r._rec = x.rec) m LEFT JOIN ${table} ON ${recordAt(at)} = m.rec`
  return {
    asked: {
      dataClass,
      filters,
      from: hasRemoved ? placed : sql`(${members}) m JOIN ${table} ON ${recordAt(at)} = m.rec`,
      where: own === null ? null : hasRemoved && where !== null ? orRemoved(where, rule) : where,
      bound,
      orderBy: isInOrder ? bound.orderBy : filters.bindOrderBy(dataClass, orderBy!),
      owner: null,
      size: hasRemoved && rule === null ? found.set.size : null,
      hasRemoved,
      isSet: true,
      isPage: hasRemoved && page !== null,
      // A set may be created again with other members.
      reads: null,
      isAll: false,
    },
    entitySetId: isWhole && isInOrder ? (id?.toUpperCase() ?? null) : null,
    remade,
  }
}

/** The entities that a query selects. `wanted`, and what it throws: as `askedSet`. */
export function askedBy(
  context: SetContext,
  filters: CallerFilters,
  session: Session | null,
  query: Criteria,
  wanted: Window | 'whole' | null,
): Awaitable<AskedSet> {
  const { source } = query
  if (source.kind === 'entitySet') return askedSet(context, filters, session, source, query, wanted)
  return { asked: askedEntities(context.model, filters, query), entitySetId: null, remade: null }
}

/** A set that the session finds, renewed; null if it is not there. */
async function readSet(
  { sets }: SetContext,
  session: Session | null,
  dataClass: ClassModel,
  id: string,
  window: Window | null = null,
): Promise<ReadSet | null> {
  const set = await sets.get(id, session, dataClass.name)
  if (set === undefined) return null
  if (set.dataClass !== dataClass.name) return { set, members: noMembers }
  return { set, members: sets.members(set, window ?? undefined) }
}

/** The criteria of an expired set, if the request has them. */
function remadeSet(
  { model }: SetContext,
  filters: CallerFilters,
  dataClass: ClassModel,
  id: string,
  saved: SavedCriteria | null,
): EntityQuerySql {
  if (saved === null || saved.keep === null || !SET_ID.test(id))
    throw new EntiaError('entitySetNotFound', { id: shown(id) })
  const source = { kind: 'all', dataClass } as const
  const { filter, orderBy } = saved
  return askedEntities(model, filters, { source, filter, orderBy, saved: null })
}

/** The members that criteria select, with their places; null if the criteria have no SQL. */
function criteriaMembers(context: SetContext, asked: EntityQuerySql): Members | null {
  const records = recordsOf(context, asked)
  if (records === null) return null
  return sql`SELECT r._rec AS rec, row_number() OVER () AS n FROM (${records}) r`
}

/** The record numbers of entities in their order, as a query; null if a part has no SQL. */
export function recordsOf(context: ReadContext, asked: EntityQuerySql): Sql | null {
  const { dataClass, from, where, hasRemoved } = asked
  const order = askedOrder(context, asked)
  if (where === null || order === null) return null
  const record = hasRemoved ? sql`m.rec` : recordAt(rootPlace(context.model, dataClass))
  return sql`SELECT ${record} FROM ${from} ${order.joins} WHERE ${where} ORDER BY ${order.by}`
}

/** The set to combine with: all problems with it are the same error. */
async function combined(
  context: SetContext,
  session: Session | null,
  dataClass: ClassModel,
  own: Members,
  combination: SetCombination | null,
): Promise<Members> {
  if (combination === null) return own
  const { operator, other } = combination
  const found = other === null ? null : await readSet(context, session, dataClass, other)
  if (other !== null && found?.set.dataClass !== dataClass.name)
    throw engineError('otherCollectionInvalid', { id: shown(other), dataClass: dataClass.name })
  return combinedMembers(own, operator, found?.members ?? noMembers, found?.set.size ?? 0)
}

/** An id, short enough for a message. */
const shown = (id: string): string => id.slice(0, 40)
