import { createMedia, type EntiaError, type Media } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import { mediaTypeOf, type RawBody } from '../../request/body.ts'
import { imageTypeOf, isImageTypeName } from '../context/image-types.ts'

/** What the sender declares the body to be. */
export interface MediaClaim {
  readonly type: 'image' | 'blob'
  /** `$rawPict`: an image type, `true` or similar for one to be detected, or null. */
  readonly rawPict: string | null
  /** True with `$binary` or `$rawPict`: the body is content, whatever its headers declare. */
  readonly isExplicit: boolean
}

/**
 * Reads a body as an image or BLOB. The content determines its media type; a wrong declaration does
 * not matter if an image is an image.
 *
 * Cost a copy of the bytes.
 *
 * Throws pictureTypeUnknown, mediaTypeUnsupported, bodyMalformed for an empty body.
 */
export function parseMedia(raw: RawBody, claim: MediaClaim): Media {
  const { rawPict } = claim
  if (rawPict !== null && !TO_BE_RECOGNISED.has(rawPict) && !isImageTypeName(rawPict))
    throw restError('pictureTypeUnknown', { found: `The type "${rawPict.slice(0, 40)}"` })
  const bytes = bytesOf(raw, claim.isExplicit)
  if (bytes.length === 0) throw restError('bodyMalformed', { problem: 'it is empty' })
  return claim.type === 'image' ? toImage(bytes) : createMedia(imageTypeOf(bytes) ?? OCTETS, bytes)
}

const OCTETS = 'application/octet-stream'

/** JavaScript clients send `undefined` for bytes without a type. */
const TO_BE_RECOGNISED: ReadonlySet<string> = new Set(['true', '1', 'undefined'])

/** Throws pictureTypeUnknown for content that is not an image. */
function toImage(bytes: Uint8Array): Media {
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw restError('pictureTypeUnknown', { found: 'The content' })
  return createMedia(mediaType, bytes)
}

/** Uploaded content as a value of the attribute. Throws pictureTypeUnknown. */
export function asValueOf(type: 'image' | 'blob', media: Media): Media {
  return type === 'image' && imageTypeOf(media.bytes()) === null ? toImage(media.bytes()) : media
}

/**
 * Refuses JSON and forms even as bytes: behind a body parser they would arrive as objects, and the
 * same request must not have two meanings.
 */
function bytesOf(raw: RawBody, isExplicit: boolean): Uint8Array {
  if (raw.kind === 'parsed') throw notRaw('parsed by the host')
  const mediaType = mediaTypeOf(raw.contentType)
  const isForm = mediaType.startsWith('multipart/') || (mediaType === FORM && !isExplicit)
  if (isForm || /[/+]json$/.test(mediaType)) throw notRaw(mediaType)
  return raw.kind === 'bytes' ? raw.bytes : new TextEncoder().encode(raw.text)
}

/** The default content type of command-line clients. */
const FORM = 'application/x-www-form-urlencoded'

const notRaw = (mediaType: string): EntiaError =>
  restError('mediaTypeUnsupported', {
    mediaType: mediaType.slice(0, 40),
    remedy: 'Send the bytes as application/octet-stream.',
  })
