import type { StorageAttribute } from '@entia/core'

/**
 * Converts a cell to the attribute's type. CSV has only texts. A text that does not parse is
 * returned unchanged, and the store refuses it.
 */
export function convertValue(value: unknown, { type }: Pick<StorageAttribute, 'type'>): unknown {
  if (typeof value !== 'string') return type === 'string' ? asText(value) : value
  switch (type) {
    case 'long':
    case 'long64':
    case 'number':
    case 'duration':
      return numberOf(value) ?? value
    case 'bool':
      return boolOf(value) ?? value
    case 'object':
      return jsonOf(value)
    case 'image':
    case 'blob':
      return mediaOf(value)
    default:
      return value
  }
}

const written = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Digits whose number is exact. */
const MAX_EXACT_DIGITS = 15

/** Parses a number; null for any other text. Most numbers in files are plain digits. */
export function numberOf(text: string): number | null {
  const { length } = text
  let number = 0
  let at = 0
  for (; at < length && at < MAX_EXACT_DIGITS; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    number = number * 10 + digit
  }
  if (at === length && length > 0) return number
  const trimmed = text.trim()
  return written.test(trimmed) ? Number(trimmed) : null
}

/** Parses a boolean; null for any other text. */
export function boolOf(text: string): boolean | null {
  const lower = text.trim().toLowerCase()
  if (lower === 'true') return true
  return lower === 'false' ? false : null
}

/** A value of JSON in an attribute of texts: a column may have texts, numbers and objects. */
function asText(value: unknown): unknown {
  if (isPlain(value)) return String(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** Excludes whole numbers that JSON may have rounded: their text would differ from the file's. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value)))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const dataUrl = /^data:([^;,]+);base64,([A-Za-z0-9+/]*={0,2})$/

/** Files hold bytes as data URLs. */
function mediaOf(text: string): unknown {
  const [, mediaType, base64] = dataUrl.exec(text) ?? []
  return mediaType === undefined || base64 === undefined
    ? text
    : { mediaType, bytes: Buffer.from(base64, 'base64') }
}
