import type { EntiaError, SetOperator } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { type FilterText, parseFilterText, parseParams } from './filter-text.ts'
import type { Limits } from './limits.ts'
import {
  parseBoolean,
  parseNames,
  parseSkip,
  parseTimeout,
  parseTop,
  parseVersion,
  parseWord,
} from './parameter-values.ts'
import { unquote } from './percent.ts'
import { type QueryParameter, splitQuery } from './query-string.ts'

export type Method = 'delete' | 'entityset' | 'insert' | 'release' | 'subentityset' | 'update'
export type ComputeAction = 'all' | 'average' | 'count' | 'max' | 'min' | 'sum'

/**
 * The typed parameters of a request, with defaults. Lists and texts are not resolved against the
 * model yet.
 */
export interface Parameters {
  /** Null when `$filter` is absent or blank. */
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Null when neither `$top` nor `$limit` was given. Never above `maxTop`. */
  readonly top: number | null
  readonly skip: number
  /** Null for all attributes. */
  readonly attributes: readonly string[] | null
  readonly expand: readonly string[]
  readonly method: Method | null
  readonly compute: ComputeAction | null
  readonly distinct: boolean
  readonly asArray: boolean
  readonly format: 'json' | 'dashboard'
  readonly queryPlan: boolean
  readonly explain: boolean
  readonly queryPath: boolean
  readonly atomic: boolean
  readonly refresh: boolean
  /** Answer the selection, followed by its changes as events. */
  readonly live: boolean
  /** Seconds; null when absent. Never above `maxSetLifetimeSeconds`. */
  readonly timeoutSeconds: number | null
  /**
   * The filter that recreates an expired entity set; null when absent or blank. It uses `$params`
   * too.
   */
  readonly savedFilter: FilterText | null
  readonly savedOrderBy: string | null
  readonly subOrderBy: string | null
  readonly logicOperator: SetOperator | null
  /** The id, sent by itself or at the end of an address. */
  readonly otherCollection: string | null
  readonly clean: boolean
  /** True locks, false unlocks, null does neither. */
  readonly lock: boolean | null
  /** The format as sent. An unknown one is answered with the empty object. */
  readonly imageFormat: string | null
  /** The integer as sent. It only makes addresses differ. */
  readonly version: string | null
  readonly binary: boolean
  /** The media type of a raw body, or `true` to detect it; null when absent. */
  readonly rawPict: string | null
  /** The function to call on the addressed entity or selection. */
  readonly emMethod: string | null
  /** `$params` as sent: also the arguments of a function called by GET. */
  readonly params: FilterText['params']
  /** The names of parameters whose values contained a `+`. */
  readonly withPlus: ReadonlySet<string>
  /** The first name that would be a parameter with a `$` before it; null if there is none. */
  readonly withoutDollar: string | null
}

const KNOWN: ReadonlySet<string> = new Set([
  '$filter',
  '$params',
  '$orderby',
  '$top',
  '$limit',
  '$skip',
  '$attributes',
  '$expand',
  '$method',
  '$compute',
  '$distinct',
  '$format',
  '$asArray',
  '$version',
  '$queryplan',
  '$querypath',
  '$explain',
  '$atomic',
  '$atOnce',
  '$atonce',
  '$refresh',
  '$live',
  '$timeout',
  '$savedfilter',
  '$savedorderby',
  '$subOrderby',
  '$logicOperator',
  '$otherCollection',
  '$clean',
  '$lock',
  '$imageformat',
  '$binary',
  '$rawPict',
  '$emMethod',
  '$metadata',
])

const METHODS: ReadonlyMap<string, Method> = new Map(
  (['delete', 'entityset', 'insert', 'release', 'subentityset', 'update'] as const).map((method) => [method, method]),
)
const COMPUTE_ACTIONS: ReadonlyMap<string, ComputeAction> = new Map([
  ['$all', 'all'],
  ['all', 'all'],
  ['average', 'average'],
  ['count', 'count'],
  ['max', 'max'],
  ['min', 'min'],
  ['sum', 'sum'],
])

const FORMATS: ReadonlyMap<string, Parameters['format']> = new Map([
  ['json', 'json'],
  ['dashboard', 'dashboard'],
  // An older name.
  ['looker', 'dashboard'],
])
const SET_OPERATORS: ReadonlyMap<string, SetOperator> = new Map(
  (['AND', 'OR', 'EXCEPT', 'INTERSECT'] as const).map((operator) => [operator, operator]),
)

const METADATA: ReadonlyMap<string, 'full'> = new Map([['full', 'full']])
const refuseMetadata = (found: string): EntiaError =>
  restError('parameterInvalid', { parameter: '$metadata', expected: 'full', found })

/**
 * Reads the query string (without its `?`) into typed parameters. Ignores names without `$`.
 *
 * Throws parameterUnknown, parameterTwice, parameterInvalid, methodUnknown, computeActionUnknown,
 * formatUnknown, logicOperatorUnknown, quoteMissing, urlMalformed, budgetExceeded.
 */
export function parseParameters(query: string, limits: Limits): Parameters {
  const given: QueryParameter[] = []
  const values = collect(query, given)
  const method = parseWord(values.get('$method'), METHODS, (found) => restError('methodUnknown', { method: found }))
  const flag = (name: string): boolean => parseBoolean(name, values.get(name)) ?? false
  const params = parseParams(values.get('$params'), limits)
  // The catalog has only the full form.
  parseWord(values.get('$metadata'), METADATA, refuseMetadata)
  return {
    filter: parseFilterText('$filter', values.get('$filter'), params, limits),
    orderBy: parseText(values.get('$orderby')),
    top: parseTop(values.get('$top'), values.get('$limit'), limits.maxTop),
    skip: parseSkip(values.get('$skip')),
    attributes: parseAttributes(values.get('$attributes'), limits),
    expand: parseNames('$expand', values.get('$expand'), limits.maxAttributePaths) ?? [],
    method,
    compute: parseWord(values.get('$compute'), COMPUTE_ACTIONS, (found) =>
      restError('computeActionUnknown', { action: found }),
    ),
    distinct: flag('$distinct'),
    asArray: flag('$asArray'),
    format:
      parseWord(values.get('$format'), FORMATS, (found) => restError('formatUnknown', { format: found })) ?? 'json',
    queryPlan: flag('$queryplan'),
    queryPath: flag('$querypath'),
    explain: flag('$explain'),
    atomic: parseAtomic(values),
    refresh: flag('$refresh'),
    live: flag('$live'),
    timeoutSeconds: parseTimeout(values.get('$timeout'), limits.maxSetLifetimeSeconds),
    savedFilter: parseFilterText('$savedfilter', values.get('$savedfilter'), params, limits),
    savedOrderBy: parseText(values.get('$savedorderby')),
    subOrderBy: parseText(values.get('$subOrderby')),
    logicOperator: parseWord(values.get('$logicOperator')?.toUpperCase(), SET_OPERATORS, (found) =>
      restError('logicOperatorUnknown', { operator: found }),
    ),
    otherCollection: parseText(values.get('$otherCollection'))?.trim().split('/').at(-1) ?? null,
    clean: flag('$clean'),
    lock: parseBoolean('$lock', values.get('$lock')),
    imageFormat: parseText(values.get('$imageformat')),
    version: parseVersion(values.get('$version')),
    binary: flag('$binary'),
    rawPict: parseText(values.get('$rawPict')),
    emMethod: parseText(values.get('$emMethod')),
    params,
    withPlus: new Set(given.filter(({ hasPlus }) => hasPlus).map(({ name }) => name)),
    withoutDollar: given.find(({ name }) => KNOWN.has(`$${name}`))?.name ?? null,
  }
}

function collect(query: string, given: QueryParameter[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const parameter of splitQuery(query)) {
    given.push(parameter)
    const { name, value } = parameter
    if (!name.startsWith('$')) continue
    if (!KNOWN.has(name)) throw restError('parameterUnknown', { parameter: name })
    if (values.has(name)) throw restError('parameterTwice', { parameter: name })
    // A filter may consist of two quoted pieces, so its quotes are removed later.
    values.set(name, name === '$filter' || name === '$savedfilter' ? value : unquote(value.trim()))
  }
  return values
}

/** Null for blank text. */
function parseText(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value
}

function parseAttributes(value: string | undefined, limits: Limits): readonly string[] | null {
  const names = parseNames('$attributes', value, limits.maxAttributePaths)
  return names === null || (names.length === 1 && names[0] === '*') ? null : names
}

function parseAtomic(values: ReadonlyMap<string, string>): boolean {
  let atomic: boolean | null = null
  for (const name of ['$atomic', '$atOnce', '$atonce']) {
    const given = parseBoolean(name, values.get(name))
    if (given === null) continue
    if (atomic !== null && atomic !== given)
      throw restError('parameterInvalid', {
        parameter: name,
        expected: 'what $atomic says, since both mean the same',
        found: String(given),
      })
    atomic = given
  }
  return atomic ?? false
}
