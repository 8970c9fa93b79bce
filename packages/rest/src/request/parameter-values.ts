import type { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { overLimit } from './limits.ts'

/** Quotes a text for a message, shortened if necessary. */
export function quoteFound(value: string): string {
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
}

const invalid = (parameter: string, expected: string, value: string): EntiaError =>
  restError('parameterInvalid', { parameter, expected, found: quoteFound(value) })

/** `true`/`1`, `false`/`0`. Throws parameterInvalid for other values. */
export function parseBoolean(parameter: string, value: string): boolean {
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw invalid(parameter, 'true or false', value)
}

/**
 * An integer from 0. `$top` and `$limit` are the same parameter: `top` is the value of the other.
 */
export function parseCount(parameter: string, value: string, top: number | null = null): number {
  if (!/^\d+$/.test(value)) throw invalid(parameter, 'an integer from 0', value)
  if (top !== null && top !== Number(value))
    throw invalid(parameter, 'the number that $top has, since both mean the same', value)
  return Number(value)
}

/** An integer. A negative one counts as 0, since some clients send it. */
export function parseSkip(value: string): number {
  if (!/^-?\d+$/.test(value)) throw invalid('$skip', 'an integer', value)
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER)
}

/** Seconds above 0, at most `maxSeconds`. Throws parameterInvalid. */
export function parseTimeout(value: string, maxSeconds: number): number {
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0
  if (seconds > 0) return Math.min(seconds, maxSeconds)
  throw invalid('$timeout', 'a number of seconds above 0', value)
}

/** An integer as text; null when blank. */
export function parseVersion(value: string): string | null {
  if (value.trim() === '') return null
  if (/^-?\d+$/.test(value)) return value
  throw invalid('$version', 'an integer', value)
}

/**
 * A comma-separated list of paths; null when blank. Throws parameterInvalid for an empty
 * name, budgetExceeded for too many.
 */
export function parseNames(
  parameter: string,
  value: string,
  maxPaths: number,
): readonly string[] | null {
  if (value.trim() === '') return null
  const names = value.split(',').map((name) => name.trim())
  // A trailing comma is allowed.
  if (names.at(-1) === '') names.pop()
  if (names.length === 0 || names.includes(''))
    throw invalid(parameter, 'names separated by single commas', value)
  if (names.length > maxPaths)
    throw overLimit(`paths in ${parameter}`, 'maxAttributePaths', maxPaths)
  return names
}
