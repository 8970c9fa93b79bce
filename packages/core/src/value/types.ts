/** The types that the value of an attribute can have. */
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]
export const ATTRIBUTE_TYPES = [
  'bool',
  'long',
  'long64',
  'number',
  'string',
  'uuid',
  'date',
  'duration',
  'object',
  'image',
  'blob',
] as const

/** How text is compared: folded (neither case nor diacritics count) or exact. */
export type Collation = 'folded' | 'exact'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/**
 * An image or BLOB, stored and returned. Its bytes are never shared with the input or with the
 * store.
 */
export interface Media {
  /** For example `image/png`. */
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** A copy of the bytes; costs O(size). */
  bytes(): Uint8Array
}

/**
 * A value as columns store it: bool as boolean; long, long64, number and duration as a finite
 * number; `date` as epoch milliseconds, or as days since 1970-01-01 when the attribute is
 * `dateOnly`; string and uuid as text; object as deep-frozen JSON; image and blob as `Media`.
 * `null` is the only "no value".
 */
export type StoredValue = null | boolean | number | string | Json | Media

/** Immutable: other files get copies of the bytes only. */
class StoredMedia implements Media {
  readonly mediaType: string
  readonly size: number
  readonly #bytes: Uint8Array
  /** Called for bytes that are elsewhere; null if they are here. */
  readonly #refuse: (() => never) | null

  constructor(
    mediaType: string,
    bytes: Uint8Array,
    size: number = bytes.byteLength,
    refuse: (() => never) | null = null,
  ) {
    this.mediaType = mediaType
    this.size = size
    this.#bytes = bytes
    this.#refuse = refuse
    Object.freeze(this)
  }

  bytes(): Uint8Array {
    this.#refuse?.()
    return this.#bytes.slice()
  }

  static sameBytes(a: StoredMedia, b: StoredMedia): boolean {
    if (a.size !== b.size) return false
    if (a.#bytes === b.#bytes) return true
    for (let i = 0; i < a.size; i++) if (a.#bytes[i] !== b.#bytes[i]) return false
    return true
  }
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/

/**
 * True for a text of the form `type/subtype`, without parameters, blanks and control characters.
 */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text)
}

/**
 * Makes an image or BLOB value with a copy of the bytes. Cost: O(bytes). The caller checks the
 * media type.
 *
 * @example
 * ```ts
 * createMedia('text/plain', new TextEncoder().encode('Hello')).size // → 5
 * ```
 */
export function createMedia(mediaType: string, bytes: Uint8Array): Media {
  // Not bytes.slice(): a Node Buffer's slice would share its memory.
  return new StoredMedia(mediaType, new Uint8Array(bytes))
}

const NO_BYTES = new Uint8Array(0)

/**
 * An image or BLOB whose bytes are not in this store. Reading them throws what `refuse` throws.
 */
export function createMediaElsewhere(mediaType: string, size: number, refuse: () => never): Media {
  return new StoredMedia(mediaType, NO_BYTES, size, refuse)
}

/** True for a value made by `createMedia`: it cannot change, so it may be kept without copying. */
export function isMedia(value: unknown): value is Media {
  return value instanceof StoredMedia
}

/** True when two values made by `createMedia` have the same type and bytes. Cost: O(bytes). */
export function sameMedia(a: Media, b: Media): boolean {
  if (!(a instanceof StoredMedia && b instanceof StoredMedia)) return false
  return a.mediaType === b.mediaType && StoredMedia.sameBytes(a, b)
}

/** First bytes of the formats a browser shows; null stands for any byte. */
const SIGNATURES: readonly (readonly [mediaType: string, start: readonly (number | null)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
]

/** The media type by the first bytes, or `application/octet-stream`. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const found = SIGNATURES.find(([, start]) =>
    start.every((byte, i) => byte === null || byte === bytes[i]),
  )
  return found === undefined ? 'application/octet-stream' : found[0]
}
