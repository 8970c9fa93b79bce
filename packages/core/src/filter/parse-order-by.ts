import { EntiaError } from '../errors.ts'
import { checkLimit, DEFAULT_FILTER_LIMITS, type FilterLimits } from './limits.ts'
import { runParser } from './parse-filter.ts'
import type { OrderBySyntax } from './syntax.ts'

/**
 * Reads an order such as `salary desc, employer.name`. Cost: linear in the text. Throws
 * `orderBySyntax` with the place, or `filterTooLarge`; nothing else.
 */
export function parseOrderBy(
  text: string,
  limits: FilterLimits = DEFAULT_FILTER_LIMITS,
): OrderBySyntax {
  checkLimit(limits, 'maxFilterLength', text.length)
  const terms = runParser(
    'OrderBy',
    text,
    limits,
    (orderBy, offset, expected) => new EntiaError('orderBySyntax', { orderBy, offset, expected }),
  )
  checkLimit(limits, 'maxSortKeys', terms.length)
  return terms
}
