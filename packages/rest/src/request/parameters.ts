import type { SetOperator } from '@entia/core'
import type { ComputeAction, FilterText } from '@entia/engine'
import { restError } from '../errors/rest-error.ts'
import { type FilterParameter, parseFilterText, parseParams, parseSearch } from './filter-text.ts'
import type { Limits } from './limits.ts'
import {
  type AnswerFormat,
  computeActionOf,
  formatOf,
  invalidParameter,
  type Method,
  metadataOf,
  methodOf,
  operatorOf,
  parseBoolean,
  parseCount,
  parseNames,
  parseSkip,
  parseTimeout,
  parseVersion,
} from './parameter-values.ts'
import { unquote } from './percent.ts'
import { splitQuery } from './query-string.ts'
import { FILTERS } from './value-end.ts'

/** Names of one parameter. */
const ATOMIC = ['$atomic', '$atOnce', '$atonce'] as const

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * The typed parameters of a request; the defaults are those of an empty query. Lists and texts are
 * not resolved against the model yet.
 */
export class Parameters {
  /** Null when `$filter` is absent or blank. */
  readonly filter: FilterText | null = null
  /** The words to search; null when absent or blank. `filter` has them from `withSearch` on. */
  readonly search: string | null = null
  readonly orderBy: string | null = null
  /** Null when neither `$top` nor `$limit` was given. Never above `maxTop`. */
  readonly top: number | null = null
  readonly skip: number = 0
  /** Null for all attributes. */
  readonly attributes: readonly string[] | null = null
  readonly expand: readonly string[] = []
  readonly method: Method | null = null
  readonly compute: ComputeAction | null = null
  readonly distinct: boolean = false
  /** The attributes to group by; null when absent or blank. */
  readonly groupBy: readonly string[] | null = null
  /** The aggregates of groups: `count`, or a path and a function. */
  readonly aggregates: readonly string[] | null = null
  /** The condition on groups. It uses `$params` too. */
  readonly having: FilterText | null = null
  readonly asArray: boolean = false
  readonly format: AnswerFormat = 'json'
  readonly queryPlan: boolean = false
  readonly explain: boolean = false
  readonly queryPath: boolean = false
  readonly atomic: boolean = false
  readonly refresh: boolean = false
  /** Write `__TIMESTAMP` as a date-time in answers to saves, as in reads. */
  readonly isoTimestamps: boolean = false
  /** Answer the selection, followed by its changes as events. */
  readonly live: boolean = false
  /** Seconds; null when absent. Never above `maxSetLifetimeSeconds`. */
  readonly timeoutSeconds: number | null = null
  /** Recreates an expired entity set; null when absent or blank. It uses `$params` too. */
  readonly savedFilter: FilterText | null = null
  readonly savedOrderBy: string | null = null
  readonly subOrderBy: string | null = null
  readonly logicOperator: SetOperator | null = null
  /** The id, sent by itself or at the end of an address. */
  readonly otherCollection: string | null = null
  readonly clean: boolean = false
  /** True locks, false unlocks, null does neither. */
  readonly lock: boolean | null = null
  /** The format as sent. An unknown one is answered with the empty object. */
  readonly imageFormat: string | null = null
  /** The integer as sent. It only makes addresses differ. */
  readonly version: string | null = null
  readonly binary: boolean = false
  /** The media type of a raw body, or `true` to detect it; null when absent. */
  readonly rawPict: string | null = null
  /** The function to call on the addressed entity or selection. */
  readonly emMethod: string | null = null
  /** `$params` as sent: also the arguments of a function called by GET. */
  readonly params: FilterText['params'] = null
  /** The names of parameters whose values contained a `+`. */
  readonly withPlus: ReadonlySet<string> = NO_NAMES
  /** The first name that would be a parameter with a `$` before it; null if there is none. */
  readonly withoutDollar: string | null = null
}

type Draft = { -readonly [M in keyof Parameters]: Parameters[M] }
type Values = ReadonlyMap<string, string>
/** The members that can hold a value. */
type Holding<V> = { [M in keyof Parameters]: V extends Parameters[M] ? M : never }[keyof Parameters]

/** Reads a value; `to` has the parameters that are checked before it. */
type Parse<V> = (value: string, limits: Limits, to: Draft, values: Values) => V

/** A parameter, the member that it sets, if any, and how. */
type Known = readonly [name: string, member: keyof Parameters | null, read: Parse<void>]

const value = <M extends keyof Parameters>(
  name: string,
  member: M,
  parse: Parse<Parameters[M]>,
): Known => [
  name,
  member,
  (given, limits, to, values) => {
    to[member] = parse(given, limits, to, values)
  },
]

const flag = (name: string, member: Holding<boolean>): Known =>
  value(name, member, (given) => parseBoolean(name, given))

const names = (name: string, member: 'groupBy' | 'aggregates'): Known =>
  value(name, member, (given, limits) => parseNames(name, given, limits))

const filter = (name: FilterParameter, member: 'filter' | 'having' | 'savedFilter'): Known =>
  value(name, member, (given, limits, { params }) => parseFilterText(name, given, params, limits))

const textOf = (given: string): string | null => (given.trim() === '' ? null : given)

/** Every parameter, in the order in which they are checked. */
const PARAMETERS: readonly Known[] = [
  value('$method', 'method', methodOf),
  value('$params', 'params', parseParams),
  // The catalog has only the full form.
  ['$metadata', null, metadataOf],
  filter('$filter', 'filter'),
  value('$search', 'search', parseSearch),
  value('$orderby', 'orderBy', textOf),
  value('$top', 'top', (given) => parseCount('$top', given)),
  value('$limit', 'top', (given, _, { top }) => parseCount('$limit', given, top)),
  value('$skip', 'skip', parseSkip),
  value('$attributes', 'attributes', parseAttributes),
  value('$expand', 'expand', (given, limits) => parseNames('$expand', given, limits) ?? []),
  value('$compute', 'compute', computeActionOf),
  flag('$distinct', 'distinct'),
  names('$groupby', 'groupBy'),
  names('$aggregates', 'aggregates'),
  filter('$having', 'having'),
  flag('$asArray', 'asArray'),
  value('$format', 'format', formatOf),
  flag('$queryplan', 'queryPlan'),
  flag('$querypath', 'queryPath'),
  flag('$explain', 'explain'),
  ...ATOMIC.map((name) => value(name, 'atomic', (_, __, ___, values) => parseAtomic(values))),
  flag('$refresh', 'refresh'),
  flag('$isoTimestamps', 'isoTimestamps'),
  flag('$live', 'live'),
  value('$timeout', 'timeoutSeconds', (given, limits) =>
    parseTimeout(given, limits.maxSetLifetimeSeconds),
  ),
  filter('$savedfilter', 'savedFilter'),
  value('$savedorderby', 'savedOrderBy', textOf),
  value('$subOrderby', 'subOrderBy', textOf),
  value('$logicOperator', 'logicOperator', (given) => operatorOf(given.toUpperCase())),
  value(
    '$otherCollection',
    'otherCollection',
    (given) => textOf(given)?.trim().split('/').at(-1) ?? null,
  ),
  flag('$clean', 'clean'),
  flag('$lock', 'lock'),
  value('$imageformat', 'imageFormat', textOf),
  value('$version', 'version', parseVersion),
  flag('$binary', 'binary'),
  value('$rawPict', 'rawPict', textOf),
  value('$emMethod', 'emMethod', textOf),
]

const NAMES: ReadonlySet<string> = new Set(PARAMETERS.map(([name]) => name))
const ABSENT = new Parameters()

/** The name of the first of several parameters that asks for something; undefined if none does. */
export function firstGiven(
  parameters: Parameters,
  members: readonly (keyof Parameters)[],
): string | undefined {
  for (const given of members) {
    const value = parameters[given]
    if (Array.isArray(value) ? value.length > 0 : value !== ABSENT[given])
      return PARAMETERS.find(([, member]) => member === given)?.[0]
  }
  return undefined
}

/**
 * Reads the query string (without its `?`) into typed parameters. Ignores names without `$`.
 *
 * Throws parameterUnknown, parameterTwice, parameterInvalid, methodUnknown, computeActionUnknown,
 * formatUnknown, logicOperatorUnknown, quoteMissing, urlMalformed, budgetExceeded.
 */
export function parseParameters(query: string, limits: Limits): Parameters {
  const parameters: Draft = new Parameters()
  const values = collect(query, parameters)
  if (values.size > 0)
    for (const [name, , read] of PARAMETERS) {
      const value = values.get(name)
      if (value !== undefined) read(value, limits, parameters, values)
    }
  if (parameters.top !== null) parameters.top = Math.min(parameters.top, limits.maxTop)
  return parameters
}

/** The most query strings that are cached, and the length of each. */
const MAX_KNOWN = 256
const MAX_KNOWN_CHARACTERS = 1024

/**
 * Reads parameters by `parseParameters` and caches those of recent query strings, since clients
 * repeat them. Cached values cannot change: they are texts, numbers and lists that nothing writes
 * to. Cost: one lookup for a known query.
 */
export function parameterReader(limits: Limits): (query: string) => Parameters {
  const byQuery = new Map<string, Parameters>()
  return (query) => {
    const known = byQuery.get(query)
    if (known !== undefined) return known
    const parameters = parseParameters(query, limits)
    // The values of `$params` are passed to functions of the application, which could change them.
    if (query.length <= MAX_KNOWN_CHARACTERS && parameters.params === null) {
      if (byQuery.size >= MAX_KNOWN) byQuery.clear()
      byQuery.set(query, parameters)
    }
    return parameters
  }
}

/** Names that begin alike: those of a slip are probably among them. */
function unknownParameter(name: string): Error {
  const begins = (known: string) => known.slice(0, 3) === name.slice(0, 3).toLowerCase()
  const near = [...NAMES].filter(begins)
  const similar = near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`
  return restError('parameterUnknown', {
    parameter: name,
    remedy: `Names are case-sensitive.${similar}`,
  })
}

/**
 * Reads parameters until one is unknown or comes twice, so that a caller cannot make many filters
 * be read.
 */
function collect(query: string, to: Draft): Values {
  const values = new Map<string, string>()
  let withPlus: Set<string> | null = null
  for (const { name, value, hasPlus } of splitQuery(query)) {
    if (hasPlus) {
      withPlus ??= new Set()
      to.withPlus = withPlus.add(name)
    }
    if (!name.startsWith('$')) {
      if (NAMES.has(`$${name}`)) to.withoutDollar ??= name
      continue
    }
    if (!NAMES.has(name)) throw unknownParameter(name)
    if (values.has(name)) throw restError('parameterTwice', { parameter: name })
    // A filter may consist of two quoted pieces, so its quotes are removed later.
    values.set(name, FILTERS.has(name) ? value : unquote(value.trim()))
  }
  return values
}

function parseAttributes(value: string, limits: Limits): readonly string[] | null {
  const names = parseNames('$attributes', value, limits)
  return names?.length === 1 && names[0] === '*' ? null : names
}

/** The names of one parameter, which may not contradict each other. */
function parseAtomic(values: Values): boolean {
  let atomic: boolean | null = null
  for (const name of ATOMIC) {
    const value = values.get(name)
    if (value === undefined) continue
    const given = parseBoolean(name, value)
    if (atomic !== null && atomic !== given)
      throw invalidParameter(name, 'what $atomic says, since both mean the same', String(given))
    atomic = given
  }
  return atomic ?? false
}
