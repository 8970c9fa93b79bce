import { EntiaError } from '@entia/core'
import { type FilterText, parseFilterText } from './filter-text.ts'
import type { Limits } from './limits.ts'
import { parseBoolean, parseNames, parseSkip, parseTop, parseWord } from './parameter-values.ts'
import { unquote } from './percent.ts'
import { type QueryParameter, splitQuery } from './query-string.ts'

export type Method = 'delete' | 'entityset' | 'insert' | 'release' | 'subentityset' | 'update'
export type ComputeAction = 'all' | 'average' | 'count' | 'max' | 'min' | 'sum'

/** The parameters of a request, typed, with defaults applied; lists and texts are not yet resolved against a model. */
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
  readonly queryPlan: boolean
  readonly atomic: boolean
  readonly refresh: boolean
  /** Names of the parameters that were sent with a `+` in them. */
  readonly withPlus: ReadonlySet<string>
}

/** Known by the protocol, not served by this version: refused when they ask for something. */
const NOT_SERVED: ReadonlyMap<string, 'boolean' | 'any'> = new Map([
  ['$timeout', 'any'],
  ['$savedfilter', 'any'],
  ['$savedorderby', 'any'],
  ['$subOrderby', 'any'],
  ['$logicOperator', 'any'],
  ['$otherCollection', 'any'],
  ['$clean', 'boolean'],
  ['$lock', 'any'],
  ['$imageformat', 'any'],
  ['$binary', 'boolean'],
  ['$rawPict', 'any'],
  ['$emMethod', 'any'],
  ['$querypath', 'boolean'],
])

const SERVED: ReadonlySet<string> = new Set([
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
  '$atomic',
  '$atOnce',
  '$atonce',
  '$refresh',
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

/**
 * Reads the query string (without its `?`) into typed parameters. Names without `$` are ignored.
 * Throws parameterUnknown, parameterTwice, parameterInvalid, methodUnknown, computeActionUnknown, formatUnknown,
 *        methodNotApplicable for what this version does not serve, quoteMissing, urlMalformed.
 */
export function parseParameters(query: string, limits: Limits): Parameters {
  const given = splitQuery(query)
  const values = collect(given)
  refuseNotServed(values)
  parseFormat(values.get('$format'))
  const method = parseWord(
    values.get('$method'),
    METHODS,
    (found) => new EntiaError('methodUnknown', { method: found }),
  )
  const flag = (name: string): boolean => parseBoolean(name, values.get(name)) ?? false
  return {
    filter: parseFilterText(values.get('$filter'), values.get('$params'), limits),
    orderBy: parseOrderBy(values.get('$orderby')),
    top: parseTop(values.get('$top'), values.get('$limit'), limits.maxTop),
    skip: parseSkip(values.get('$skip')),
    attributes: parseAttributes(values.get('$attributes'), limits),
    expand: parseNames('$expand', values.get('$expand'), limits.maxAttributePaths) ?? [],
    method,
    compute: parseWord(
      values.get('$compute'),
      COMPUTE_ACTIONS,
      (found) => new EntiaError('computeActionUnknown', { action: found }),
    ),
    distinct: flag('$distinct'),
    asArray: flag('$asArray'),
    queryPlan: flag('$queryplan'),
    atomic: parseAtomic(values),
    refresh: flag('$refresh'),
    withPlus: new Set(given.filter(({ hasPlus }) => hasPlus).map(({ name }) => name)),
  }
}

function collect(given: readonly QueryParameter[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const { name, value } of given) {
    if (!name.startsWith('$')) continue
    if (!SERVED.has(name) && !NOT_SERVED.has(name)) throw new EntiaError('parameterUnknown', { parameter: name })
    if (values.has(name)) throw new EntiaError('parameterTwice', { parameter: name })
    // A filter may be two quoted pieces, so it loses its quotes later.
    values.set(name, name === '$filter' ? value : unquote(value.trim()))
  }
  return values
}

function refuseNotServed(values: ReadonlyMap<string, string>): void {
  for (const [name, kind] of NOT_SERVED) {
    const value = values.get(name)
    if (value === undefined || (kind === 'boolean' && parseBoolean(name, value) === false)) continue
    throw new EntiaError('methodNotApplicable', { what: name, problem: 'it is not supported by this version' })
  }
}

function parseFormat(value: string | undefined): void {
  if (value === undefined || value === 'json') return
  if (value === 'dashboard' || value === 'looker')
    throw new EntiaError('methodNotApplicable', {
      what: `$format=${value}`,
      problem: 'it is not supported by this version',
    })
  throw new EntiaError('formatUnknown', { format: value })
}

function parseOrderBy(value: string | undefined): string | null {
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
      throw new EntiaError('parameterInvalid', {
        parameter: name,
        expected: 'what $atomic says, since both mean the same',
        found: String(given),
      })
    atomic = given
  }
  return atomic ?? false
}
