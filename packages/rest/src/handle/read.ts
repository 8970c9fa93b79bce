import { type ClassModel, EntiaError, type RelationAttribute } from '@entia/core'
import type { DataAddress } from '../request/address.ts'
import type { Parameters } from '../request/parameters.ts'
import type { RestRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import { buildProjection } from './build-projection.ts'
import type { HandleContext } from './context.ts'
import type { EntityReference, SelectionQuery, SelectionSource } from './engine-door.ts'
import { referenceText, toReference } from './entity-key.ts'
import { findAttribute, findDataClass, isRelation } from './names.ts'
import { checkOrderBy } from './order-by.ts'
import { isMediaAttribute, type Projection } from './projection.ts'
import { answerAggregates, answerDistinct } from './read-values.ts'
import { classOf, ownerMissing, planOf } from './selection-query.ts'

/** Answers a GET on data: one entity, a selection, aggregates or distinct values. */
export async function read(request: Extract<RestRequest, { kind: 'read' }>, context: HandleContext): Promise<Answer> {
  const { address, parameters } = request
  const dataClass = findDataClass(context.door.catalog(), address.dataClass)
  const list = attributeList(address, dataClass)
  if (address.selector === null) return readMany({ kind: 'all', dataClass }, list, parameters, context)
  const owner = toReference(dataClass, address.selector)
  const relation = list?.length === 1 ? relationOf(dataClass, list[0]!) : null
  refuseMedia(dataClass, list, parameters)
  if (relation === null)
    return readOne(owner, null, projectionOf(dataClass, list, parameters, context), parameters, context)
  return navigate(owner, relation, parameters, context)
}

/** The path's attribute list, or null. A path names either attributes or, later, functions and entity sets. */
function attributeList(address: DataAddress, dataClass: ClassModel): readonly string[] | null {
  const [part, ...more] = address.parts
  if (part === undefined) return null
  const entitySet = address.parts.find((each) => each.kind === 'entitySet')
  if (entitySet !== undefined || part.kind === 'entitySet')
    throw new EntiaError('methodNotApplicable', { what: '$entityset', problem: 'it is not supported by this version' })
  const [name] = part.names
  if (part.names.length === 1 && dataClass.functions.get(name!)?.exposed === true)
    throw new EntiaError('methodNotApplicable', {
      what: `Function "${name}"`,
      problem: 'calling functions is not supported by this version',
    })
  for (const each of part.names) refuseUnknown(dataClass, each)
  if (more.length > 0) throw new EntiaError('urlMalformed', { problem: 'a path holds one list of attributes' })
  return part.names
}

/** Unknown names in a path are 404 before anything else about the path is judged. */
function refuseUnknown(dataClass: ClassModel, path: string): void {
  buildProjection(dataClass, { attributes: [path], expand: [], plain: false, maxPathDepth: Number.MAX_SAFE_INTEGER })
}

/** The content of one image or BLOB. Its address alone is shown by the entity. */
function refuseMedia(dataClass: ClassModel, list: readonly string[] | null, { expand }: Parameters): void {
  const [name, ...more] = list ?? []
  const attribute = name === undefined || more.length > 0 ? undefined : findAttribute(dataClass, name)
  if (
    attribute === undefined ||
    isRelation(attribute) ||
    !isMediaAttribute(attribute) ||
    !expand.includes(attribute.name)
  )
    return
  throw new EntiaError('methodNotApplicable', {
    what: `Reading the content of "${name}"`,
    problem: 'it is not supported by this version',
  })
}

function relationOf(dataClass: ClassModel, name: string): RelationAttribute | null {
  const attribute = findAttribute(dataClass, name)
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
  { limits }: HandleContext,
): Projection {
  return buildProjection(dataClass, {
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
  { door, limits }: HandleContext,
): Promise<Answer> {
  for (const [isGiven, what] of [
    [parameters.compute !== null, '$compute'],
    [parameters.distinct, '$distinct'],
  ] as const)
    if (isGiven) throw new EntiaError('methodNotApplicable', { what, problem: 'it takes a selection, not one entity' })
  const answer = await door.readEntity({
    reference,
    through,
    filter: parameters.filter,
    withPlan: parameters.queryPlan,
    projection,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  })
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
  const { door, limits } = context
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
  const answer = await door.readSelection({
    ...query,
    projection,
    skip: parameters.skip,
    top: parameters.top ?? limits.defaultTop,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  })
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
function orderOf(dataClass: ClassModel, { orderBy, filter }: Parameters, { limits }: HandleContext): string | null {
  if (orderBy === null) return null
  const checked = checkOrderBy(dataClass, orderBy, limits)
  return filter?.hasOrder === true ? null : checked
}
