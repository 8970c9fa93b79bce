import { EntiaError } from '../errors.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { coerceInput } from '../value/coerce.ts'
import { createMedia, isMedia, isMediaType } from '../value/media.ts'
import { Refusal } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'

/** Days from 1970-01-01 that a date can be away. */
const LAST_DAY = 100_000_000

/** A stored value as it stands in dumps and journals: media as media type and bytes; all else is JSON already. */
export function encodeValue(value: StoredValue): unknown {
  return isMedia(value) ? [value.mediaType, toBase64(value.bytes())] : value
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192) {
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  }
  return btoa(binary)
}

/** A value of a dump as columns keep it. Throws `dumpInvalid` when it is none of its attribute. */
export function decodeValue(attribute: StorageAttribute, value: unknown): StoredValue {
  if (value === null) {
    if (attribute.key) throw invalid(attribute)
    return null
  }
  if (attribute.type === 'image' || attribute.type === 'blob') return decodeMedia(attribute, value)
  // Dates are stored as numbers, of days where there is no time: not in the form in which they are given.
  if (attribute.type === 'date' && attribute.dateOnly) {
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LAST_DAY) return value
    throw invalid(attribute)
  }
  if (typeof value === 'string' && attribute.type !== 'string' && attribute.type !== 'uuid') throw invalid(attribute)
  const stored = coerceInput(attribute.type, attribute.dateOnly, value)
  if (stored instanceof Refusal || (typeof value !== 'object' && stored !== value)) throw invalid(attribute)
  return stored
}

function decodeMedia(attribute: StorageAttribute, value: unknown): StoredValue {
  if (!Array.isArray(value) || value.length !== 2) throw invalid(attribute)
  const [mediaType, base64]: unknown[] = value
  if (typeof mediaType !== 'string' || !isMediaType(mediaType) || typeof base64 !== 'string') throw invalid(attribute)
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return createMedia(mediaType, bytes)
  } catch (error) {
    throw new EntiaError('dumpInvalid', { problem: problemOf(attribute) }, { cause: error })
  }
}

function invalid(attribute: StorageAttribute): EntiaError {
  return new EntiaError('dumpInvalid', { problem: problemOf(attribute) })
}

function problemOf({ owner, name, type }: StorageAttribute): string {
  return `a value of "${owner.name}.${name}" is no ${type}.`
}
