/**
 * The media types that are answered as images: browsers display them without executing anything.
 */
export type ImageType =
  | 'image/bmp'
  | 'image/gif'
  | 'image/jpeg'
  | 'image/png'
  | 'image/tiff'
  | 'image/webp'

/** The image types that `$imageformat` can request. */
export type AskedImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/tiff'

/**
 * Converts one image. Resolves to null for an image that cannot be read or exceeds the converter's
 * limits. A rejection counts as null and is reported to the host. The bytes are a copy that the
 * converter owns; its result is checked before it is sent.
 */
export type ImageConverter = (
  bytes: Uint8Array,
  from: ImageType,
  to: AskedImageType,
  /** Aborted when the client disconnects. */
  signal: AbortSignal,
) => Promise<Uint8Array | null>

const NO_MORE = -1

/** First bytes of each format; null matches any byte. */
const SIGNATURES: readonly (readonly [ImageType, readonly (number | null)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38, 0x37, 0x61]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
]

/**
 * The type of an image by its first bytes; null for other content. The sender's claim is ignored.
 * SVG is not included: it can contain scripts.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const found = SIGNATURES.find(([, start]) =>
    start.every((byte, at) => byte === null || byte === bytes[at]),
  )
  return found?.[0] ?? (isBitmap(bytes) ? 'image/bmp' : null)
}

/** The possible sizes of a bitmap's second header. */
const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124])

/** Many texts start with the two letters of a bitmap, so further fields are checked. */
function isBitmap(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false
  return (
    bytes.subarray(6, 10).every((byte) => byte === 0) && BITMAP_HEADERS.has(bytes[14] ?? NO_MORE)
  )
}

const REQUESTABLE: ReadonlyMap<string, AskedImageType> = new Map(
  (
    [
      ['gif', 'image/gif'],
      ['png', 'image/png'],
      ['jpeg', 'image/jpeg'],
      ['jpg', 'image/jpeg'],
      ['tiff', 'image/tiff'],
      ['tif', 'image/tiff'],
    ] as const
  ).flatMap(([name, type]) => [
    [name, type],
    [`.${name}`, type],
    [`image/${name}`, type],
  ]),
)

/** The format that `$imageformat` requests; null if it is not supported. */
export function parseImageFormat(text: string): AskedImageType | 'best' | null {
  const format = text.toLowerCase()
  return format === 'best' ? format : (REQUESTABLE.get(format) ?? null)
}

/** Types that a sender may declare, including alternative spellings. */
const DECLARED: ReadonlySet<string> = new Set([
  ...REQUESTABLE.keys(),
  'image/bmp',
  'image/x-ms-bmp',
  'image/pjpeg',
  'image/webp',
  'image/x-png',
])

/**
 * True for the name of an image type that can be stored. The content determines its actual type.
 */
export function isImageTypeName(text: string): boolean {
  return DECLARED.has(text.toLowerCase())
}
