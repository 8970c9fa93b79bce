import { EntiaError, type Media } from '@entia/core'
import { storedKey } from '@entia/core/internal'
import {
  type Awaitable,
  type EntityReference,
  isWritable,
  NO_CHANGE,
  typeOf,
  type ValueAttribute,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { BodyEntity } from '../../request/body.ts'
import { isJsonObject } from '../../request/json-text.ts'
import { keyInAddress } from '../../request/key-text.ts'
import type { DataRequest, RestRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import { preconditionOf, referenceText } from '../resolve/entity-key.ts'
import { projectionOf } from './media.ts'
import { asValueOf, parseMedia } from './media-body.ts'

/** Uploaded content by its id; null for an unknown id. */
export type UploadsById = ReadonlyMap<string, Media | null>

const NO_UPLOADS: UploadsById = new Map()

/** Fetches each upload that the entities of a body name, once. */
export function findUploads(
  entities: readonly BodyEntity[],
  context: HandleContext,
): Awaitable<UploadsById> {
  let ids: Set<string> | null = null
  for (const entity of entities)
    for (const value of entity.values()) {
      if (typeof value !== 'object' || value === null) continue
      const id = memberOf(value, 'ID')
      if (typeof id !== 'string') continue
      ids ??= new Set()
      ids.add(id)
    }
  return ids === null ? NO_UPLOADS : fetchAll(ids, context)
}

async function fetchAll(
  ids: ReadonlySet<string>,
  { engine, caller }: HandleContext,
): Promise<UploadsById> {
  const found = new Map<string, Media | null>()
  for (const id of ids) found.set(id, await engine.uploaded(id, caller))
  return found
}

/** What a body says about an image or BLOB: unchanged, or a value to write. */
export type MediaItem =
  | { readonly kind: 'asItWas' }
  | { readonly kind: 'value'; readonly value: Media | null }

export interface MediaItemContext {
  readonly attribute: ValueAttribute
  /** The base path of the interface, which addresses of images start with. */
  readonly basePath: string
  /** The entity that is written; null for a new one. */
  readonly reference: EntityReference | null
  readonly uploads: UploadsById
}

/**
 * Reads the JSON form of an image or BLOB: null, the form that reads answer, or an upload as
 * `{"ID": id}`. Never fetches an address. Throws valueInvalid, pictureReferenceUnknown,
 * blobReferenceUnknown, pictureTypeUnknown.
 */
export function readMediaItem(value: unknown, context: MediaItemContext): MediaItem {
  const { attribute, uploads } = context
  if (value === null) return { kind: 'value', value }
  if (isEcho(value, context)) return { kind: 'asItWas' }
  const id = memberOf(value, 'ID')
  const type = typeOf(attribute) === 'image' ? 'image' : 'blob'
  if (typeof id !== 'string')
    throw new EntiaError('valueInvalid', {
      dataClass: attribute.owner.name,
      attribute: attribute.name,
      expected: 'null or an upload such as {"ID": "…"} (its content cannot be sent inside JSON)',
      found: Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`,
    })
  const media = uploads.get(id) ?? null
  if (media !== null) return { kind: 'value', value: asValueOf(type, media) }
  const code = type === 'image' ? 'pictureReferenceUnknown' : 'blobReferenceUnknown'
  throw restError(code, { id: id.slice(0, 40) })
}

/**
 * True for the deferred form in which reads show this attribute of this entity, of any version. The
 * address of another entity is not ignored: its content would seem to be copied.
 */
function isEcho(value: unknown, { attribute, basePath, reference }: MediaItemContext): boolean {
  const uri = memberOf(memberOf(value, '__deferred'), 'uri')
  if (reference === null || typeof uri !== 'string') return false
  const home = `${basePath}/${encodeURIComponent(attribute.owner.name)}[`
  const end = `]/${encodeURIComponent(attribute.name)}?`
  if (reference.kind !== 'key') return uri.startsWith(home) && uri.includes(end)
  // A body may have another spelling of the key, such as a UUID with dashes.
  const key = storedKey(reference.dataClass, reference.key) ?? reference.key
  return uri.startsWith(`${home}${keyInAddress(key)}${end}`)
}

/** A member of a JSON object; undefined for other values. */
function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/**
 * Sets, replaces or clears one image or BLOB: an update of its entity with hooks, rules and locks.
 * A refusal is answered like that of an update. Throws what `parseMedia` throws,
 * methodNotApplicable, attributeReadOnly.
 */
export async function writeMedia(
  { dataClass, owner }: DataTarget,
  attribute: ValueAttribute,
  request: DataRequest,
  { engine, caller }: HandleContext,
): Promise<Answer> {
  const { parameters, action } = request
  const reference = owner!
  if (action === 'insert')
    throw notApplicable('$method=insert', 'the address names an entity that exists')
  if (parameters.refresh)
    throw notApplicable('$refresh', 'it does not take the content of an image or BLOB')
  if (!isWritable(attribute))
    throw new EntiaError('attributeReadOnly', {
      dataClass: dataClass.name,
      attribute: attribute.name,
      remedy: 'Write the attribute that it is made from.',
    })
  const projection = projectionOf(dataClass, attribute)
  const precondition = preconditionOf(request.conditions)
  const content = action === 'delete' ? null : contentOf(attribute, request)
  const answer = await engine.write(
    {
      dataClass,
      items: [
        {
          ...NO_CHANGE,
          reference,
          keyText: referenceText(reference),
          precondition,
          values: new Map([[attribute.name, content]]),
        },
      ],
      atomic: false,
      refresh: false,
      filter: parameters.filter,
      projection,
      relatedTop: 0,
      maxEntities: 1,
    },
    caller,
  )
  if (answer.outcomes[0]?.kind === 'saved') return { kind: 'done' }
  const form = { isArray: false, atomic: false, isoTimestamps: false }
  return { kind: 'written', projection, answer, ...form }
}

function contentOf(attribute: ValueAttribute, { parameters, body }: DataRequest): unknown {
  const { rawPict, binary } = parameters
  const isImage = typeOf(attribute) === 'image'
  if (rawPict !== null && !isImage)
    throw notApplicable('$rawPict', `"${attribute.name}" is not an image`)
  return parseMedia(body, {
    type: isImage ? 'image' : 'blob',
    rawPict,
    isExplicit: rawPict !== null || binary,
  })
}

/**
 * `$upload`: keeps the content of a body under an id until a write names it, at most for
 * `$timeout`. Throws what `parseMedia` throws, methodNotApplicable, budgetExceeded.
 */
export async function upload(
  { action, parameters, body }: RestRequest,
  { engine, caller }: HandleContext,
): Promise<Answer> {
  const { rawPict, binary, timeoutSeconds } = parameters
  if (action !== 'update') throw notApplicable('$method', '$upload takes none')
  const isImage = rawPict !== null && rawPict !== 'false' && rawPict !== '0'
  if (isImage === binary)
    throw notApplicable(
      '$upload',
      'it takes $rawPict=true for an image, or $binary=true for a BLOB',
    )
  const claim = isImage
    ? ({ type: 'image', rawPict } as const)
    : ({ type: 'blob', rawPict: null } as const)
  const media = parseMedia(body, { ...claim, isExplicit: true })
  return { kind: 'uploaded', id: await engine.upload(media, timeoutSeconds, caller) }
}
