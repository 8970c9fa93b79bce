import { type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { type Body, type BodyEntity, parseBody } from '../request/body.ts'
import { refuseForeignNames } from '../request/protocol-names.ts'
import type { DataRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import { buildProjection } from './build-projection.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import type { EntityReference, RemoveItem, RemoveQuery, WriteQuery } from './engine-door.ts'
import { parseKeyJson, referenceText } from './entity-key.ts'
import { entitySetSource } from './entity-set-source.ts'
import { findUploads } from './media-item.ts'
import { notApplicable } from './not-applicable.ts'
import { checkOrderBy } from './order-by.ts'
import type { Projection } from './projection.ts'
import { parseStamp, toWriteItem } from './write-item.ts'

/** Saves the entities of a body: creations and updates, one by one or all or nothing. */
export async function write(target: DataTarget, request: DataRequest, context: HandleContext): Promise<Answer> {
  const { parameters } = request
  const { door, caller, limits, basePath } = context
  const { dataClass, owner: addressed } = target
  const mode = request.action === 'insert' ? 'insert' : 'update'
  const body = parseBody(request.body, limits)
  refuseParts(target)
  if (target.entitySetId !== null)
    throw notApplicable('An update of an entity set', 'an entity is updated by its key; only a deletion takes a set')
  checkOrder(request, dataClass, context)
  const projection = responseProjection(request, dataClass, context)
  if (body.kind === 'none') throw new EntiaError('bodyMalformed', { problem: 'it is empty' })
  if (body.kind === 'many' && addressed !== null)
    throw new EntiaError('bodyMalformed', { problem: 'an address of one entity takes one object, not an array' })
  const entities = body.kind === 'many' ? body.entities : [body.entity]
  refuseTooLarge(entities.length, projection, context)
  const ifMatch = body.kind === 'many' ? null : parseIfMatch(request.conditions.ifMatch)
  const uploads = await findUploads(entities, door)
  const items = entities.map((entity) =>
    toWriteItem(entity, { names: caller.names, dataClass, mode, addressed, ifMatch, basePath, uploads }),
  )
  const query: WriteQuery = {
    dataClass,
    items,
    atomic: parameters.atomic,
    refresh: parameters.refresh,
    filter: parameters.filter,
    projection,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  const answer = await door.write(query, caller)
  const globalStamp = door.globalStamp()
  return { kind: 'written', projection, globalStamp, answer, isArray: body.kind === 'many', atomic: parameters.atomic }
}

/** Deletes by key, by the keys of a body, by entity set or by filter; never everything by leaving all of them out. */
export async function remove(target: DataTarget, request: DataRequest, context: HandleContext): Promise<Answer> {
  const { parameters } = request
  const { door, caller, limits } = context
  const { dataClass, owner: addressed } = target
  const body = parseBody(request.body, limits)
  refuseParts(target)
  checkOrder(request, dataClass, context)
  const items = removeItems(body, request.conditions.ifMatch, dataClass, addressed)
  const entitySet = entitySetSource(target, parameters)
  if (parameters.logicOperator === 'INTERSECT')
    throw notApplicable('A deletion by INTERSECT', 'it answers a boolean; use AND. Nothing was deleted')
  if (items === null && entitySet === null && parameters.filter === null)
    throw new EntiaError('methodNotApplicable', {
      what: 'A deletion',
      problem: 'it needs a key, a $filter, an entity set or a body that names the entities; nothing was deleted',
    })
  const projection = responseProjection(request, dataClass, context)
  const query: RemoveQuery = {
    dataClass,
    items,
    entitySet,
    filter: parameters.filter,
    atomic: parameters.atomic,
    projection,
    relatedTop: limits.defaultTop,
    maxEntities: limits.maxEntitiesPerAnswer,
  }
  const answer = await door.remove(query, caller)
  refuseUnloadable(answer.outcomes, addressed)
  return { kind: 'removed', projection, globalStamp: door.globalStamp(), answer }
}

/** An entity that the address names and that does not exist is "cannot be loaded", as in a read. */
function refuseUnloadable(
  outcomes: readonly { readonly kind: string; readonly error?: EntiaError }[],
  addressed: EntityReference | null,
): void {
  if (addressed === null || !isEntiaError(outcomes[0]?.error, 'entityNotFound')) return
  throw new EntiaError('entityCannotBeLoaded', { dataClass: addressed.dataClass.name, key: referenceText(addressed) })
}

/** A write takes whole entities, so no attributes stand behind the dataclass and key. */
function refuseParts({ attributes }: DataTarget): void {
  if (attributes !== null)
    throw notApplicable(`Writing to "${attributes.join(',').slice(0, 100)}"`, 'only images and BLOBs are written alone')
}

/** `$orderby` orders nothing here; it may be given, and is checked when it arrives. */
function checkOrder({ parameters }: DataRequest, dataClass: ClassModel, context: HandleContext): void {
  if (parameters.orderBy !== null) checkOrderBy(dataClass, parameters.orderBy, context)
  for (const [isGiven, what] of [
    [parameters.compute !== null, '$compute'],
    [parameters.distinct, '$distinct'],
  ] as const)
    if (isGiven) throw new EntiaError('methodNotApplicable', { what, problem: 'it belongs to a read' })
}

function responseProjection(
  { parameters }: DataRequest,
  dataClass: ClassModel,
  { caller, limits }: HandleContext,
): Projection {
  const { attributes, expand } = parameters
  const projection = buildProjection(dataClass, {
    names: caller.names,
    attributes,
    expand,
    plain: false,
    maxPathDepth: limits.maxPathDepth,
  })
  // Answers to writes show relations last.
  const isRelated = (kind: string) => kind !== 'value' && kind !== 'properties'
  const fields = [
    ...projection.fields.filter((field) => !isRelated(field.kind)),
    ...projection.fields.filter((field) => isRelated(field.kind)),
  ]
  return { dataClass, fields }
}

function removeItems(
  body: Body,
  ifMatch: string | null,
  dataClass: ClassModel,
  addressed: EntityReference | null,
): readonly (RemoveItem | EntiaError)[] | null {
  const precondition = parseIfMatch(ifMatch)
  if (addressed !== null) {
    if (body.kind === 'one') refuseForeignNames(body.entity.keys())
    const stamp = body.kind === 'one' ? parseStamp(dataClass, body.entity.get('__STAMP')) : null
    return [{ reference: addressed, keyText: referenceText(addressed), stamp, precondition }]
  }
  if (body.kind === 'none') return null
  if (body.kind === 'one' && body.entity.size === 0) return null
  const entities = body.kind === 'many' ? body.entities : [body.entity]
  return entities.map((entity) => orError<RemoveItem>(() => toRemoveItem(entity, dataClass)))
}

function toRemoveItem(entity: BodyEntity, dataClass: ClassModel): RemoveItem {
  refuseForeignNames(entity.keys())
  const key = parseKeyJson(dataClass, entity.get('__KEY') ?? null)
  const stamp = parseStamp(dataClass, entity.get('__STAMP'))
  return { reference: { kind: 'key', dataClass, key }, keyText: String(key), stamp, precondition: null }
}

/** Refused before anything is saved: an answer that cannot be given afterwards would leave the client in the dark. */
function refuseTooLarge(items: number, projection: Projection, { limits }: HandleContext): void {
  const limit = limits.maxEntitiesPerAnswer
  if (items * largestSize(projection, limits.defaultTop) <= limit) return
  throw new EntiaError('budgetExceeded', {
    what: 'entities in the answer',
    limit,
    option: 'limits.maxEntitiesPerAnswer',
  })
}

/** The most entities that one entity can show, itself included. */
function largestSize({ fields }: Projection, relatedTop: number): number {
  let size = 1
  for (const field of fields) {
    if (field.kind === 'entity') size += largestSize(field.projection, relatedTop)
    if (field.kind === 'entities') size += relatedTop * largestSize(field.projection, relatedTop)
  }
  return size
}

/** An item that cannot be read fails alone: the others are still tried. */
function orError<T>(read: () => T): T | EntiaError {
  try {
    return read()
  } catch (error) {
    if (isEntiaError(error)) return error
    throw error
  }
}

/** The stamp of `If-Match: "<stamp>"`, or of `"<stamp>-<version>"` as images have it; null for none and for `*`. */
export function parseIfMatch(header: string | null): number | null {
  if (header === null || header.trim() === '*') return null
  const stamp = /^\s*(?:W\/)?"(\d{1,15})(?:-[\da-z]+)?"\s*$/.exec(header)?.[1]
  // A validator that no entity can have: the precondition fails, as it must.
  return stamp === undefined ? -1 : Number(stamp)
}
