import type { EntiaError, SetOperator } from '@entia/core'
import type { ComputeAction } from '@entia/engine'
import { restError } from '../errors/rest-error.ts'
import { type Limits, refuseOver } from './limits.ts'

/** All names with `__` in answers: clients send entities back as they read them. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  ...[
    '__KEY',
    '__STAMP',
    '__TIMESTAMP',
    '__DATACLASS',
    '__entityModel',
    '__STATUS',
    '__ERROR',
    '__GlobalStamp',
  ],
  ...['__ENTITY', '__ENTITIES', '__ENTITYSET', '__COUNT', '__FIRST', '__SENT', '__deferred'],
  ...['__queryPlan', '__queryPath', '__extendedQueryPlan', '__extendedQueryPath', '__explain'],
  // Some clients set it in entities that are not saved yet.
  '__ISNEW',
])

/**
 * Refuses a name that starts with `__` and does not belong to the protocol: with a misspelt
 * `__STAMP` a change would pass unchecked. Throws bodyMalformed.
 */
export function refuseForeignNames(names: Iterable<string>): void {
  for (const name of names)
    if (name.startsWith('__') && !PROTOCOL_NAMES.has(name))
      throw restError('bodyMalformed', {
        problem: `"${name.slice(0, 100)}" is not a name of the protocol`,
      })
}

export type Method = 'delete' | 'entityset' | 'insert' | 'release' | 'subentityset' | 'update'
export type AnswerFormat = 'json' | 'dashboard'

/** One of several words. Throws what `onUnknown` makes. */
function wordOf<W>(
  words: Iterable<readonly [string, W]>,
  onUnknown: (found: string) => EntiaError,
) {
  const byName = new Map(words)
  return (value: string): W => {
    const word = byName.get(value)
    if (word === undefined) throw onUnknown(value.slice(0, 40))
    return word
  }
}

const pairs = <W extends string>(...words: readonly W[]): readonly (readonly [W, W])[] =>
  words.map((word) => [word, word])

export const methodOf = wordOf(
  pairs<Method>('delete', 'entityset', 'insert', 'release', 'subentityset', 'update'),
  (method) => restError('methodUnknown', { method }),
)
export const computeActionOf = wordOf<ComputeAction>(
  [['$all', 'all'], ...pairs<ComputeAction>('all', 'average', 'count', 'max', 'min', 'sum')],
  (action) => restError('computeActionUnknown', { action }),
)
export const formatOf = wordOf<AnswerFormat>(
  // An older name.
  [['looker', 'dashboard'], ...pairs<AnswerFormat>('json', 'dashboard')],
  (format) => restError('formatUnknown', { format }),
)
export const operatorOf = wordOf(
  pairs<SetOperator>('AND', 'OR', 'EXCEPT', 'INTERSECT'),
  (operator) => restError('logicOperatorUnknown', { operator }),
)
export const metadataOf = wordOf(pairs('full'), (found) =>
  invalidParameter('$metadata', 'full', found),
)

/** Quotes a text for a message, shortened if necessary. */
export function quoteFound(value: string): string {
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
}

/** The refusal of the value of a parameter or header; `found` describes it. */
export const invalidParameter = (parameter: string, expected: string, found: string): EntiaError =>
  restError('parameterInvalid', { parameter, expected, found })

const invalid = (parameter: string, expected: string, value: string): EntiaError =>
  invalidParameter(parameter, expected, quoteFound(value))

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
  limits: Limits,
): readonly string[] | null {
  if (value.trim() === '') return null
  const names = value.split(',').map((name) => name.trim())
  // A trailing comma is allowed.
  if (names.at(-1) === '') names.pop()
  if (names.length === 0 || names.includes(''))
    throw invalid(parameter, 'names separated by single commas', value)
  refuseOver(names.length, `paths in ${parameter}`, 'maxAttributePaths', limits)
  return names
}
