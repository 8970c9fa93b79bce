/** The media types that are ever answered as an image: what browsers draw without running anything. */
export type ImageType = 'image/bmp' | 'image/gif' | 'image/jpeg' | 'image/png' | 'image/tiff' | 'image/webp'

/** The image types that `$imageformat` can ask for. */
export type AskedImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/tiff'

/**
 * Converts one image. Null stands for an image that cannot be read, or not within the converter's limits; a rejection counts
 * as null, and the host is told of it. The bytes are the converter's own copy; what it gives is looked at before it is sent.
 */
export type ImageConverter = (
  bytes: Uint8Array,
  from: ImageType,
  to: AskedImageType,
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal,
) => Promise<Uint8Array | null>

const NO_MORE = -1

/** First bytes of each format; null stands for any byte. */
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
 * The type of an image as its first bytes tell; null for everything else. What the sender called it is not looked at.
 * SVG is none: it can hold scripts.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const found = SIGNATURES.find(([, start]) => start.every((byte, at) => byte === null || byte === bytes[at]))
  return found?.[0] ?? (isBitmap(bytes) ? 'image/bmp' : null)
}

/** The sizes that the second header of a bitmap has. */
const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124])

/** Two letters would make a bitmap of many a text, so the fields behind them are looked at too. */
function isBitmap(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false
  return bytes.subarray(6, 10).every((byte) => byte === 0) && BITMAP_HEADERS.has(bytes[14] ?? NO_MORE)
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

/** What `$imageformat` asks for; null for a format that is not supported. */
export function parseImageFormat(text: string): AskedImageType | 'best' | null {
  const format = text.toLowerCase()
  return format === 'best' ? format : (REQUESTABLE.get(format) ?? null)
}

/** Types that a sender may declare; other spellings of the same are in use. */
const DECLARED: ReadonlySet<string> = new Set([
  ...REQUESTABLE.keys(),
  'image/bmp',
  'image/x-ms-bmp',
  'image/pjpeg',
  'image/webp',
  'image/x-png',
])

/** True for the name of an image type that is stored. Which of them the content is, the content tells. */
export function isImageTypeName(text: string): boolean {
  return DECLARED.has(text.toLowerCase())
}
