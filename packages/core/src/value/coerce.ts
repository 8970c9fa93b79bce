import { describeFound, Refusal } from './check-options.ts'
import { dateFromEpoch, parseDate, parseDuration, parseNumber } from './date.ts'
import { copyJson, isWellFormed } from './json.ts'
import {
  type AttributeType,
  createMedia,
  isMedia,
  isMediaType,
  mediaTypeOf,
  type StoredValue,
} from './types.ts'

const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** The values that each type takes, as error messages describe them. */
const EXPECTED: { readonly [T in AttributeType]: string } = {
  bool: 'true or false',
  long: 'a whole number from -2147483648 to 2147483647',
  long64: 'a whole number from -9007199254740991 to 9007199254740991',
  number: 'a finite number',
  string: 'text',
  uuid: 'a UUID of 32 hexadecimal digits',
  date: 'a date: a Date, ISO 8601 text or epoch milliseconds',
  duration: 'a duration: milliseconds or "hh:mm:ss"',
  object: 'a JSON object',
  image: 'an image: bytes, or { mediaType, bytes }',
  blob: 'a BLOB: bytes, or { mediaType, bytes }',
}

/**
 * Converts an input of the API to the stored value of a type. Returns a `Refusal` for other inputs.
 * Undefined and null are null. The result shares nothing with the input: objects are copied and
 * deep-frozen, bytes are copied. Text is not converted to numbers or booleans. Every spelling of a
 * UUID becomes 32 upper-case digits, and -0 becomes 0. Cost: O(size of the input).
 */
export function coerceInput(
  type: AttributeType,
  dateOnly: boolean,
  input: unknown,
): StoredValue | Refusal {
  if (input === null || input === undefined) return null
  // Null for a value of another type.
  let value: StoredValue | Refusal = null
  switch (type) {
    case 'bool':
      if (typeof input === 'boolean') value = input
      break
    case 'long':
      if (typeof input === 'number' && (input | 0) === input) value = input + 0
      break
    case 'long64':
      if (typeof input === 'number' && Number.isSafeInteger(input)) value = input + 0
      break
    case 'number':
      if (typeof input === 'number' && Number.isFinite(input)) value = input + 0
      break
    case 'duration':
      if (typeof input === 'string') value = parseDuration(input)
      else if (typeof input === 'number' && Number.isFinite(input)) value = input + 0
      break
    case 'string':
      if (typeof input === 'string')
        value = isWellFormed(input)
          ? input
          : new Refusal('well-formed text', 'text with a lone surrogate')
      break
    case 'uuid':
      if (typeof input === 'string') value = canonicalUuid(input)
      break
    case 'date':
      if (typeof input === 'string') value = parseDate(input, dateOnly)
      else if (typeof input === 'number') value = dateFromEpoch(input, dateOnly)
      else if (input instanceof Date) value = dateFromEpoch(input.getTime(), dateOnly)
      break
    case 'object':
      if (typeof input === 'object') value = copyJson(input)
      break
    case 'image':
    case 'blob':
      value = coerceMedia(input)
  }
  return value === null ? new Refusal(EXPECTED[type], describeFound(input)) : value
}

function coerceMedia(input: unknown): StoredValue | Refusal {
  if (isMedia(input)) return input
  if (input instanceof Uint8Array) return createMedia(mediaTypeOf(input), input)
  if (typeof input !== 'object' || input === null || !('bytes' in input) || !('mediaType' in input))
    return null
  const { mediaType } = input
  if (typeof mediaType !== 'string' || !isMediaType(mediaType))
    return new Refusal('a media type such as "image/png"', describeFound(mediaType))
  // Read once: it may be a getter.
  const given: unknown = input.bytes
  const bytes: unknown = typeof given === 'function' ? given.call(input) : given
  return bytes instanceof Uint8Array ? createMedia(mediaType, bytes) : null
}

/**
 * Converts text of a filter or an address to a value of the type. Returns a `Refusal` if the whole
 * text is not a literal of the type. Every numeric type takes any finite number, so that a
 * whole-number attribute can be compared with 20.5. A `string` stays as it is: the result is not a
 * comparison key.
 */
export function coerceLiteral(
  type: AttributeType,
  dateOnly: boolean,
  text: string,
): string | number | boolean | Refusal {
  const value = readLiteral(type, dateOnly, text)
  return value === null ? new Refusal(LITERAL[type] ?? EXPECTED[type], describeFound(text)) : value
}

/** Types whose literals have another description than their inputs. */
const LITERAL: { readonly [T in AttributeType]?: string } = {
  long: 'a number',
  long64: 'a number',
  number: 'a number',
  date: 'a date such as 2024-01-31 or 2024-01-31T12:00:00Z',
  object: 'a comparison of one of its properties',
  image: 'null',
  blob: 'null',
}

function readLiteral(
  type: AttributeType,
  dateOnly: boolean,
  text: string,
): string | number | boolean | null {
  switch (type) {
    case 'bool':
      return parseBoolean(text)
    case 'long':
    case 'long64':
    case 'number':
      return parseNumber(text)
    case 'string':
      return text
    case 'uuid':
      return canonicalUuid(text)
    case 'date':
      return parseDate(text, dateOnly)
    case 'duration':
      return parseDuration(text)
    case 'object':
    case 'image':
    case 'blob':
      return null
  }
}

/** `true` and `false`, in small or capital letters; null for any other text. */
export function parseBoolean(text: string): boolean | null {
  if (text.length !== 4 && text.length !== 5) return null
  const word = text.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : null
}

/** The 32 upper-case digits of a UUID in any spelling; null for any other text. */
export function canonicalUuid(text: string): string | null {
  return UUID.test(text) ? text.replaceAll('-', '').toUpperCase() : null
}

export { Refusal } from './check-options.ts'
