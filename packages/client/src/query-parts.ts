import { type FilterParts, textOf } from '@entia/core/query'
import type { PathTree } from './decode.ts'
import type { Parameters } from './transport.ts'

/**
 * JSON that writes quotes inside texts as the interface does: older servers find the end of the
 * value by its quotes.
 */
export const paramsOf = (values: readonly unknown[]): string =>
  JSON.stringify(values).replace(/\\.|'/g, (sign) => ESCAPED_QUOTES.get(sign) ?? sign)
const ESCAPED_QUOTES: ReadonlyMap<string, string> = new Map([
  ["'", '\\u0027'],
  ['\\"', '\\u0022'],
])

/** A query, as methods of a selection have put it together. */
export interface QueryParts {
  readonly filter: FilterParts | null
  /** Words that entities must have. */
  readonly search?: string
  readonly orderBy: string | null
  readonly attributes: string | null
  /** Those of `attributes`. */
  readonly paths?: PathTree
}
export const ALL_MEMBERS: QueryParts = { filter: null, orderBy: null, attributes: null }

/** The parameters of the requests of a selection. */
export function parametersOf({ filter, search, orderBy, attributes }: QueryParts): Parameters {
  return {
    // The outer quotes separate the parameter's quotes from those of the filter, whose text is
    // unchanged.
    $filter: filter === null ? undefined : `"${textOf(filter)}"`,
    $params: filter === null || filter.values.length === 0 ? undefined : paramsOf(filter.values),
    $search: search === undefined ? undefined : sentWords(search),
    $orderby: orderBy ?? undefined,
    $attributes: attributes ?? undefined,
  }
}

/**
 * The words without the signs that separate them, such as quotes and halves of a surrogate pair,
 * which an address cannot have. A blank parameter is none, but a search without words finds
 * nothing.
 */
const sentWords = (search: string): string =>
  search.replace(/[^\p{L}\p{N}\p{M}@*]+/gu, ' ').trim() || '-'
