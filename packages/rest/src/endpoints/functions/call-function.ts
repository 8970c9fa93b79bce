import { EntiaError, type StoreFunction } from '@entia/core'
import {
  type CallParameter,
  type CallTarget,
  findClassFunction,
  findFunction,
  permitCall,
  type ResultValue,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { AddressOf } from '../../request/address.ts'
import { type BodyEntity, parseJsonBody } from '../../request/body.ts'
import { isJsonObject, problemOfValue } from '../../request/json-text.ts'
import { refuseOver } from '../../request/limits.ts'
import type { Parameters } from '../../request/parameters.ts'
import { type DataRequest, type RestRequest, verbNotAllowed } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable, refuseGiven, refuseValues } from '../context/context.ts'
import { findUploads, type UploadsById } from '../media/media-write.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import { cannotBeLoaded, refuseConditions } from '../resolve/entity-key.ts'
import { keeping } from '../resolve/entity-set-source.ts'
import {
  behind,
  collectionOf,
  followedRelation,
  ownerMissing,
  requestedProjection,
  selectionQuery,
} from '../resolve/selection-query.ts'
import { toWriteItem } from '../write/write-item.ts'

/**
 * The arguments of a call: from the address if it has some, else from the body, or from `$params`
 * for a GET. A value that is not an array is a single argument. Throws bodyMalformed,
 * budgetExceeded, functionParameterInvalid, urlMalformed for arguments in both places.
 */
async function readParameters(
  { verb, body, parameters }: RestRequest,
  { name, sent: inAddress }: { readonly name: string; readonly sent: readonly unknown[] | null },
  context: HandleContext,
): Promise<readonly CallParameter[]> {
  const { limits } = context
  const { params, filter } = parameters
  if (verb !== 'GET' && filter === null && Object.keys(params ?? {}).length > 0)
    throw notApplicable('$params', `${verb} takes the parameters of a function from its body`)
  const sent = verb === 'GET' ? (params ?? undefined) : parseJsonBody(body, limits)
  if (inAddress !== null && sent !== undefined)
    throw restError('urlMalformed', {
      problem: `"${name}" has parameters in the address, and in ${verb === 'GET' ? '$params' : 'the body'}: remove one of them`,
    })
  const values = inAddress ?? (sent === undefined ? [] : Array.isArray(sent) ? sent : [sent])
  refuseOver(values.length, 'parameters of a function', 'maxParams', limits)
  const entities = values.map(membersOf).filter((members) => members.get('__ENTITY') === true)
  const uploads = await findUploads(entities, context)
  return values.map((value, at) => {
    const refuse = (problem: string, cause?: unknown) =>
      restError('functionParameterInvalid', { name, position: at + 1, problem }, { cause })
    const problem = problemOfValue(value, limits.maxJsonDepth)
    if (problem !== null) throw refuse(`${problem}.`)
    return toParameter(value, refuse, context, uploads)
  })
}

type Refuse = (problem: string, cause?: unknown) => EntiaError

function membersOf(value: unknown): BodyEntity {
  return new Map(isJsonObject(value) ? Object.entries(value) : [])
}

function toParameter(
  value: unknown,
  refuse: Refuse,
  context: HandleContext,
  uploads: UploadsById,
): CallParameter {
  const members = membersOf(value)
  if (members.get('__ENTITY') === true) return toEntity(members, refuse, context, uploads)
  if (members.get('__ENTITIES') === true) return toSelection(members, refuse)
  return { kind: 'json', value }
}

function toEntity(
  members: BodyEntity,
  refuse: Refuse,
  context: HandleContext,
  uploads: UploadsById,
): CallParameter {
  const { names } = context.caller
  const className = members.get('__DATACLASS') ?? members.get('__entityModel')
  if (typeof className !== 'string')
    throw refuse('an entity needs the name of its dataclass as __DATACLASS.')
  const dataClass = names.findDataClass(className)
  if (dataClass === undefined) {
    const cause = new EntiaError('dataClassNotFound', { dataClass: className.slice(0, 100) })
    throw refuse(cause.message, cause)
  }
  const { basePath } = context
  const sent = { names, dataClass, basePath, uploads, addressed: null, ifMatch: null }
  return { kind: 'entity', dataClass, item: toWriteItem(members, { ...sent, mode: 'update' }) }
}

/** `__DATASET` is the id or the address of an entity set. */
function toSelection(members: BodyEntity, refuse: Refuse): CallParameter {
  const dataSet = members.get('__DATASET')
  if (typeof dataSet !== 'string' || dataSet === '')
    throw refuse('a selection needs the id of an entity set as __DATASET.')
  const id = dataSet.split('/').at(-1)!
  const inAddress = dataSet.split('/').at(-3)
  const named = members.get('__DATACLASS') ?? inAddress ?? null
  if (named !== null && typeof named !== 'string')
    throw refuse('__DATACLASS is the name of a dataclass.')
  return { kind: 'selection', id, dataClass: named }
}

/** A call whose function was found and is allowed. */
interface Call {
  readonly target: CallTarget
  readonly name: string
  /** The function's owner, for messages. */
  readonly owner: string
  /** After a relation, they refer to its target. */
  readonly parameters: Parameters
  /** The path's attribute list: the attributes of the result to show. */
  readonly attributes: readonly string[] | null
  /** The arguments in the address; null if there are none. */
  readonly sent: readonly unknown[] | null
}

/**
 * Calls a function of a dataclass, a selection or an entity, depending on the address. Throws
 * functionNotFound, accessDenied, functionNotOnGet, functionFailed, entityCannotBeLoaded, and the
 * function's own refusal.
 */
export async function callClassFunction(
  target: DataTarget,
  name: string,
  request: DataRequest,
  context: HandleContext,
): Promise<Answer> {
  const { owner: reference, sent } = target
  const collection = collectionOf(target, request.parameters, context)
  const relation = followedRelation(target, context)
  const dataClass = relation?.target ?? target.dataClass
  const isWhole = reference === null && target.entitySetId === null
  const { found, owner } = findClassFunction(
    context.caller,
    dataClass,
    name,
    collection === null ? ['entity'] : isWhole ? ['selection', 'dataClass'] : ['selection'],
  )
  checkVerb(found, request, context)
  const call = { name, owner, sent }
  if (collection !== null && found.on === 'selection') {
    const { parameters, attributes } = collection
    const query = { ...selectionQuery(collection, context), withPlan: false }
    const target = { kind: 'selection', query } as const
    return carryOut({ ...call, target, parameters, attributes }, request, context)
  }
  refuseSelecting(request.parameters, found.on)
  const through = relation?.kind === 'relatedEntity' ? relation : null
  const parameters = relation === null ? request.parameters : behind(relation, request.parameters)
  const attributes = relation === null ? target.attributes : null
  // An address that is not a collection names an entity.
  const called: CallTarget =
    found.on === 'dataClass'
      ? { kind: 'dataClass', dataClass }
      : { kind: 'entity', reference: reference!, through }
  return carryOut({ ...call, target: called, parameters, attributes }, request, context)
}

/** Calls a function of the store. Throws what `callClassFunction` throws. */
export async function callStoreFunction(
  name: string,
  sent: readonly unknown[] | null,
  request: RestRequest,
  context: HandleContext,
): Promise<Answer> {
  const { functions } = context.caller.names.catalog
  const found = findFunction(functions, name, 'The datastore')
  permitCall(context.caller, null, name)
  const call = { target: { kind: 'store' }, name, owner: 'The datastore', sent } as const
  return callWhole(found, call, request, context)
}

/** Calls a function of a singleton. Throws what `callClassFunction` throws. */
export async function callSingletonFunction(
  request: RestRequest<AddressOf<'singleton'>>,
  context: HandleContext,
): Promise<Answer> {
  const { singleton, functionName: name, sent = null } = request.address
  const owner = `The singleton "${singleton.slice(0, 100)}"`
  const found = findFunction(context.caller.names.catalog.singletons.get(singleton), name, owner)
  permitCall(context.caller, null, `${singleton}.${name}`)
  const target = { kind: 'singleton', singleton } as const
  return callWhole(found, { target, name, owner, sent }, request, context)
}

/** Such functions have no selection, and attributes of results only by parameters. */
function callWhole(
  found: StoreFunction,
  call: Omit<Call, 'parameters' | 'attributes'>,
  request: RestRequest,
  context: HandleContext,
): Promise<Answer> {
  const { parameters } = request
  checkVerb(found, request, context)
  refuseSelecting(parameters, call.target.kind)
  return carryOut({ ...call, parameters, attributes: null }, request, context)
}

/** POST calls any function; GET those that allow it, treated as a change of state. */
function checkVerb(
  { name, onHttpGet }: StoreFunction,
  { verb, parameters, conditions }: RestRequest,
  context: HandleContext,
): void {
  const { method } = parameters
  refuseConditions(conditions, 'a function is called')
  if (verb === 'GET') {
    if (!onHttpGet) throw restError('functionNotOnGet', { name })
    context.refuseCrossSite()
  } else if (verb !== 'POST') {
    const allowed = onHttpGet ? ['GET', 'POST'] : ['POST']
    throw verbNotAllowed(verb, allowed, `Functions are called by ${allowed.join(' or ')}.`)
  }
  if (method !== null && method !== 'entityset' && method !== 'subentityset')
    throw notApplicable(`$method=${method}`, 'a function is called')
  refuseValues(parameters, 'it belongs to a read')
}

/**
 * Only functions of a selection take a filter and an order. If ignored, the function would affect
 * more than intended.
 */
function refuseSelecting(parameters: Parameters, on: string): void {
  const problem = `the function works on the ${on}, not on a selection`
  refuseGiven(parameters, ['search', 'filter', 'orderBy'], problem)
}

async function carryOut(call: Call, request: RestRequest, context: HandleContext): Promise<Answer> {
  const { target, name, owner, parameters } = call
  const { engine, caller, limits } = context
  const result = await engine.call(
    {
      target,
      name,
      owner,
      parameters: await readParameters(request, { name, sent: call.sent }, context),
      projectionOf: (dataClass) =>
        requestedProjection(dataClass, call.attributes, parameters, context),
      skip: parameters.skip,
      top: parameters.top ?? limits.defaultTop,
      keep: parameters.method === 'entityset' ? keeping(parameters, null, context) : null,
      maxDepth: limits.maxJsonDepth,
      relatedTop: limits.defaultTop,
      maxEntities: limits.maxEntitiesPerAnswer,
    },
    caller,
  )
  if (result === null) throw missing(target)
  if (result.kind === 'reply') return { kind: 'reply', reply: result.reply }
  if (result.kind === 'login') await context.session.login(result.user, result.lifetimeSeconds)
  return answerOf(result.value, parameters, result.globalStamp)
}

/** Entities and selections are answered as in reads, other values as `{"result": …}`. */
function answerOf(value: ResultValue, { asArray }: Parameters, globalStamp: number): Answer {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'entity')
      return { ...value, globalStamp, text: null, life: null, plan: null }
    const { kind, projection, first, count, records, entitySetId } = value
    const page = { globalStamp, count, records, texts: null, entitySetId }
    return { kind, projection, page, first, isArray: asArray, plan: null }
  }
  return { kind: 'called', globalStamp, value }
}

/** The error for a call whose target does not exist. */
function missing(target: CallTarget): EntiaError {
  if (target.kind === 'selection') return ownerMissing(target.query.source)
  if (target.kind === 'entity') return cannotBeLoaded(target.reference)
  throw new Error(`There is always a ${target.kind} to call.`)
}
