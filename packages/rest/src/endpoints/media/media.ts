import type { Media } from '@entia/core'
import {
  isMediaAttribute,
  isRelation,
  PLAIN_ENTITY,
  type Projection,
  typeOf,
  type ValueAttribute,
} from '@entia/engine'
import type { DataRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, notApplicable, refuseGiven } from '../context/context.ts'
import { type AskedImageType, imageTypeOf, parseImageFormat } from '../context/image-types.ts'
import type { DataTarget } from '../resolve/data-target.ts'
import { cannotBeLoaded } from '../resolve/entity-key.ts'
import { isWholeImage } from './media-body.ts'

/**
 * The image or BLOB attribute that an address of one entity names alone; null for other addresses.
 * Throws methodNotApplicable if content of another attribute is requested or sent.
 */
export function mediaAttribute(
  { dataClass, attributes, functionName }: DataTarget,
  { parameters }: DataRequest,
  { caller }: HandleContext,
): ValueAttribute | null {
  const [name, ...more] = attributes ?? []
  if (name === undefined || more.length > 0 || functionName !== null) return null
  const attribute = caller.names.find(dataClass, name)
  if (attribute !== undefined && !isRelation(attribute) && isMediaAttribute(attribute))
    return attribute
  refuseGiven(
    parameters,
    ['binary', 'imageFormat', 'rawPict'],
    `"${name.slice(0, 100)}" is neither an image nor a BLOB`,
  )
  return null
}

/**
 * The content of one image or BLOB in the requested format, or its address if none is requested.
 * Throws entityCannotBeLoaded, methodNotApplicable.
 */
export async function readMedia(
  { dataClass, owner }: DataTarget,
  attribute: ValueAttribute,
  { parameters }: DataRequest,
  context: HandleContext,
): Promise<Answer> {
  const { imageFormat } = parameters
  const reference = owner!
  if (imageFormat !== null && typeOf(attribute) !== 'image')
    throw notApplicable('$imageformat', `"${attribute.name}" is not an image: use $binary=true`)
  const answer = await context.engine.readEntity(
    {
      ...PLAIN_ENTITY,
      reference,
      filter: parameters.filter,
      projection: projectionOf(dataClass, attribute),
      content: imageFormat === null && !parameters.binary ? 'address' : 'bytes',
    },
    context.caller,
  )
  const record = answer?.record ?? null
  if (record === null) throw cannotBeLoaded(reference)
  const media = mediaOf(record.values[0])
  if (imageFormat === null && !parameters.binary)
    return { kind: 'mediaAddress', dataClass, attribute, record, media }
  // Content that is stored elsewhere can change without this entity's stamp.
  const life = attribute.kind === 'storage' ? (answer?.life ?? null) : null
  const version = life === null ? null : { stamp: record.stamp, life }
  if (imageFormat === null)
    return { kind: 'media', content: media && { bytes: media.bytes(), type: null }, version }
  const content =
    media === null ? null : await imageContent(media, parseImageFormat(imageFormat), context)
  return { kind: 'media', content, version }
}

/** The projection of a single image or BLOB. */
export function projectionOf(
  dataClass: Projection['dataClass'],
  attribute: ValueAttribute,
): Projection {
  return { dataClass, fields: [{ kind: 'value', name: attribute.name, attribute }] }
}

/** Computed attributes may return any value. */
function mediaOf(value: unknown): Media | null {
  const isMedia =
    typeof value === 'object' &&
    value !== null &&
    'bytes' in value &&
    typeof value.bytes === 'function'
  return isMedia ? (value as Media) : null
}

type ImageContent = Extract<Answer, { kind: 'media' }>['content']

/**
 * Null if the format is not supported or the image cannot be read: the protocol answers both with
 * the empty object.
 */
async function imageContent(
  media: Media,
  requested: AskedImageType | 'best' | null,
  { rules: { imageConverter, report }, signal }: HandleContext,
): Promise<ImageContent> {
  if (requested === null) return null
  const bytes = media.bytes()
  const stored = imageTypeOf(bytes)
  if (stored === null) return null
  if (requested === 'best' || requested === stored)
    return isWholeImage(bytes, stored) ? { bytes, type: stored } : null
  if (imageConverter === null) return null
  try {
    const until = signal ?? new AbortController().signal
    const converted = await imageConverter(bytes, stored, requested, until)
    return converted !== null && imageTypeOf(converted) === requested
      ? { bytes: converted, type: requested }
      : null
  } catch (error) {
    report(error)
    return null
  }
}
