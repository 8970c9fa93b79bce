import { type ClassModel, EntiaError, type RelationAttribute } from '@entia/core'
import { buildProjection } from '../../engine/build-projection.ts'
import type { FilterAnswer, PageAnswer } from '../../engine/engine.ts'
import { isRelation } from '../../engine/names.ts'
import type { Projection } from '../../engine/projection.ts'
import {
  classOf,
  type SavedCriteria,
  type SelectionQuery,
  type SelectionSource,
} from '../../engine/selection-source.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { PlanAnswer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { notApplicable } from '../context/not-applicable.ts'
import type { DataTarget } from './data-target.ts'
import { cannotBeLoaded } from './entity-key.ts'
import { entitySetSource, keepingAgain } from './entity-set-source.ts'
import { checkOrderBy } from './order-by.ts'

/** Many entities, as an address names them. */
export interface Collection {
  readonly source: SelectionSource
  /** The path's attribute list; null where it has none, or where the list was the relation that is followed. */
  readonly attributes: readonly string[] | null
  /** Behind a relation they speak about its target. */
  readonly parameters: Parameters
}

/** The collection that an address names: a dataclass, an entity set, a to-many relation of an entity; null for one entity. */
export function collectionOf(target: DataTarget, parameters: Parameters, context: HandleContext): Collection | null {
  const { dataClass, owner, attributes } = target
  const set = entitySetSource(target, parameters)
  if (set !== null) return { source: set, attributes, parameters }
  if (owner === null) return { source: { kind: 'all', dataClass }, attributes, parameters }
  const relation = followedRelation(target, context)
  if (relation?.kind !== 'relatedEntities') return null
  const source = { kind: 'related', owner, relation } as const
  return { source, attributes: null, parameters: behind(relation, parameters) }
}

/** The relation that `Company(1)/employees` and `Employee(7)/employer` follow, or null. */
export function followedRelation({ dataClass, owner, attributes }: DataTarget, context: HandleContext) {
  if (owner === null || attributes?.length !== 1) return null
  const attribute = context.caller.names.find(dataClass, attributes[0]!)
  return attribute !== undefined && isRelation(attribute) ? attribute : null
}

/**
 * Parameters as they speak about what a relation leads to: `$expand=employees` names the relation that is followed anyway,
 * `employees.employer` and `employer` its target.
 */
export function behind({ name }: RelationAttribute, parameters: Parameters): Parameters {
  const expand = parameters.expand
    .filter((path) => path !== name)
    .map((path) => (path.startsWith(`${name}.`) ? path.slice(name.length + 1) : path))
  return { ...parameters, expand }
}

/** What is asked of a collection: its filter and its order, which are checked. Throws what `checkOrderBy` throws. */
export function selectionQuery({ source, parameters }: Collection, context: HandleContext): SelectionQuery {
  return {
    source,
    filter: parameters.filter,
    orderBy: orderOf(source, parameters, context),
    saved: savedOf(source, parameters, context),
    withPlan: parameters.queryPlan,
    withPath: parameters.queryPath,
  }
}

/**
 * The order to apply; null where the filter ends in its own, which wins. Every order that was given is checked. The saved one
 * orders a live set as `$orderby` would.
 */
function orderOf(source: SelectionSource, parameters: Parameters, context: HandleContext): string | null {
  const { orderBy, subOrderBy, filter, method } = parameters
  if (subOrderBy !== null && source.kind !== 'related' && method !== 'subentityset')
    throw notApplicable('$subOrderby', 'it orders related entities')
  const sub = checkedOrder(source, subOrderBy, context)
  const own = checkedOrder(source, orderBy, context)
  const order = sub ?? own ?? (source.kind === 'entitySet' ? savedOrder(source, parameters, context) : null)
  return order === null || filter?.hasOrder === true ? null : order
}

/** What a set that is gone is made of again; elsewhere it is only checked. */
function savedOf(source: SelectionSource, parameters: Parameters, context: HandleContext): SavedCriteria | null {
  const { savedFilter: filter, savedOrderBy } = parameters
  if (filter === null && savedOrderBy === null) return null
  // An order alone does not say what a set held: without a filter it is not made again.
  const keep = source.kind === 'entitySet' && filter !== null ? keepingAgain(parameters, context) : null
  return { filter, orderBy: savedOrder(source, parameters, context), keep }
}

function savedOrder(source: SelectionSource, { savedFilter, savedOrderBy }: Parameters, context: HandleContext) {
  const checked = checkedOrder(source, savedOrderBy, context)
  return checked === null || savedFilter?.hasOrder === true ? null : checked
}

function checkedOrder(source: SelectionSource, text: string | null, context: HandleContext): string | null {
  return text === null ? null : checkOrderBy(classOf(source), text, context)
}

/** What was asked to be told of the filter, and of how a page was found; null where nothing was. Throws methodNotApplicable. */
export function planOf(
  { queryPlan, queryPath, explain }: Parameters,
  answer: FilterAnswer | PageAnswer,
): PlanAnswer | null {
  if (!queryPlan && !queryPath && !explain) return null
  if (explain && !('explain' in answer)) throw notApplicable('$explain', 'it tells how a page of entities was found')
  return {
    plan: queryPlan ? { condition: answer.condition } : null,
    path: queryPath ? { trace: answer.trace } : null,
    explain: 'explain' in answer ? answer.explain : null,
  }
}

/** The error for a relation of an entity that does not exist. */
export function ownerMissing(source: SelectionSource): EntiaError {
  if (source.kind !== 'related') return new EntiaError('dataClassNotFound', { dataClass: source.dataClass.name })
  return cannotBeLoaded(source.owner)
}

/** What a reader asks to see of a dataclass; the path's list wins over `$attributes`. Throws what `buildProjection` throws. */
export function requestedProjection(
  dataClass: ClassModel,
  list: readonly string[] | null,
  parameters: Parameters,
  { caller, limits }: HandleContext,
  expandSelects: boolean = parameters.asArray,
): Projection {
  return buildProjection(dataClass, {
    names: caller.names,
    attributes: list ?? parameters.attributes,
    expand: parameters.expand,
    plain: parameters.asArray,
    expandSelects,
    maxPathDepth: limits.maxPathDepth,
  })
}
