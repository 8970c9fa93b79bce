import type { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { overLimit } from './limits.ts'

/** Quotes a text for a message, shortened if necessary. */
export function quoteFound(value: string): string {
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
}

const invalid = (parameter: string, expected: string, value: string): EntiaError =>
  restError('parameterInvalid', { parameter, expected, found: quoteFound(value) })

/** `true`/`1`, `false`/`0`; null when absent. Throws parameterInvalid for other values. */
export function parseBoolean(parameter: string, value: string | undefined): boolean | null {
  if (value === undefined) return null
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw invalid(parameter, 'true or false', value)
}

/** A word of a table; null when absent. */
export function parseWord<W>(
  value: string | undefined,
  words: ReadonlyMap<string, W>,
  onUnknown: (found: string) => EntiaError,
): W | null {
  if (value === undefined) return null
  const word = words.get(value)
  if (word === undefined) throw onUnknown(value.slice(0, 40))
  return word
}

/**
 * `$top` and `$limit` are the same parameter and may not differ. A value above `maxTop` is reduced,
 * as `__SENT` shows.
 */
export function parseTop(top: string | undefined, limit: string | undefined, maxTop: number): number | null {
  const first = parseCount('$top', top)
  const second = parseCount('$limit', limit)
  if (first !== null && second !== null && first !== second)
    throw invalid('$limit', 'the number that $top has, since both mean the same', limit ?? '')
  const given = first ?? second
  return given === null ? null : Math.min(given, maxTop)
}

/** An integer. A negative one counts as 0, since some clients send it. */
export function parseSkip(value: string | undefined): number {
  if (value === undefined) return 0
  if (!/^-?\d+$/.test(value)) throw invalid('$skip', 'an integer', value)
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER)
}

/** Seconds above 0, at most `maxSeconds`; null when absent. Throws parameterInvalid. */
export function parseTimeout(value: string | undefined, maxSeconds: number): number | null {
  if (value === undefined) return null
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0
  if (seconds > 0) return Math.min(seconds, maxSeconds)
  throw invalid('$timeout', 'a number of seconds above 0', value)
}

/** An integer as text; null when absent or blank. */
export function parseVersion(value: string | undefined): string | null {
  if (value === undefined || value.trim() === '') return null
  if (/^-?\d+$/.test(value)) return value
  throw invalid('$version', 'an integer', value)
}

function parseCount(parameter: string, value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^\d+$/.test(value)) throw invalid(parameter, 'an integer from 0', value)
  return Number(value)
}

/**
 * A comma-separated list of paths; null when absent or blank. Throws parameterInvalid for an empty
 * name, budgetExceeded for too many.
 */
export function parseNames(parameter: string, value: string | undefined, maxPaths: number): readonly string[] | null {
  if (value === undefined || value.trim() === '') return null
  const names = value.split(',').map((name) => name.trim())
  // A trailing comma is allowed.
  if (names.at(-1) === '') names.pop()
  if (names.length === 0 || names.includes('')) throw invalid(parameter, 'names separated by single commas', value)
  if (names.length > maxPaths) throw overLimit(`paths in ${parameter}`, 'maxAttributePaths', maxPaths)
  return names
}
