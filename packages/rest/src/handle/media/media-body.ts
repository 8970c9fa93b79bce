import { createMedia, type EntiaError, type Media } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import { mediaTypeOf, type RawBody } from '../../request/body.ts'
import { imageTypeOf, isImageTypeName } from '../context/image-types.ts'

/** What the sender says that the body is. */
export interface MediaClaim {
  readonly type: 'image' | 'blob'
  /** `$rawPict`: an image's type, `true` or the like for one to be recognised, or null. */
  readonly rawPict: string | null
  /** `$binary` or `$rawPict`: the body is content whatever the headers call it. */
  readonly isExplicit: boolean
}

/**
 * Reads a body as an image or BLOB. The media type is the one that the content has; a wrong claim does not matter as long as
 * an image is one.
 * Cost    a copy of the bytes.
 * Throws  pictureTypeUnknown, mediaTypeUnsupported, bodyMalformed for an empty body.
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

/** A JavaScript client that was given bytes without a type says so by `undefined`. */
const TO_BE_RECOGNISED: ReadonlySet<string> = new Set(['true', '1', 'undefined'])

/** Throws pictureTypeUnknown for what is no image. */
function toImage(bytes: Uint8Array): Media {
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw restError('pictureTypeUnknown', { found: 'The content' })
  return createMedia(mediaType, bytes)
}

/** What was sent ahead as an image or a BLOB, as a value of the attribute. Throws pictureTypeUnknown. */
export function asValueOf(type: 'image' | 'blob', media: Media): Media {
  return type === 'image' && imageTypeOf(media.bytes()) === null ? toImage(media.bytes()) : media
}

/**
 * JSON and forms are refused even where they come as bytes: with a body parser in front of us they would come as objects,
 * and the same request must not mean two things.
 */
function bytesOf(raw: RawBody, isExplicit: boolean): Uint8Array {
  if (raw.kind === 'parsed') throw notRaw('parsed by the host')
  const mediaType = mediaTypeOf(raw.contentType)
  const isForm = mediaType.startsWith('multipart/') || (mediaType === FORM && !isExplicit)
  if (isForm || /[/+]json$/.test(mediaType)) throw notRaw(mediaType)
  return raw.kind === 'bytes' ? raw.bytes : new TextEncoder().encode(raw.text)
}

/** Sent by command-line clients that were told nothing. */
const FORM = 'application/x-www-form-urlencoded'

const notRaw = (mediaType: string): EntiaError =>
  restError('mediaTypeUnsupported', {
    mediaType: mediaType.slice(0, 40),
    remedy: 'Send the bytes as application/octet-stream.',
  })
