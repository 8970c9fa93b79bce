import { DEFAULT_FILTER_LIMITS, type FilterLimits, UNLIMITED_FILTER } from './limits.ts'
import { parseFilter } from './parse-filter.ts'
import { parseOrderBy } from './parse-order-by.ts'
import { printFilter, printOrderBy, printPath } from './print-filter.ts'

/** The two halves of a filter; null for a missing one. */
export interface FilterHalves {
  /** The condition on entities. */
  readonly condition: string | null
  /** The order that the filter ends in, without the words `order by`. */
  readonly orderBy: string | null
}

/**
 * Splits a filter into its condition and the order that it ends in, by the grammar that queries
 * use. It looks up no names. Missing limits have a store's defaults; null lifts all limits. Cost:
 * O(text). Throws `filterSyntax`, `filterOperator`, `formulaNotAllowed` with the place,
 * `filterTooLarge`.
 *
 * @example
 * ```ts
 * splitFilter('salary > 5 order by lastName desc').orderBy // → lastName desc
 * ```
 */
export function splitFilter(text: string, limits: Partial<FilterLimits> | null = {}): FilterHalves {
  const { condition, orderBy } = parseFilter(text, limitsFrom(limits))
  return {
    condition: condition === null ? null : printFilter({ condition, orderBy: null }),
    orderBy: orderBy === null ? null : printOrderBy(orderBy),
  }
}

/** One attribute of an order. */
export interface OrderPart {
  readonly path: string
  readonly descending: boolean
}

/**
 * Splits an order into its attributes, by the grammar that queries use. It looks up no names. Null
 * lifts all limits. Cost: O(text). Throws `orderBySyntax` with the place, `filterTooLarge`.
 *
 * @example
 * ```ts
 * splitOrder('lastName desc, ID').map(({ path }) => path) // → [ 'lastName', 'ID' ]
 * ```
 */
export function splitOrder(
  text: string,
  limits: Partial<FilterLimits> | null = {},
): readonly OrderPart[] {
  return parseOrderBy(text, limitsFrom(limits)).map(({ path, descending }) => ({
    path: printPath(path),
    descending,
  }))
}

const limitsFrom = (limits: Partial<FilterLimits> | null): FilterLimits =>
  limits === null ? UNLIMITED_FILTER : { ...DEFAULT_FILTER_LIMITS, ...limits }
