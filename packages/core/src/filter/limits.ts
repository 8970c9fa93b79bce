import { filterError } from './filter-errors.ts'

/**
 * How large a filter may be. All limits count parts of the text; `maxListItems` also counts given
 * values.
 */
export interface FilterLimits {
  /** Characters (UTF-16 units) of a filter or an order. */
  readonly maxFilterLength: number
  /** Parentheses and `not` around one comparison. */
  readonly maxFilterDepth: number
  /** Names in one path, relations and properties together. */
  readonly maxPathSegments: number
  /** Values in one list behind `in`, written or given. */
  readonly maxListItems: number
  /** Different placeholders of one filter. */
  readonly maxPlaceholders: number
  /** Attributes of one order. */
  readonly maxSortKeys: number
  /** Characters of a text with wildcards. */
  readonly maxPatternLength: number
  /** Wildcards in one text. */
  readonly maxWildcards: number
}

export const DEFAULT_FILTER_LIMITS: FilterLimits = Object.freeze({
  maxFilterLength: 8192,
  maxFilterDepth: 64,
  maxPathSegments: 8,
  maxListItems: 10_000,
  maxPlaceholders: 256,
  maxSortKeys: 16,
  maxPatternLength: 1024,
  maxWildcards: 16,
})

/** For texts that are read, but not run. */
export const UNLIMITED_FILTER: FilterLimits = Object.freeze({
  maxFilterLength: Number.POSITIVE_INFINITY,
  maxFilterDepth: Number.POSITIVE_INFINITY,
  maxPathSegments: Number.POSITIVE_INFINITY,
  maxListItems: Number.POSITIVE_INFINITY,
  maxPlaceholders: Number.POSITIVE_INFINITY,
  maxSortKeys: Number.POSITIVE_INFINITY,
  maxPatternLength: Number.POSITIVE_INFINITY,
  maxWildcards: Number.POSITIVE_INFINITY,
})

const COUNTED: { readonly [L in keyof FilterLimits]: string } = {
  maxFilterLength: 'characters',
  maxFilterDepth: 'levels',
  maxPathSegments: 'names in a path',
  maxListItems: 'values in a list',
  maxPlaceholders: 'placeholders',
  maxSortKeys: 'attributes in its order',
  maxPatternLength: 'characters in a text with wildcards',
  maxWildcards: 'wildcards',
}

/** Throws `filterTooLarge` when `count` is above the limit. */
export function checkLimit(limits: FilterLimits, option: keyof FilterLimits, count: number): void {
  if (count > limits[option])
    throw filterError('filterTooLarge', { what: COUNTED[option], limit: limits[option], option })
}
