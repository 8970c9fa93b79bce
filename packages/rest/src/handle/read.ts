import { type ClassModel, EntiaError, type RelationAttribute } from '@entia/core'
import type { Parameters } from '../request/parameters.ts'
import type { DataRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import { buildProjection } from './build-projection.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import type { EntityReference, PageQuery, SelectionQuery, SelectionSource } from './engine-door.ts'
import { referenceText } from './entity-key.ts'
import { isRelation } from './names.ts'
import { notApplicable } from './not-applicable.ts'
import { checkOrderBy } from './order-by.ts'
import type { Projection } from './projection.ts'
import { answerAggregates, answerDistinct } from './read-values.ts'
import { classOf, ownerMissing, planOf } from './selection-query.ts'

/** Answers a read: one entity, a selection, aggregates or distinct values. */
export async function read(target: DataTarget, request: DataRequest, context: HandleContext): Promise<Answer> {
  const { parameters } = request
  const { dataClass, owner, attributes, entitySetId } = target
  if (entitySetId !== null) throw notApplicable('$entityset', 'it is not supported by this version')
  if (owner === null) return readMany({ kind: 'all', dataClass }, attributes, parameters, context)
  const relation = attributes?.length === 1 ? relationOf(dataClass, attributes[0]!, context) : null
  if (relation === null)
    return readOne(owner, null, projectionOf(dataClass, attributes, parameters, context), parameters, context)
  return navigate(owner, relation, parameters, context)
}

function relationOf(dataClass: ClassModel, name: string, { caller }: HandleContext): RelationAttribute | null {
  const attribute = caller.names.find(dataClass, name)
  return attribute !== undefined && isRelation(attribute) ? attribute : null
}

/** `Company(1)/employees` and `Employee(7)/employer`: the relation is followed, parameters speak about its target. */
function navigate(
  owner: EntityReference,
  relation: RelationAttribute,
  parameters: Parameters,
  context: HandleContext,
): Promise<Answer> {
  const inner = { ...parameters, expand: expandBehind(relation.name, parameters.expand) }
  if (relation.kind === 'relatedEntities') return readMany({ kind: 'related', owner, relation }, null, inner, context)
  return readOne(owner, relation, projectionOf(relation.target, null, inner, context), inner, context)
}

/** `$expand=employees` names the relation that is followed anyway; `employees.employer` and `employer` speak of its target. */
function expandBehind(relation: string, expand: readonly string[]): readonly string[] {
  return expand
    .filter((path) => path !== relation)
    .map((path) => (path.startsWith(`${relation}.`) ? path.slice(relation.length + 1) : path))
}

function projectionOf(
  dataClass: ClassModel,
  list: readonly string[] | null,
  parameters: Parameters,
  { caller, limits }: HandleContext,
): Projection {
  return buildProjection(dataClass, {
    names: caller.names,
    attributes: list ?? parameters.attributes,
    expand: parameters.expand,
    plain: parameters.asArray,
    maxPathDepth: limits.maxPathDepth,
  })
}

async function readOne(
  reference: EntityReference,
  through: RelationAttribute | null,
  projection: Projection,
  parameters: Parameters,
  { door, caller, limits }: HandleContext,
): Promise<Answer> {
  for (const [isGiven, what] of [
    [parameters.compute !== null, '$compute'],
    [parameters.distinct, '$distinct'],
  ] as const)
    if (isGiven) throw new EntiaError('methodNotApplicable', { what, problem: 'it takes a selection, not one entity' })
  const query = {
    reference,
    through,
    filter: parameters.filter,
    withPlan: parameters.queryPlan,
    projection,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  const answer = await door.readEntity(query, caller)
  if (answer === null)
    throw new EntiaError('entityCannotBeLoaded', { dataClass: reference.dataClass.name, key: referenceText(reference) })
  const { globalStamp, record } = answer
  return { kind: 'entity', projection, globalStamp, record, plan: planOf(parameters, answer) }
}

/** A page of a selection, or its aggregates or distinct values. */
async function readMany(
  source: SelectionSource,
  list: readonly string[] | null,
  parameters: Parameters,
  context: HandleContext,
): Promise<Answer> {
  const { door, caller, limits } = context
  const dataClass = classOf(source)
  const query: SelectionQuery = {
    source,
    filter: parameters.filter,
    orderBy: orderOf(dataClass, parameters, context),
    withPlan: parameters.queryPlan,
  }
  const names = list ?? parameters.attributes ?? []
  if (parameters.compute !== null) return answerAggregates(query, names, parameters, context)
  if (parameters.distinct) return answerDistinct(query, names, parameters, context)
  const projection = projectionOf(dataClass, list, parameters, context)
  const page: PageQuery = {
    ...query,
    projection,
    skip: parameters.skip,
    top: parameters.top ?? limits.defaultTop,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  const answer = await door.readSelection(page, caller)
  if (answer === null) throw ownerMissing(source)
  const { globalStamp, count, records } = answer
  return {
    kind: 'selection',
    projection,
    globalStamp,
    count,
    first: parameters.skip,
    records,
    isArray: parameters.asArray,
    plan: planOf(parameters, answer),
  }
}

/** The order to apply; null where the filter ends in its own, which wins. Checked either way. */
function orderOf(dataClass: ClassModel, { orderBy, filter }: Parameters, context: HandleContext): string | null {
  if (orderBy === null) return null
  const checked = checkOrderBy(dataClass, orderBy, context)
  return filter?.hasOrder === true ? null : checked
}
