import type { StorageAttribute } from '@entia/core'

/**
 * A cell as the attribute takes it. Texts are read by the attribute's type (a CSV file has no others); what cannot be read is left
 * as it is, for the store to refuse.
 */
export function convertValue(value: unknown, { type }: Pick<StorageAttribute, 'type'>): unknown {
  if (typeof value !== 'string') return type === 'string' && isPlain(value) ? String(value) : value
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

/** The number that a text writes; null for a text that writes none. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim()
  return written.test(trimmed) ? Number(trimmed) : null
}

/** The truth that a text writes; null for another text. */
export function boolOf(text: string): boolean | null {
  const lower = text.trim().toLowerCase()
  if (lower === 'true') return true
  return lower === 'false' ? false : null
}

/** A whole number that JSON may have rounded is not the text that the file has. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value)))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const dataUrl = /^data:([^;,]+);base64,([A-Za-z0-9+/]*={0,2})$/

/** Bytes in files are written as data URLs. */
function mediaOf(text: string): unknown {
  const [, mediaType, base64] = dataUrl.exec(text) ?? []
  return mediaType === undefined || base64 === undefined ? text : { mediaType, bytes: Buffer.from(base64, 'base64') }
}
