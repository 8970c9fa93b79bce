import { EntiaError, type Media } from '@entia/core'
import type { Awaitable } from '../../engine/awaitable.ts'
import { typeOf } from '../../engine/names.ts'
import type { ValueAttribute } from '../../engine/projection.ts'
import { restError } from '../../errors/rest-error.ts'
import type { BodyEntity } from '../../request/body.ts'
import type { HandleContext } from '../context/context.ts'
import { asValueOf } from './media-body.ts'

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
  readonly isNew: boolean
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

/** True for the deferred form in which reads show this attribute. */
function isEcho(value: unknown, { attribute, basePath, isNew }: MediaItemContext): boolean {
  const uri = memberOf(memberOf(value, '__deferred'), 'uri')
  if (isNew || typeof uri !== 'string') return false
  return (
    uri.startsWith(`${basePath}/${encodeURIComponent(attribute.owner.name)}[`) &&
    uri.includes(`]/${encodeURIComponent(attribute.name)}?`)
  )
}

/** A member of a JSON object; undefined for other values. */
function memberOf(value: unknown, name: string): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.hasOwn(value, name)
  )
    return undefined
  return (value as { readonly [name: string]: unknown })[name]
}
