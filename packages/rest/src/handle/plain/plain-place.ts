import type { ClassModel, Ids } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import type { RawBody } from '../../request/body.ts'
import type { PlainHead, PlainResource } from '../../request/plain-head.ts'
import { completeRequest, type DataRequest } from '../../request/request.ts'
import type { HandleContext } from '../context/context.ts'

/** What the plain interface of a handler consists of. */
export interface PlainInterface {
  readonly resources: ReadonlyMap<string, PlainResource>
  readonly ids: Pick<Ids, 'uuid'>
}

/** The dataclass that a request reads or writes, and how its entities are shown. */
export interface Place {
  readonly dataClass: ClassModel
  readonly resource: PlainResource
  /** The followed relation, as in `posts/1/comments`; null for others. */
  readonly relation: string | null
  /** The attribute for members without an attribute, if the caller knows it. */
  readonly others: string | null
}

export function placeOf(
  { plain: { nested } }: PlainHead,
  resource: PlainResource,
  { resources }: PlainInterface,
  { caller: { names } }: HandleContext,
): Place {
  const owner = names.dataClass(resource.dataClass)
  const found = nested === null ? undefined : resource.nested.get(nested)
  const relation = found === undefined ? undefined : names.find(owner, found.relation)
  if (nested !== null && relation?.kind !== 'relatedEntities')
    throw restError('resourceNotFound', { basePath: '' })
  const dataClass = relation?.kind === 'relatedEntities' ? relation.target : owner
  const shown = nested === null ? resource : resourceOf(dataClass, resources)
  const { others } = shown
  const isKnown = others !== null && names.find(dataClass, others) !== undefined
  return {
    dataClass,
    resource: shown,
    relation: found?.relation ?? null,
    others: isKnown ? others : null,
  }
}

/** The resource that shows a dataclass; without one, only its attributes are shown. */
function resourceOf(
  { name }: ClassModel,
  resources: ReadonlyMap<string, PlainResource>,
): PlainResource {
  for (const resource of resources.values()) if (resource.dataClass === name) return resource
  return { name, dataClass: name, only: null, others: null, nested: new Map() }
}

/** The request of the entity interface that a reading head stands for. */
export function dataRequest(
  head: PlainHead,
  parameters: Partial<DataRequest['parameters']> = {},
): DataRequest {
  const request = completeRequest(head, NO_BODY, { ifMatch: null }) as DataRequest
  return { ...request, parameters: { ...request.parameters, ...parameters } }
}

/** The request that a changing head stands for, with its preconditions. */
export function changeRequest(
  head: PlainHead,
  { header }: Pick<HandleContext, 'header'>,
  body: RawBody = NO_BODY,
): DataRequest {
  return completeRequest(head, body, { ifMatch: header('if-match') }) as DataRequest
}

const NO_BODY: RawBody = { kind: 'parsed', value: undefined }
