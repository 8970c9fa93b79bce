import { type ClassModel, EntiaError, type Session } from '@entia/core'
import {
  type EntitySetSource,
  restError,
  type SavedCriteria,
  type SetCombination,
} from '@entia/rest/engine'
import type { SqlEntitySets } from '../state/entity-sets.ts'
import {
  combinedMembers,
  type FoundSet,
  type Members,
  membersOf,
  noMembers,
} from '../state/set-pieces.ts'
import type { StatePort } from '../state/state-port.ts'
import { type Sql, sql } from '../text/sql.ts'
import { fromPlace, recordAt, rootPlace } from '../translate/place.ts'
import {
  type AskedEntities,
  askedEntities,
  askedOrder,
  type Criteria,
  whereOf,
} from './asked-entities.ts'
import type { CallerFilters } from './caller-filters.ts'
import type { ReadContext } from './read-context.ts'

/** A query of an entity set, and what becomes of the set. */
export interface AskedSet {
  readonly asked: AskedEntities
  /** The id, if the query is about the whole set in its own order; else null. */
  readonly entitySetId: string | null
  /** The criteria of a set that had expired: it is created again, once the query has succeeded. */
  readonly remade: AskedEntities | null
}

export interface SetContext extends ReadContext {
  readonly sets: SqlEntitySets
  readonly state: StatePort
}

const SET_ID = /^[0-9A-F]{32}$/i

/**
 * The entities of a set that a query selects: one round trip, which also renews the sets. Throws
 * entitySetNotFound, entitySetOfOtherClass, otherCollectionInvalid and the errors of the filter.
 */
export async function askedSet(
  context: SetContext,
  filters: CallerFilters,
  session: Session | null,
  source: EntitySetSource,
  { filter, orderBy, saved }: Criteria,
): Promise<AskedSet> {
  const { model, sets } = context
  const { dataClass, id, clean, combination } = source
  if (saved?.filter != null) filters.bind(dataClass, saved.filter)
  const found = id === null ? undefined : await sets.get(id, session, dataClass.name)
  if (found !== undefined && found.dataClass !== dataClass.name)
    throw restError('entitySetOfOtherClass', { id: shown(id!), dataClass: dataClass.name })
  const remade =
    id === null || found !== undefined ? null : remadeSet(context, filters, dataClass, id, saved)
  const isInOrder = orderBy === null || (remade !== null && orderBy === saved?.orderBy)
  const own = remade === null ? setMembers(context, id, found) : criteriaMembers(context, remade)
  const members = await combined(context, session, dataClass, own ?? noMembers, combination)
  const bound = filters.bind(dataClass, filter)
  const isWhole = filter === null && !clean && combination === null
  const hasRemoved = isWhole && filters.rowsOf(dataClass) === null && found !== undefined
  const at = rootPlace(model, dataClass)
  const table = fromPlace(at)
  /** With the members that were removed. */
  const placed = (members: Members): Sql =>
    sql`(SELECT x.rec, x.n, r._rec IS NULL AS is_removed FROM (${members}) x LEFT JOIN ${at.table.name} r ON r._rec = x.rec) m LEFT JOIN ${table} ON ${recordAt(at)} = m.rec`
  const order = isInOrder ? bound.orderBy : filters.bindOrderBy(dataClass, orderBy!)
  return {
    asked: {
      dataClass,
      filters,
      from: hasRemoved
        ? placed(members)
        : sql`(${members}) m JOIN ${table} ON ${recordAt(at)} = m.rec`,
      where: own === null ? null : hasRemoved ? sql`TRUE` : whereOf(model, bound),
      bound,
      orderBy: order,
      owner: null,
      size: hasRemoved ? found.size : null,
      fromAt:
        hasRemoved && order === null
          ? (window) => placed(membersOf(context.state, found.id, window))
          : null,
      // A set may be created again with other members.
      reads: null,
      isAll: false,
    },
    entitySetId: isWhole && isInOrder ? (id?.toUpperCase() ?? null) : null,
    remade,
  }
}

/** The criteria of an expired set, if the request has them. */
function remadeSet(
  { model }: SetContext,
  filters: CallerFilters,
  dataClass: ClassModel,
  id: string,
  saved: SavedCriteria | null,
): AskedEntities {
  if (saved === null || saved.keep === null || !SET_ID.test(id))
    throw new EntiaError('entitySetNotFound', { id: shown(id) })
  const source = { kind: 'all', dataClass } as const
  const { filter, orderBy } = saved
  return askedEntities(model, filters, { source, filter, orderBy, saved: null })
}

const setMembers = (
  { state }: SetContext,
  id: string | null,
  found: FoundSet | undefined,
): Members => (id === null || found === undefined ? noMembers : membersOf(state, id))

/** The members that criteria select, with their places; null if the criteria have no SQL. */
function criteriaMembers(context: SetContext, asked: AskedEntities): Members | null {
  const records = recordsOf(context, asked)
  if (records === null) return null
  return sql`SELECT r._rec AS rec, row_number() OVER () AS n FROM (${records}) r`
}

/** The record numbers of entities in their order, as a query; null if a part has no SQL. */
export function recordsOf({ model }: ReadContext, asked: AskedEntities): Sql | null {
  const { dataClass, from, where, filters } = asked
  const order = askedOrder(model, asked, filters.rowsOf)
  if (where === null || order === null) return null
  return sql`SELECT ${recordAt(rootPlace(model, dataClass))} FROM ${from} ${order.joins} WHERE ${where} ORDER BY ${order.by}`
}

/** The set to combine with: all problems with it are the same error. */
async function combined(
  { sets, state }: SetContext,
  session: Session | null,
  dataClass: ClassModel,
  own: Members,
  combination: SetCombination | null,
): Promise<Members> {
  if (combination === null) return own
  const { operator, other } = combination
  const found = other === null ? undefined : await sets.get(other, session, dataClass.name)
  if (other !== null && found?.dataClass !== dataClass.name)
    throw restError('otherCollectionInvalid', { id: shown(other), dataClass: dataClass.name })
  const second = other === null ? noMembers : membersOf(state, other)
  return combinedMembers(own, operator, second)
}

/** An id, short enough for a message. */
const shown = (id: string): string => id.slice(0, 40)
