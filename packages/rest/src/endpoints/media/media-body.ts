import { createMedia, type EntiaError, type Media } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import { mediaTypeOf, type RawBody } from '../../request/body.ts'
import { type ImageType, imageTypeOf, isImageTypeName } from '../context/image-types.ts'

/**
 * True for an image that starts and ends as its format requires and has a possible size: truncated
 * images are unreadable. Nothing is decoded, so the content may still be invalid.
 *
 * Cost the chunks of a PNG, the bytes after a JPEG's end; constant for the others.
 */
export function isWholeImage(bytes: Uint8Array, type: ImageType): boolean {
  return SHAPES[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

const SHAPES: { readonly [T in ImageType]: (view: DataView) => boolean } = {
  'image/png': isWholePng,
  'image/jpeg': isWholeJpeg,
  'image/gif': isWholeGif,
  'image/tiff': isWholeTiff,
  'image/webp': isWholeWebp,
  'image/bmp': isWholeBitmap,
}

const PNG_SIGNATURE = 8
/** Length, name and checksum of a chunk. */
const PNG_CHUNK = 12
const IHDR = 0x49484452
const IDAT = 0x49444154
const IEND = 0x49454e44

/** A header that announces pixels, then pixels, then an end, in chunks that fit. */
function isWholePng(view: DataView): boolean {
  let hasPixels = false
  for (let at = PNG_SIGNATURE; at + PNG_CHUNK <= view.byteLength; ) {
    const length = view.getUint32(at)
    const name = view.getUint32(at + 4)
    const next = at + PNG_CHUNK + length
    if (next > view.byteLength) return false
    if ((at === PNG_SIGNATURE) !== (name === IHDR)) return false
    if (
      name === IHDR &&
      (length !== 13 || !isPngSize(view.getUint32(at + 8), view.getUint32(at + 12)))
    )
      return false
    if (name === IDAT) hasPixels = true
    if (name === IEND) return hasPixels
    at = next
  }
  return false
}

const isPngSize = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width < 2 ** 31 && height < 2 ** 31

/** An end after the start. Cameras append more data, a video for example. */
function isWholeJpeg({ buffer, byteOffset, byteLength }: DataView): boolean {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  let at = bytes.lastIndexOf(0xd9)
  while (at > 4 && bytes[at - 1] !== 0xff) at = bytes.lastIndexOf(0xd9, at - 1)
  return at > 4
}

const GIF_HEAD = 13
const GIF_END = 0x3b

/** A screen that is not empty, and a trailer, which padding may follow. */
function isWholeGif(view: DataView): boolean {
  if (view.byteLength <= GIF_HEAD) return false
  let last = view.byteLength - 1
  while (last > GIF_HEAD && view.getUint8(last) === 0) last--
  return (
    view.getUint8(last) === GIF_END && view.getUint16(6, true) > 0 && view.getUint16(8, true) > 0
  )
}

const TIFF_HEAD = 8
const TIFF_ENTRY = 12

/** A first directory within the file, with entries that fit. */
function isWholeTiff(view: DataView): boolean {
  if (view.byteLength < TIFF_HEAD) return false
  const isLittle = view.getUint8(0) === 0x49
  const directory = view.getUint32(4, isLittle)
  if (directory < TIFF_HEAD || directory + 2 > view.byteLength) return false
  const entries = view.getUint16(directory, isLittle)
  return entries > 0 && directory + 2 + entries * TIFF_ENTRY <= view.byteLength
}

/** The announced length, and a first chunk within it. */
function isWholeWebp(view: DataView): boolean {
  if (view.byteLength < 20) return false
  const length = view.getUint32(4, true) + 8
  return length <= view.byteLength && 20 + view.getUint32(16, true) <= length
}

/** The announced length, if any, and pixels that start after the headers. */
function isWholeBitmap(view: DataView): boolean {
  if (view.byteLength < 26 || view.getUint32(2, true) > view.byteLength) return false
  const pixels = view.getUint32(10, true)
  return pixels >= 14 + view.getUint32(14, true) && pixels < view.byteLength
}

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
