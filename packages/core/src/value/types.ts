/** The types that the value of an attribute can have. */
export type AttributeType =
  | 'bool'
  | 'long'
  | 'long64'
  | 'number'
  | 'string'
  | 'uuid'
  | 'date'
  | 'duration'
  | 'object'
  | 'image'
  | 'blob'

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
