import { isMedia } from './media.ts'
import type { Json, StoredValue } from './types.ts'

/** The length of the longest text of a number, which is longer than that of a boolean or null. */
const NUMBER_LENGTH = 25

/** An upper bound of a value's bytes as JSON in UTF-8. Cost: O(1); for objects O(values). */
export function mostBytesOf(value: StoredValue): number {
  return bytesBy(value, mostBytesOfText)
}

/** The bytes of a value as JSON in UTF-8. Cost: O(length). */
export function exactBytesOf(value: StoredValue): number {
  return bytesBy(value, exactBytesOfText)
}

function bytesBy(value: StoredValue, ofText: (text: string) => number): number {
  if (typeof value === 'string') return ofText(value)
  if (typeof value !== 'object' || value === null) return NUMBER_LENGTH
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
const mostBytesOfText = (text: string): number => 2 + text.length * 6

function exactBytesOfText(text: string): number {
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
