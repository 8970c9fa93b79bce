import type { RelationAttribute } from '@entia/core'
import {
  type Awaitable,
  andThen,
  classOf,
  type EntityReference,
  type Keeping,
  type PageAnswer,
  type PageQuery,
  type Projection,
  showsOnlyItself,
} from '@entia/engine'
import type { Parameters } from '../../request/parameters.ts'
import type { DataRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, refuseValues } from '../context/context.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import { cannotBeLoaded } from '../resolve/entity-key.ts'
import { keepingOf, refuseKeeping } from '../resolve/entity-set-source.ts'
import {
  behind,
  type Collection,
  collectionOf,
  followedRelation,
  orderOf,
  ownerMissing,
  planOf,
  requestedProjection,
  savedOf,
  selectionQuery,
} from '../resolve/selection-query.ts'
import { dashboardQuery, dashboardRows, dashboardSource, refuseDashboard } from './dashboard.ts'
import { answerGroups, refuseWithoutGroups } from './groups.ts'
import { readLive } from './live.ts'
import { answerAggregates, answerDistinct } from './read-values.ts'

/**
 * Answers a read: one entity, a selection, aggregates or distinct values, or whether two entity
 * sets intersect.
 */
export function read(
  target: DataTarget,
  request: DataRequest,
  context: HandleContext,
): Awaitable<Answer> {
  const { parameters } = request
  const collection = collectionOf(target, parameters, context)
  if (parameters.live) return readLive(collection, context)
  if (collection !== null) {
    const keep =
      parameters.method === null ? null : keepingOf(collection.source, parameters, context)
    if (parameters.format === 'dashboard') return readDashboard(collection, keep, context)
    if (parameters.logicOperator === 'INTERSECT') {
      if (keep !== null) refuseKeeping(parameters, 'whether two sets intersect')
      return readIntersects(collection, context)
    }
    refuseWithoutGroups(parameters)
    if (parameters.compute === null && !parameters.distinct && parameters.groupBy === null)
      return readPage(collection, keep, context)
    if (keep !== null) refuseKeeping(parameters, 'values')
    return readValues(collection, context)
  }
  refuseKeeping(parameters, 'one entity')
  refuseDashboard(parameters, 'one entity')
  const { dataClass, attributes } = target
  const { asArray } = parameters
  // One entity is not an array.
  const single = asArray ? { ...parameters, asArray: false } : parameters
  // An address that is not a collection names an entity.
  const relation = followedRelation(target, context)
  const inner = relation === null ? single : behind(relation, single)
  const list = relation === null ? attributes : null
  const shown = relation?.target ?? dataClass
  const projection = requestedProjection(shown, list, inner, context, asArray)
  return readOne(target.owner!, relation, projection, inner, context)
}

function readOne(
  reference: EntityReference,
  through: RelationAttribute | null,
  projection: Projection,
  parameters: Parameters,
  context: HandleContext,
): Awaitable<Answer> {
  const { engine, caller, limits } = context
  refuseValues(parameters, 'it takes a selection, not one entity')
  const query = {
    reference,
    through,
    filter: parameters.filter,
    withPlan: parameters.queryPlan,
    withPath: parameters.queryPath,
    projection,
    content: 'address' as const,
    // With permissions, a text form would be used once, and costs more than a record.
    textForm: caller.access === null ? context.textForm(projection, false) : null,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  return andThen(engine.readEntity(query, caller), (answer): Answer => {
    if (answer === null)
      throw cannotBeLoaded(reference, parameters.filter === null ? null : notSelected(through))
    const { globalStamp, record, text } = answer
    // Text from the engine shows only the entity itself.
    const life =
      text !== null || showsOnlyItself(projection, caller.access === null) ? answer.life : null
    const plan = planOf(parameters, answer)
    return { kind: 'entity', projection, globalStamp, record, text, life, plan }
  })
}

/**
 * The message does not tell which of the two is true: the filter may be all that hides the entity.
 */
function notSelected(through: RelationAttribute | null): string {
  return `there is none, or $filter does not select ${through === null ? 'it' : `what its "${through.name}" leads to`}`
}

/** Aggregates, distinct values or groups of a collection. */
function readValues(collection: Collection, context: HandleContext): Promise<Answer> {
  const { attributes, parameters } = collection
  // An order of groups names members of their rows.
  const isGrouped = parameters.groupBy !== null
  const ordered = isGrouped
    ? { ...collection, parameters: { ...parameters, orderBy: null } }
    : collection
  const query = selectionQuery(ordered, context)
  const names = attributes ?? parameters.attributes ?? []
  if (parameters.groupBy !== null)
    return answerGroups(query, parameters.groupBy, parameters, attributes !== null, context)
  return parameters.compute !== null
    ? answerAggregates(query, names, parameters, context)
    : answerDistinct(query, names, parameters, context)
}

/** A page of a collection. The whole collection is kept as an entity set on request. */
function readPage(
  collection: Collection,
  keep: Keeping | null,
  context: HandleContext,
): Awaitable<Answer> {
  const { source, attributes, parameters } = collection
  const top = parameters.top ?? context.limits.defaultTop
  const projection = requestedProjection(classOf(source), attributes, parameters, context)
  const textForm = context.textForm(projection, parameters.asArray)
  const { skip: first, asArray: isArray } = parameters
  const requested = { projection, textForm, skip: first, top, keep }
  return andThen(findPage(collection, requested, context), (page): Answer => {
    const plan = planOf(parameters, page)
    return { kind: 'selection', projection, page, first, isArray, plan }
  })
}

/**
 * A page of a collection as rows of a table. Throws methodNotApplicable for results without rows,
 * and for a selection to be kept.
 */
async function readDashboard(
  collection: Collection,
  keep: Keeping | null,
  context: HandleContext,
): Promise<Answer> {
  const { attributes, parameters } = collection
  const { compute, distinct, groupBy, logicOperator, filter, skip } = parameters
  if (compute !== null || distinct || groupBy !== null) refuseDashboard(parameters, 'values')
  if (logicOperator === 'INTERSECT') refuseDashboard(parameters, 'whether two sets intersect')
  if (keep !== null) refuseDashboard(parameters, 'a selection that is kept as an entity set')
  const source = dashboardSource(collection.source)
  const dashboard = dashboardQuery(classOf(source), attributes, parameters, context)
  const top = parameters.top ?? context.limits.defaultTop
  const page = { projection: dashboard.projection, textForm: null, skip, top, keep: null }
  const answer = await findPage({ ...collection, source }, page, context)
  return {
    kind: 'dashboard',
    columns: dashboard.columns,
    rows: await dashboardRows(dashboard, answer.records, context.nextSlice),
    filtersApplied: filter !== null,
    count: answer.count,
    first: skip,
    plan: planOf(parameters, answer),
  }
}

/** Two sets intersect if they have a common member within the filter. */
async function readIntersects(collection: Collection, context: HandleContext): Promise<Answer> {
  const { source, parameters } = collection
  const projection = { dataClass: classOf(source), fields: [] }
  const answer = await findPage(
    collection,
    { projection, textForm: null, skip: 0, top: 0, keep: null },
    context,
  )
  return { kind: 'intersects', value: answer.count > 0, plan: planOf(parameters, answer) }
}

/** What a page shows of its collection. */
type PageRequest = Pick<PageQuery, 'projection' | 'textForm' | 'skip' | 'top' | 'keep'>

function findPage(
  collection: Collection,
  { projection, textForm, skip, top, keep }: PageRequest,
  context: HandleContext,
): Awaitable<PageAnswer> {
  const { engine, caller, limits } = context
  const { source, parameters } = collection
  // Member by member: spreading objects takes longer than reading the page's index.
  const query: PageQuery = {
    source,
    filter: parameters.filter,
    orderBy: orderOf(source, parameters, context),
    saved: savedOf(source, parameters, context),
    withPlan: parameters.queryPlan,
    withPath: parameters.queryPath,
    projection,
    textForm,
    skip,
    top,
    keep,
    withExplain: parameters.explain,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  return andThen(engine.readSelection(query, caller), (answer) => {
    if (answer === null) throw ownerMissing(source)
    return answer
  })
}
