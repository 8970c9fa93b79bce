import { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

/** The given text, short enough for a message. */
export function quoteFound(value: string): string {
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
}

/** `true`/`1`, `false`/`0`; null when absent. Throws parameterInvalid for anything else. */
export function parseBoolean(parameter: string, value: string | undefined): boolean | null {
  if (value === undefined) return null
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw restError('parameterInvalid', { parameter, expected: 'true or false', found: quoteFound(value) })
}

/** One of the words of a table; null when absent. */
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

/** `$top` and `$limit` are one parameter: equal is fine, different is not. Above `maxTop` it is cut, which `__SENT` tells. */
export function parseTop(top: string | undefined, limit: string | undefined, maxTop: number): number | null {
  const first = parseCount('$top', top)
  const second = parseCount('$limit', limit)
  if (first !== null && second !== null && first !== second)
    throw restError('parameterInvalid', {
      parameter: '$limit',
      expected: 'the number that $top has, since both mean the same',
      found: quoteFound(limit ?? ''),
    })
  const given = first ?? second
  return given === null ? null : Math.min(given, maxTop)
}

/** An integer; a negative one counts as 0, since real clients send it. */
export function parseSkip(value: string | undefined): number {
  if (value === undefined) return 0
  if (!/^-?\d+$/.test(value))
    throw restError('parameterInvalid', { parameter: '$skip', expected: 'an integer', found: quoteFound(value) })
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER)
}

/** Seconds above 0, cut to the longest lifetime; null when absent. Throws parameterInvalid. */
export function parseTimeout(value: string | undefined, maxSeconds: number): number | null {
  if (value === undefined) return null
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0
  if (seconds > 0) return Math.min(seconds, maxSeconds)
  throw restError('parameterInvalid', {
    parameter: '$timeout',
    expected: 'a number of seconds above 0',
    found: quoteFound(value),
  })
}

/** An integer, as text; null when absent or blank. */
export function parseVersion(value: string | undefined): string | null {
  if (value === undefined || value.trim() === '') return null
  if (/^-?\d+$/.test(value)) return value
  throw restError('parameterInvalid', { parameter: '$version', expected: 'an integer', found: quoteFound(value) })
}

function parseCount(parameter: string, value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^\d+$/.test(value))
    throw restError('parameterInvalid', { parameter, expected: 'an integer from 0', found: quoteFound(value) })
  return Number(value)
}

/** A comma list of paths; null when absent or blank. Throws parameterInvalid for an empty place and for too many. */
export function parseNames(parameter: string, value: string | undefined, maxPaths: number): readonly string[] | null {
  if (value === undefined || value.trim() === '') return null
  const names = value.split(',').map((name) => name.trim())
  // A comma at the end is a habit, not a mistake.
  if (names.at(-1) === '') names.pop()
  if (names.length === 0 || names.includes(''))
    throw restError('parameterInvalid', {
      parameter,
      expected: 'names separated by single commas',
      found: quoteFound(value),
    })
  if (names.length > maxPaths)
    throw new EntiaError('budgetExceeded', {
      what: `paths in ${parameter}`,
      limit: maxPaths,
      option: 'limits.maxAttributePaths',
    })
  return names
}
