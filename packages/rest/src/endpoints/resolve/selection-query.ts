import { type ClassModel, EntiaError, type RelationAttribute, splitOrder } from '@entia/core'
import {
  buildProjection,
  classOf,
  type FilterAnswer,
  isRelation,
  type PageAnswer,
  type Projection,
  type SavedCriteria,
  type SelectionQuery,
  type SelectionSource,
  typeOf,
} from '@entia/engine'
import { refuseOver } from '../../request/limits.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { PlanAnswer } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import { type DataTarget, knownPath } from './data-target.ts'
import { cannotBeLoaded } from './entity-key.ts'
import { entitySetSource, keepingAgain } from './entity-set-source.ts'

/** Orders that are not checked again, and the length of one with what it was checked for. */
const MAX_KNOWN_ORDERS = 256
const MAX_KNOWN_CHARACTERS = 512

/**
 * Checks an order: `path [asc|desc]`, several separated by commas; null is none. Returns the text
 * for the engine. Throws orderBySyntax, orderByInvalid around an unknown attribute,
 * attributeNotSortable, budgetExceeded.
 */
export function checkOrderBy(
  dataClass: ClassModel,
  text: string | null,
  context: HandleContext,
): string | null {
  if (text === null) return null
  const { limits } = context
  const { orders } = context.caller.names
  // Names hold no blanks.
  const asked = `${dataClass.name} ${limits.maxSortKeys} ${limits.maxPathDepth} ${text}`
  if (orders.has(asked)) return text
  const terms = splitOrder(text, null)
  refuseOver(terms.length, 'terms of an order', 'maxSortKeys', limits)
  for (const { path } of terms) refuseUnsortable(dataClass, path, context)
  if (asked.length > MAX_KNOWN_CHARACTERS) return text
  if (orders.size >= MAX_KNOWN_ORDERS) orders.clear()
  orders.add(asked)
  return text
}

/** True for `relevance` where the caller knows a text with an index of its words. */
const namesRelevance = (
  dataClass: ClassModel,
  path: string,
  { caller: { names } }: HandleContext,
): boolean =>
  path === 'relevance' &&
  !dataClass.attributes.has(path) &&
  dataClass.storage.some(({ words, name }) => words && names.find(dataClass, name) !== undefined)

function refuseUnsortable(dataClass: ClassModel, path: string, context: HandleContext): void {
  // The engine refuses it where there are no scores.
  if (namesRelevance(dataClass, path, context)) return
  const { steps, attribute, properties } = knownPath(dataClass, path, context, 'orderByInvalid')
  const isPlain =
    !isRelation(attribute) &&
    !['image', 'blob'].includes(typeOf(attribute)) &&
    (typeOf(attribute) !== 'object' || properties.length > 0)
  if (isPlain && steps.every((step) => step.kind === 'relatedEntity')) return
  throw new EntiaError('attributeNotSortable', {
    dataClass: dataClass.name,
    attribute: path.slice(0, 100),
    remedy: 'Name a plain value, reached through to-one relations only.',
  })
}

/** A collection of entities, as an address names it. */
export interface Collection {
  readonly source: SelectionSource
  /** The path's attribute list; null if it has none, or if it was the followed relation. */
  readonly attributes: readonly string[] | null
  /** After a relation, they refer to its target. */
  readonly parameters: Parameters
}

/**
 * The collection that an address names: a dataclass, an entity set, or a to-many relation of an
 * entity. Null for one entity.
 */
export function collectionOf(
  target: DataTarget,
  parameters: Parameters,
  context: HandleContext,
): Collection | null {
  const { dataClass, owner, attributes, entitySetId } = target
  const set =
    entitySetId === null && parameters.logicOperator === null
      ? null
      : entitySetSource(target, parameters)
  if (set !== null) return { source: set, attributes, parameters }
  if (owner === null) return { source: { kind: 'all', dataClass }, attributes, parameters }
  const relation = followedRelation(target, context)
  if (relation?.kind !== 'relatedEntities') return null
  const source = { kind: 'related', owner, relation } as const
  return { source, attributes: null, parameters: behind(relation, parameters) }
}

/** The relation that `Company(1)/employees` or `Employee(7)/employer` follows, or null. */
export function followedRelation(
  { dataClass, owner, attributes }: DataTarget,
  context: HandleContext,
) {
  if (owner === null || attributes?.length !== 1) return null
  const attribute = context.caller.names.find(dataClass, attributes[0]!)
  return attribute !== undefined && isRelation(attribute) ? attribute : null
}

/**
 * Parameters relative to the target of a relation: `$expand=employees` names the followed relation
 * itself, `employees.employer` and `employer` a relation of its target.
 */
export function behind({ name }: RelationAttribute, parameters: Parameters): Parameters {
  const expand = parameters.expand
    .filter((path) => path !== name)
    .map((path) => (path.startsWith(`${name}.`) ? path.slice(name.length + 1) : path))
  return { ...parameters, expand }
}

/**
 * The query for a collection, with its filter and its checked order. Throws what `checkOrderBy`
 * throws.
 */
export function selectionQuery(
  { source, parameters }: Collection,
  context: HandleContext,
): SelectionQuery {
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
 * The order to apply; null if the filter ends in an order, which takes precedence. Every given
 * order is checked. On an existing set, the saved order acts like `$orderby`.
 */
export function orderOf(
  source: SelectionSource,
  parameters: Parameters,
  context: HandleContext,
): string | null {
  const { orderBy, subOrderBy, filter, method } = parameters
  if (subOrderBy !== null && source.kind !== 'related' && method !== 'subentityset')
    throw notApplicable('$subOrderby', 'it orders related entities')
  const sub = checkOrderBy(classOf(source), subOrderBy, context)
  const own = checkOrderBy(classOf(source), orderBy, context)
  const order =
    sub ?? own ?? (source.kind === 'entitySet' ? savedOrder(source, parameters, context) : null)
  return order === null || filter?.hasOrder === true ? null : order
}

/** The criteria that recreate an expired set; for other sources they are only checked. */
export function savedOf(
  source: SelectionSource,
  parameters: Parameters,
  context: HandleContext,
): SavedCriteria | null {
  const { savedFilter: filter, savedOrderBy } = parameters
  if (filter === null && savedOrderBy === null) return null
  // An order alone does not determine the members of a set, so it cannot recreate one.
  const keep =
    source.kind === 'entitySet' && filter !== null ? keepingAgain(parameters, context) : null
  return { filter, orderBy: savedOrder(source, parameters, context), keep }
}

function savedOrder(
  source: SelectionSource,
  { savedFilter, savedOrderBy }: Parameters,
  context: HandleContext,
) {
  const checked = checkOrderBy(classOf(source), savedOrderBy, context)
  return checked === null || savedFilter?.hasOrder === true ? null : checked
}

/**
 * The requested plan and path of the filter, and the explanation of the page; null if none was
 * requested. Throws methodNotApplicable.
 */
export function planOf(
  { queryPlan, queryPath, explain }: Parameters,
  answer: FilterAnswer | PageAnswer,
): PlanAnswer | null {
  if (!queryPlan && !queryPath && !explain) return null
  if (explain && !('explain' in answer))
    throw notApplicable('$explain', 'it explains how a page of entities was found')
  return {
    plan: queryPlan ? { condition: answer.condition } : null,
    path: queryPath ? { trace: answer.trace } : null,
    explain: 'explain' in answer ? answer.explain : null,
  }
}

/** The error for a relation of an entity that does not exist. */
export function ownerMissing(source: SelectionSource): EntiaError {
  if (source.kind !== 'related')
    return new EntiaError('dataClassNotFound', { dataClass: source.dataClass.name })
  return cannotBeLoaded(source.owner)
}

/**
 * The projection that a read requests; the path's list takes precedence over `$attributes`. Throws
 * what `buildProjection` throws.
 */
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
