import type { EntiaError } from '../errors.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { coerceInput } from '../value/coerce.ts'
import { createMedia, isMediaType } from '../value/media.ts'
import { Refusal } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'
import { dumpError } from './dump-errors.ts'

/** The largest distance of a date from 1970-01-01, in days. */
const LAST_DAY = 100_000_000

/**
 * Converts a value of a dump to the stored value. Throws `dumpInvalid` if the attribute cannot have
 * it.
 */
export function decodeValue(attribute: StorageAttribute, value: unknown): StoredValue {
  if (value === null) {
    if (attribute.key) throw invalid(attribute)
    return null
  }
  if (attribute.type === 'image' || attribute.type === 'blob') return decodeMedia(attribute, value)
  // Dates are stored as numbers (of days for `dateOnly`), not in the form in which callers give
  // them.
  if (attribute.type === 'date' && attribute.dateOnly) {
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LAST_DAY)
      return value
    throw invalid(attribute)
  }
  if (typeof value === 'string' && attribute.type !== 'string' && attribute.type !== 'uuid')
    throw invalid(attribute)
  const stored = coerceInput(attribute.type, attribute.dateOnly, value)
  if (stored instanceof Refusal || (typeof value !== 'object' && stored !== value))
    throw invalid(attribute)
  return stored
}

function decodeMedia(attribute: StorageAttribute, value: unknown): StoredValue {
  if (!Array.isArray(value) || value.length !== 2) throw invalid(attribute)
  const [mediaType, base64]: unknown[] = value
  if (typeof mediaType !== 'string' || !isMediaType(mediaType) || typeof base64 !== 'string')
    throw invalid(attribute)
  try {
    return createMedia(mediaType, bytesOf(base64))
  } catch (error) {
    throw dumpError('dumpInvalid', { problem: problemOf(attribute) }, { cause: error })
  }
}

/** Characters of base64 that are decoded in one step: a multiple of 4. */
const GROUPS = 4 * 65_536

function bytesOf(base64: string): Uint8Array {
  const all = new Uint8Array(Math.ceil((base64.length * 3) / 4))
  let length = 0
  for (let from = 0; from < base64.length; from += GROUPS) {
    const binary = atob(base64.slice(from, from + GROUPS))
    for (let i = 0; i < binary.length; i++) all[length++] = binary.charCodeAt(i)
  }
  return all.subarray(0, length)
}

function invalid(attribute: StorageAttribute): EntiaError {
  return dumpError('dumpInvalid', { problem: problemOf(attribute) })
}

function problemOf({ owner, name, type }: StorageAttribute): string {
  return `a value of "${owner.name}.${name}" is not a ${type}.`
}
