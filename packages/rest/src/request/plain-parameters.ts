import { restError } from '../errors/rest-error.ts'
import { type Limits, overLimit } from './limits.ts'
import { parseCount } from './parameter-values.ts'
import { decodePercent } from './percent.ts'

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

const OF_ONE: ReadonlySet<string> = new Set(['_embed', '_expand', '_'])
const OF_LISTS: ReadonlySet<string> = new Set(
  ['q', '_page', '_limit', '_start', '_end', '_sort', '_order'].concat([...OF_ONE]),
)

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
  if (values * 2 > limits.maxParams)
    throw overLimit('values in filters', 'maxParams', limits.maxParams)
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
  const given = valuesOf(query)
  for (const name of given.keys())
    if (!OF_ONE.has(name)) throw restError('parameterUnknown', { parameter: name.slice(0, 100) })
  return { embed: listOf(given, '_embed', limits), expand: listOf(given, '_expand', limits) }
}

/** Requests that change something, and those of the whole store, take no parameters. */
export function refuseParameters(query: string): void {
  for (const name of valuesOf(query).keys())
    if (name !== '_') throw restError('parameterUnknown', { parameter: name.slice(0, 100) })
}

/** Names and values as forms encode them, in the order of the address. */
export function valuesOf(query: string): ReadonlyMap<string, readonly string[]> {
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
  const paths = sort.split(',').map((path) => path.trim())
  if (paths.includes(''))
    throw restError('parameterInvalid', {
      parameter: '_sort',
      expected: 'names separated by single commas',
      found: `"${sort.slice(0, 40)}"`,
    })
  if (paths.length > limits.maxSortKeys)
    throw overLimit('names in _sort', 'maxSortKeys', limits.maxSortKeys)
  const orders = order === null ? [] : order.split(',').map((word) => word.trim().toLowerCase())
  for (const word of orders)
    if (word !== 'asc' && word !== 'desc' && word !== '')
      throw restError('parameterInvalid', {
        parameter: '_order',
        expected: 'asc or desc, one for each name of _sort',
        found: `"${word.slice(0, 40)}"`,
      })
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
  const [page, limit, start, end] = [
    count('_page'),
    count('_limit'),
    count('_start'),
    count('_end'),
  ]
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

function listOf(
  given: ReadonlyMap<string, readonly string[]>,
  name: string,
  { maxAttributePaths }: Limits,
): readonly string[] {
  const names = (given.get(name) ?? []).filter((each) => each !== '')
  if (names.length > maxAttributePaths)
    throw overLimit(`names in ${name}`, 'maxAttributePaths', maxAttributePaths)
  return names
}
