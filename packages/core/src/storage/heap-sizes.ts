// Sizes on a 64-bit heap, for reports; see heap-sizes.slow.test.ts.

/** A place in an array. */
export const BYTES_PER_REFERENCE = 8
/** A text without its characters. */
export const BYTES_PER_TEXT = 24
/** An entry of a `Map`, with its part of the hash table. */
export const BYTES_PER_MAP_ENTRY = 40
/** An object or array without its contents. */
export const BYTES_PER_CONTAINER = 40
/** A number that is not a small integer. */
export const BYTES_PER_DOUBLE = 16
/** An image or BLOB without its content. */
export const BYTES_PER_MEDIA = 256
