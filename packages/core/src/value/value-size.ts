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
const sizeOfText = (text: string): number => BYTES_PER_SLOT + text.length * 2

/** A place in an array or record, and a number on the heap. */
const BYTES_PER_SLOT = 16
/** The value, its buffer and its media type. */
const BYTES_PER_MEDIA = 256
/** An object or array without its contents. */
const BYTES_PER_CONTAINER = 64

function sizeOfJson(value: Json): number {
  if (typeof value === 'string') return sizeOfText(value)
  if (typeof value !== 'object' || value === null) return BYTES_PER_SLOT
  let bytes = BYTES_PER_CONTAINER
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) bytes += sizeOfJson(value[i] as Json)
    return bytes
  }
  const object = value as { readonly [name: string]: Json }
  for (const name of Object.keys(object)) bytes += sizeOfText(name) + sizeOfJson(object[name])
  return bytes
}
