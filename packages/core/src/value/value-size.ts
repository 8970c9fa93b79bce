import { isMedia, type Json, type StoredValue } from './types.ts'

/**
 * A long text in pieces of `length` units; the last may be shorter. Both halves of a surrogate pair
 * stay in one piece, which is then one unit longer.
 */
export function* textPieces(text: string, length: number): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    let end = Math.min(text.length, from + length)
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    yield text.slice(from, end)
    from = end
  }
}

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

// Sizes on a 64-bit heap, as value-size.test.ts and heap-sizes.slow.test.ts measure them.

/** A place in a record, and a number on the heap. */
export const BYTES_PER_SLOT = 16
/** A place in an array. */
export const BYTES_PER_REFERENCE = 8
/** An entry of a `Map`, with its part of the hash table. */
export const BYTES_PER_MAP_ENTRY = 40
/** A text without its characters. */
export const BYTES_PER_TEXT = 24
/** The value, its buffer and its media type. */
export const BYTES_PER_MEDIA = 256
/** An object or array without its contents, estimated for a bound. */
const BYTES_PER_CONTAINER = 64
/** A place in an array, which grows ahead of its contents. */
const BYTES_PER_ELEMENT = 12
/** A number that is not a small integer. */
export const BYTES_PER_DOUBLE = 16
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

/** The length of the longest text of a number, which is longer than that of a boolean or null. */
export const NUMBER_LENGTH = 25

/**
 * The bytes of a value as JSON in UTF-8, with `exactBytesOfText`: cost O(length). With
 * `mostBytesOfText` an upper bound: cost O(1); for objects O(values).
 */
export function bytesAsJson(value: StoredValue, ofText: (text: string) => number): number {
  if (isMedia(value)) return Math.ceil(value.size / 3) * 4 + value.mediaType.length + 8
  return ofJson(value, ofText)
}

function ofJson(value: Json, ofText: (text: string) => number): number {
  if (typeof value === 'string') return ofText(value)
  if (typeof value !== 'object' || value === null) return NUMBER_LENGTH
  let bytes = 2
  if (Array.isArray(value))
    for (const each of value as readonly Json[]) bytes += 1 + ofJson(each, ofText)
  else
    for (const [name, each] of Object.entries(value as object))
      bytes += 2 + ofText(name) + ofJson(each as Json, ofText)
  return bytes
}

/** The bytes of a control character: `\u0001`. */
export const mostBytesOfText = (text: string): number => 2 + text.length * 6

export function exactBytesOfText(text: string): number {
  let bytes = 2 + text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 1 : 5
    else if (unit === QUOTE || unit === BACKSLASH) bytes++
    else if (unit < 0x80) continue
    // Each half of a pair counts two: the pair takes four.
    else bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** \b \t \n \f \r */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13])

/** Bounds that keep dumps and journals readable, in bytes of JSON in UTF-8. */
export interface SizeLimits {
  readonly entityBytes: number
  readonly commitBytes: number
}

/**
 * The longest text of V8 has 536 870 888 characters, and an entity of a dump is read as one text.
 * The default is less than half of that, because small updates are not measured.
 */
export const MAX_SIZES: SizeLimits = Object.freeze({
  entityBytes: 256_000_000,
  commitBytes: 2_000_000_000,
})
