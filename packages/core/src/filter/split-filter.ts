import { DEFAULT_FILTER_LIMITS, type FilterLimits, UNLIMITED_FILTER } from './limits.ts'
import { parseFilter } from './parse-filter.ts'
import { printFilter, printOrderBy } from './print-filter.ts'

/** A filter as its two halves; null for a half that it has not. */
export interface FilterHalves {
  /** What entities must satisfy. */
  readonly condition: string | null
  /** The order that the filter ends in, without the words `order by`. */
  readonly orderBy: string | null
}

/**
 * Splits a filter into its condition and the order that it ends in, by the grammar that queries read it with. No name is looked
 * up. Limits that are not given are those of a store by default; null lifts them all.
 * Cost: O(text). Throws `filterSyntax`, `filterOperator`, `formulaNotAllowed` with the place, `filterTooLarge`.
 */
export function splitFilter(text: string, limits: Partial<FilterLimits> | null = {}): FilterHalves {
  const { condition, orderBy } = parseFilter(
    text,
    limits === null ? UNLIMITED_FILTER : { ...DEFAULT_FILTER_LIMITS, ...limits },
  )
  return {
    condition: condition === null ? null : printFilter({ condition, orderBy: null }),
    orderBy: orderBy === null ? null : printOrderBy(orderBy),
  }
}
