import { isMedia } from './media.ts'
import type { Json, StoredValue } from './types.ts'

/**
 * Estimates the bytes of a stored value, for bounds: never far below the true size, and at most a
 * few times as much. Cost: O(1) for scalars, texts, images and BLOBs; O(values) for an object.
 */
export function sizeOfValue(value: StoredValue): number {
  if (typeof value === 'string') return sizeOfText(value)
  if (typeof value !== 'object' || value === null) return BYTES_PER_SLOT
  return isMedia(value) ? BYTES_PER_MEDIA + value.size : sizeOfJson(value as Json)
}

/** A text counts two bytes per character. Most take one, but JavaScript does not tell which. */
const sizeOfText = (text: string): number => BYTES_PER_TEXT + text.length * 2

// Sizes on a 64-bit heap, as value-size.test.ts measures them.

/** A place in a record, and a number on the heap. */
const BYTES_PER_SLOT = 16
const BYTES_PER_TEXT = 24
/** The value, its buffer and its media type. */
const BYTES_PER_MEDIA = 256
/** An object or array without its contents. */
const BYTES_PER_CONTAINER = 64
/** A place in an array, which grows ahead of its contents. */
const BYTES_PER_ELEMENT = 12
/** A number that is not a small integer. */
const BYTES_PER_DOUBLE = 16
/**
 * A place in an object, and its part of the description of the object. Objects with the same names
 * share a description, so that they take less.
 */
const BYTES_PER_PROPERTY = 96

/** The bytes of a JSON value without its place in the container. */
function sizeOfJson(value: Json): number {
  if (typeof value === 'string') return sizeOfText(value)
  if (typeof value === 'number') return (value | 0) === value ? 0 : BYTES_PER_DOUBLE
  if (typeof value !== 'object' || value === null) return 0
  let bytes = BYTES_PER_CONTAINER
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) bytes += BYTES_PER_ELEMENT + sizeOfJson(value[i] as Json)
    return bytes
  }
  const object = value as { readonly [name: string]: Json }
  for (const name of Object.keys(object))
    bytes += BYTES_PER_PROPERTY + name.length * 2 + sizeOfJson(object[name])
  return bytes
}
