import { restError } from '../errors/rest-error.ts'
import { readKeySegment } from './key-text.ts'
import { type Limits, refuseOver } from './limits.ts'
import { invalidParameter, parseCount } from './parameter-values.ts'
import { parseParameters } from './parameters.ts'
import { decodePercent } from './percent.ts'
import {
  type Action,
  type RequestHead,
  targetOf,
  VERBS,
  type Verb,
  verbNotAllowed,
} from './request.ts'

/** A resource of the plain interface: all entities of a dataclass, or only one of them. */
export interface PlainResource {
  /** The first segment of its address, decoded. */
  readonly name: string
  readonly dataClass: string
  /** The key of the only entity as text, for a singular resource; null for a list. */
  readonly only: string | null
  /** The object attribute that keeps members without an attribute of their own, or null. */
  readonly others: string | null
  /** To-many relations, by their name and by the name of the resource that they lead to. */
  readonly nested: ReadonlyMap<string, NestedResource>
}

export interface NestedResource {
  readonly relation: string
  readonly dataClass: string
}

/** The address of the whole store, as an object of all resources. */
export const WHOLE_STORE = 'db'

/** The addressed resource, before it is resolved against the model. */
export interface PlainAddress {
  /** The whole store, a resource, or neither. */
  readonly kind: 'store' | 'resource' | 'missing'
  /** Null unless the address names one. */
  readonly resource: PlainResource | null
  /** The verbs of the address. */
  readonly allowed: readonly string[]
  readonly method: string
  /** The key as text; null for a list. */
  readonly key: string | null
  /** The name behind the key, as in `posts/1/comments`. */
  readonly nested: string | null
  /** True for PUT, and POST to a singular resource: members that are not given become null. */
  readonly replaces: boolean
  /** The address as sent, without the host: path, and parameters without their `?`. */
  readonly path: string
  readonly query: string
}

/** A request of the plain interface without its body. */
export interface PlainHead extends RequestHead {
  readonly plain: PlainAddress
}

export interface PlainOptions {
  readonly basePath: string
  readonly limits: Limits
  /** By name. */
  readonly resources: ReadonlyMap<string, PlainResource>
}

const LIST = ['GET', 'HEAD', 'POST', 'OPTIONS']
const ENTITY = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const SINGULAR = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS']
const STORE = ['GET', 'HEAD', 'OPTIONS']
const ANY = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Reads verb and address of a request such as `PATCH /posts/1`. Nothing is refused that depends on
 * which resources exist: that is known once the caller is. Throws urlTooLong, urlMalformed.
 */
export function parsePlainHead(method: string, url: string, options: PlainOptions): PlainHead {
  const { path, query } = targetOf(url, options.limits)
  const found = find(path, options)
  const { resource } = found
  const verb = verbOf(method)
  return {
    verb,
    action: actionOf(method, resource),
    address: addressOf(found, verb),
    parameters: parseParameters('', options.limits),
    takesBody: verb === 'POST' || verb === 'PUT',
    changesState: verb !== 'GET' && verb !== 'OPTIONS',
    plain: {
      ...found,
      allowed: verbsOf(found),
      method,
      replaces: method === 'PUT' || (method === 'POST' && resource?.only != null),
      path,
      query,
    },
  }
}

/**
 * The request by which a browser asks before a page of another origin sends what its user may do.
 * It says nothing about resources: it has no credentials.
 */
export const preflightOf = (head: PlainHead): PlainHead => ({
  ...head,
  plain: { ...head.plain, kind: 'store', nested: null, allowed: ANY },
})

/**
 * Refuses what does not exist for the caller, then a verb that the address does not have: other
 * orders would reveal hidden resources. Throws resourceNotFound, verbNotAllowed.
 */
export function refusePlain({ plain }: PlainHead, names: KnownNames): void {
  const { kind, resource, nested, allowed, method } = plain
  const target = nested === null ? undefined : resource?.nested.get(nested)
  const isKnown = (dataClass: string): boolean => names.findDataClass(dataClass) !== undefined
  const isThere =
    kind === 'store' ||
    (resource !== null &&
      isKnown(resource.dataClass) &&
      (target === undefined || isKnown(target.dataClass)))
  if (!isThere) throw restError('resourceNotFound', { basePath: '' })
  if (!allowed.includes(method)) throw verbNotAllowed(method, allowed)
}

/** The dataclasses that the caller knows. */
interface KnownNames {
  findDataClass(name: string): object | undefined
}

type Found = Pick<PlainAddress, 'kind' | 'resource' | 'key' | 'nested'>

const MISSING: Found = { kind: 'missing', resource: null, key: null, nested: null }

function find(path: string, { basePath, resources }: PlainOptions): Found {
  if (path !== basePath && !path.startsWith(`${basePath}/`)) return MISSING
  const segments = path.slice(basePath.length).split('/').filter(Boolean).map(decodePercent)
  const [name = '', key = null, nested = null] = segments
  if (segments.length > 3) return MISSING
  const resource = resources.get(name) ?? null
  if (resource === null)
    return name === WHOLE_STORE && key === null ? { ...MISSING, kind: 'store' } : MISSING
  if (nested !== null && !resource.nested.has(nested)) return MISSING
  if (resource.only === null)
    return { kind: 'resource', resource, key: key === null ? null : readKeySegment(key), nested }
  // The address of a singular resource has no key.
  return key === null ? { kind: 'resource', resource, key: resource.only, nested } : MISSING
}

function verbsOf({ resource, key, nested }: Found): readonly string[] {
  if (resource === null) return STORE
  if (resource.only !== null) return SINGULAR
  return key === null || nested !== null ? LIST : ENTITY
}

const verbOf = (method: string): Verb => (method === 'PATCH' ? 'PUT' : (VERBS.get(method) ?? 'GET'))

function actionOf(method: string, resource: PlainResource | null): Action {
  if (method === 'DELETE') return 'delete'
  if (method === 'POST') return resource?.only == null ? 'insert' : 'update'
  return method === 'PUT' || method === 'PATCH' ? 'update' : 'retrieve'
}

/**
 * The address that permissions apply to. `POST posts/1/comments` creates a comment; a read of the
 * same address follows the relation, which is added when the caller is known.
 */
function addressOf({ kind, resource, key, nested }: Found, verb: Verb): RequestHead['address'] {
  if (kind === 'store') return { kind: 'catalog', names: null }
  const created = verb === 'POST' && nested !== null ? resource?.nested.get(nested) : undefined
  return {
    kind: 'data',
    dataClass: created?.dataClass ?? resource?.dataClass ?? '',
    selector: key === null || created !== undefined ? null : { kind: 'key', text: key },
    parts: [],
  }
}

/** The parameters of a list in the plain interface, not resolved against the model. */
export interface PlainParameters {
  /** Text to search for in all attributes; null when absent or empty. */
  readonly search: string | null
  /** Names with their values, in the order of the address: `views_gte`, `author.name`. */
  readonly filters: ReadonlyMap<string, readonly string[]>
  readonly sort: readonly { readonly path: string; readonly isDescending: boolean }[]
  readonly skip: number
  /** Null for all. */
  readonly top: number | null
  /** The number and size of the page that `_page` names; null without it. */
  readonly page: { readonly number: number; readonly size: number } | null
  readonly embed: readonly string[]
  readonly expand: readonly string[]
}

const OF_ONE: readonly string[] = ['_embed', '_expand', '_']
/** Parameters of lists that are no filters, without `_`, which only makes addresses differ. */
// biome-ignore format: one line of names
export const LIST_PARAMETERS: readonly string[] = [
  'q', '_page', '_limit', '_start', '_end', '_sort', '_order', '_embed', '_expand',
]
const OF_LISTS: ReadonlySet<string> = new Set([...LIST_PARAMETERS, ...OF_ONE])

/** Whether a parameter of a list is not a filter. */
export const isListParameter = (name: string): boolean => OF_LISTS.has(name)

/** Entities of a page without `_limit`. */
const PAGE_SIZE = 10

/**
 * Reads the parameters of a list. Every name that is not a parameter counts as a filter. Throws
 * parameterInvalid, parameterTwice, urlMalformed, budgetExceeded.
 */
export function parsePlainParameters(query: string, limits: Limits): PlainParameters {
  const given = valuesOf(query)
  const one = (name: string): string | null => {
    const [value = null, ...more] = given.get(name) ?? []
    if (more.length > 0) throw restError('parameterTwice', { parameter: name })
    return value === '' ? null : value
  }
  const filters = new Map([...given].filter(([name]) => !isListParameter(name)))
  let values = 0
  for (const list of filters.values()) values += list.length
  // Each value takes two placeholders of the filter.
  refuseOver(values * 2, 'values in filters', 'maxParams', limits)
  return {
    search: one('q'),
    filters,
    sort: parseSort(one('_sort'), one('_order'), limits),
    ...parsePage(one),
    embed: listOf(given, '_embed', limits),
    expand: listOf(given, '_expand', limits),
  }
}

/** Refuses everything except `_embed`, `_expand` and `_`. Throws parameterUnknown. */
export function parseEntityParameters(
  query: string,
  limits: Limits,
): Pick<PlainParameters, 'embed' | 'expand'> {
  const remedy = 'One entity takes _embed and _expand; filters and pages are for lists.'
  const given = valuesOf(query)
  refuseOthers(given, OF_ONE, remedy)
  return { embed: listOf(given, '_embed', limits), expand: listOf(given, '_expand', limits) }
}

/** Requests that change something, and those of the whole store, take no parameters. */
export function refuseParameters(query: string): void {
  const remedy = 'Changes, and the address of the whole file, take no parameters.'
  refuseOthers(valuesOf(query), ['_'], remedy)
}

function refuseOthers(given: Given, known: readonly string[], remedy: string): void {
  for (const name of given.keys())
    if (!known.includes(name))
      throw restError('parameterUnknown', { parameter: name.slice(0, 100), remedy })
}

type Given = ReadonlyMap<string, readonly string[]>

/** Names and values as forms encode them, in the order of the address. */
export function valuesOf(query: string): Given {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const [name, value] = [
      equals < 0 ? pair : pair.slice(0, equals),
      equals < 0 ? '' : pair.slice(equals + 1),
    ].map((text) => decodePercent(text.replaceAll('+', ' ')))
    const list = values.get(name!)
    if (list === undefined) values.set(name!, [value!])
    else list.push(value!)
  }
  return values
}

function parseSort(sort: string | null, order: string | null, limits: Limits) {
  if (sort === null) return []
  const refuse = (parameter: string, expected: string, found: string): never => {
    throw invalidParameter(parameter, expected, `"${found.slice(0, 40)}"`)
  }
  const paths = sort.split(',').map((path) => path.trim())
  if (paths.includes('')) refuse('_sort', 'names separated by single commas', sort)
  refuseOver(paths.length, 'names in _sort', 'maxSortKeys', limits)
  if (paths.some((path) => path.startsWith('-')))
    refuse('_sort', 'names, with _order=desc for a descending one', sort)
  const orders = order === null ? [] : order.split(',').map((word) => word.trim().toLowerCase())
  for (const word of orders)
    if (word !== 'asc' && word !== 'desc' && word !== '')
      refuse('_order', 'asc or desc, one for each name of _sort', word)
  return paths.map((path, at) => ({ path, isDescending: orders[at] === 'desc' }))
}

/** Which members of the list are answered. `_page` wins over `_end`, and that over `_limit`. */
function parsePage(
  one: (name: string) => string | null,
): Pick<PlainParameters, 'skip' | 'top' | 'page'> {
  const count = (name: string): number | null => {
    const value = one(name)
    return value === null ? null : parseCount(name, value)
  }
  const page = count('_page')
  const limit = count('_limit')
  const start = count('_start')
  const end = count('_end')
  if (page !== null) {
    const size = limit === null || limit === 0 ? PAGE_SIZE : limit
    const number = Math.max(page, 1)
    return { skip: bounded((number - 1) * size), top: size, page: { number, size } }
  }
  const skip = bounded(start ?? 0)
  if (end !== null) return { skip, top: Math.max(end - skip, 0), page: null }
  return { skip, top: limit, page: null }
}

const bounded = (count: number): number => Math.min(count, Number.MAX_SAFE_INTEGER)

function listOf(given: Given, name: string, limits: Limits): readonly string[] {
  const names = (given.get(name) ?? []).filter((each) => each !== '')
  refuseOver(names.length, `names in ${name}`, 'maxAttributePaths', limits)
  return names
}
