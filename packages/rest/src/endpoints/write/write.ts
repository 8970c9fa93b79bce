import { type ClassModel, type EntiaError, isEntiaError } from '@entia/core'
import {
  type Awaitable,
  andThen,
  buildProjection,
  type EntityReference,
  largestSize,
  mapSliced,
  type Projection,
  type RemoveItem,
  type RemoveQuery,
  refuseTooManyAtOnce,
  type WriteQuery,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { type Body, type BodyEntity, parseBody } from '../../request/body.ts'
import { refuseOver } from '../../request/limits.ts'
import { refuseForeignNames } from '../../request/parameter-values.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { Conditions, DataRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable, refuseGiven, refuseValues } from '../context/context.ts'
import { findUploads } from '../media/media-write.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import {
  cannotBeLoaded,
  parseKeyJson,
  preconditionOf,
  referenceText,
  refuseConditions,
  refuseConditionsOfNew,
} from '../resolve/entity-key.ts'
import { entitySetSource } from '../resolve/entity-set-source.ts'
import { checkOrderBy } from '../resolve/selection-query.ts'
import { parseStamp, refuseOtherKey, toWriteItem } from './write-item.ts'

/**
 * Parameters that other requests take, in the order of their refusal, with its reason. If ignored,
 * a deletion would reach further than intended.
 */
const REFUSED: readonly (readonly [problem: string, members: readonly (keyof Parameters)[]])[] = [
  ['a deletion cannot be previewed', ['refresh']],
  ['a deletion removes all named entities: narrow it by $filter', ['top', 'skip']],
  ['it needs $logicOperator', ['otherCollection']],
  [
    'it belongs to a read',
    [
      ...(['compute', 'distinct', 'groupBy', 'having', 'asArray', 'format'] as const),
      ...(['queryPlan', 'queryPath', 'explain', 'subOrderBy'] as const),
    ],
  ],
  ['the address names no image or BLOB', ['imageFormat', 'binary', 'rawPict']],
]

/**
 * Refuses a deletion with parameters that have no effect on it. `isOne`: the address names one
 * entity. Otherwise a name without its `$` is refused too, since it would be ignored. Throws
 * methodNotApplicable.
 */
function refuseForDeletion(parameters: Parameters, isOne: boolean): void {
  const combined =
    parameters.logicOperator === null ? parameters : { ...parameters, otherCollection: null }
  for (const [problem, members] of REFUSED)
    refuseGiven(combined, members, `${problem}. Nothing was deleted`)
  const { withoutDollar: name } = parameters
  if (isOne || name === null) return
  throw notApplicable(
    `The parameter "${name}"`,
    `it has no effect without its $: write "$${name}". Nothing was deleted`,
  )
}

/** Saves the entities of a body: creations and updates, one by one or atomically. */
export function write(
  target: DataTarget,
  request: DataRequest,
  context: HandleContext,
): Awaitable<Answer> {
  const { parameters } = request
  const { limits } = context
  const { dataClass, owner: addressed } = target
  const mode = request.action === 'insert' ? 'insert' : 'update'
  const body = parseBody(request.body, limits)
  if (target.attributes !== null) throw partsRefused(target.attributes)
  if (target.entitySetId !== null)
    throw notApplicable(
      'An update of an entity set',
      'an entity is updated by its key; only a deletion takes a set',
    )
  if (parameters.filter?.isOrderOnly === true)
    throw notApplicable(
      'A $filter that is only an order',
      'an update has no order, and the filter would select every entity',
    )
  // It has no effect here; it is allowed, and checked.
  if (parameters.orderBy !== null) checkOrderBy(dataClass, parameters.orderBy, context)
  refuseValues(parameters, 'it belongs to a read')
  const projection = responseProjection(request, dataClass, context)
  if (body.kind === 'none') throw restError('bodyMalformed', { problem: 'it is empty' })
  const isArray = body.kind === 'many'
  if (isArray && addressed !== null) throw arrayRefused()
  const entities = isArray ? body.entities : [body.entity]
  // Before anything is saved: the client must receive the answer to its change.
  const size = entities.length * largestSize(projection, limits.defaultTop)
  refuseOver(size, 'entities in the answer', 'maxEntitiesPerAnswer', limits)
  if (parameters.atomic && !parameters.refresh)
    refuseTooManyAtOnce(entities.length, limits.maxAtomicItems)
  if (isArray) refuseConditions(request.conditions, 'an array has a __STAMP in each item')
  return andThen(findUploads(entities, context), (uploads) => {
    const { caller, basePath, nextSlice } = context
    const ifMatch = preconditionOf(request.conditions)
    const { names } = caller
    const reading = { names, dataClass, mode, addressed, ifMatch, basePath, uploads } as const
    const read = mapSliced(entities, (entity) => toWriteItem(entity, reading), nextSlice)
    return andThen(read, (items) => {
      // An item without a key creates an entity, which has no stamp to compare.
      if (!isArray && items[0]?.reference === null && items[0].refusal === null)
        refuseConditionsOfNew(request.conditions)
      const { atomic, refresh, filter, isoTimestamps } = parameters
      const query: WriteQuery = {
        dataClass,
        items,
        atomic,
        refresh,
        filter,
        projection,
        relatedTop: limits.defaultTop,
        maxEntities: limits.maxEntitiesPerAnswer,
      }
      return andThen(context.engine.write(query, caller), (answer): Answer => {
        return { kind: 'written', projection, answer, isArray, atomic, isoTimestamps }
      })
    })
  })
}

/**
 * Deletes by key, by the keys of a body, by entity set, by filter or by search, which the filter
 * has. Without any of them it refuses.
 */
export async function remove(
  target: DataTarget,
  request: DataRequest,
  context: HandleContext,
): Promise<Answer> {
  const { parameters } = request
  const { engine, caller, limits } = context
  const { dataClass, owner: addressed } = target
  const body = parseBody(request.body, limits)
  if (target.attributes !== null) throw partsRefused(target.attributes)
  refuseForDeletion(parameters, addressed !== null)
  if (addressed === null)
    refuseConditions(request.conditions, 'a deletion by it is of one entity, by its address')
  checkOrderBy(dataClass, parameters.orderBy, context)
  const items = removeItems(body, request.conditions, dataClass, addressed)
  const entitySet = entitySetSource(target, parameters)
  if (parameters.logicOperator === 'INTERSECT')
    throw notApplicable(
      'A deletion by INTERSECT',
      'it answers a boolean; use AND. Nothing was deleted',
    )
  const isConditional = parameters.filter?.isOrderOnly === false
  if (items === null && entitySet === null && !isConditional)
    throw restError('methodNotApplicable', {
      what: 'A deletion',
      problem: `it needs a key, a $filter${parameters.filter === null ? '' : ' with a condition'}, an entity set or a body that names the entities; nothing was deleted`,
    })
  const projection = responseProjection(request, dataClass, context)
  const query: RemoveQuery = {
    dataClass,
    items,
    entitySet,
    filter: parameters.filter,
    atomic: parameters.atomic,
    maxAtomicItems: limits.maxAtomicItems,
    maxCascade: limits.maxCascade,
    projection,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  const answer = await engine.remove(query, caller)
  refuseUnloadable(answer.outcomes, addressed)
  return { kind: 'removed', projection, answer }
}

/** An addressed entity that does not exist is reported as in a read. */
function refuseUnloadable(
  outcomes: readonly { readonly kind: string; readonly error?: EntiaError }[],
  addressed: EntityReference | null,
): void {
  if (addressed === null || !isEntiaError(outcomes[0]?.error, 'entityNotFound')) return
  throw cannotBeLoaded(addressed)
}

/** A write takes whole entities, so the path may not name attributes. */
const partsRefused = (attributes: readonly string[]): EntiaError =>
  notApplicable(
    `Writing to "${attributes.join(',').slice(0, 100)}"`,
    'only images and BLOBs are written alone',
  )

const arrayRefused = (): EntiaError =>
  restError('bodyMalformed', {
    problem: 'an address of one entity takes one object, not an array',
  })

function responseProjection(
  { parameters }: DataRequest,
  dataClass: ClassModel,
  { caller, limits }: HandleContext,
): Projection {
  const { attributes, expand } = parameters
  return buildProjection(dataClass, {
    names: caller.names,
    attributes,
    expand,
    relationsLast: true,
    maxPathDepth: limits.maxPathDepth,
  })
}

function removeItems(
  body: Body,
  conditions: Conditions,
  dataClass: ClassModel,
  addressed: EntityReference | null,
): readonly (RemoveItem | EntiaError)[] | null {
  if (addressed !== null) {
    if (body.kind === 'many') throw arrayRefused()
    const entity: BodyEntity = body.kind === 'one' ? body.entity : new Map()
    refuseForeignNames(entity.keys())
    refuseOtherKey(entity.get('__KEY'), dataClass, addressed)
    const stamp = parseStamp(dataClass, entity.get('__STAMP'))
    const precondition = preconditionOf(conditions)
    return [{ reference: addressed, keyText: referenceText(addressed), stamp, precondition }]
  }
  if (body.kind === 'none') return null
  if (body.kind === 'one' && body.entity.size === 0) return null
  const entities = body.kind === 'many' ? body.entities : [body.entity]
  return entities.map((entity, at) =>
    orError<RemoveItem>(() => toRemoveItem(entity, dataClass, at)),
  )
}

function toRemoveItem(entity: BodyEntity, dataClass: ClassModel, at: number): RemoveItem {
  refuseForeignNames(entity.keys())
  const json = entity.get('__KEY') ?? null
  if (json === null) throw restError('bodyMalformed', { problem: `item ${at + 1} has no __KEY` })
  const key = parseKeyJson(dataClass, json)
  const stamp = parseStamp(dataClass, entity.get('__STAMP'))
  const reference = { kind: 'key', dataClass, key } as const
  return { reference, keyText: String(key), stamp, precondition: null }
}

/** An item that cannot be read fails alone; the others are tried. */
function orError<T>(read: () => T): T | EntiaError {
  try {
    return read()
  } catch (error) {
    if (isEntiaError(error)) return error
    throw error
  }
}
