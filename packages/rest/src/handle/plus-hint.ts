import { type ErrorCode, isEntiaError } from '@entia/core'
import { reworded } from '../errors/reworded.ts'
import type { Parameters } from '../request/parameters.ts'

/** The parameter that each refusal is about. */
const REFUSED_PARAMETER: { readonly [C in ErrorCode]?: string } = {
  filterSyntax: '$filter',
  filterOperator: '$filter',
  filterCannotBeAnalysed: '$filter',
  formulaNotAllowed: '$filter',
  placeholderMissing: '$filter',
  orderBySyntax: '$orderby',
  orderByInvalid: '$orderby',
  attributeNotSortable: '$orderby',
  attributeListInvalid: '$attributes',
  expandListInvalid: '$expand',
}

const HINT = 'A + in an address is a plus sign: write a blank as %20.'

/**
 * Adds a sentence to the refusal of a parameter that was sent with a `+` in it: form encoders write blanks so, and their
 * users would look for the mistake in the filter. Any other error as it is.
 */
export function withPlusHint(error: unknown, { withPlus }: Parameters): unknown {
  if (!isEntiaError(error) || !withPlus.has(REFUSED_PARAMETER[error.code] ?? '')) return error
  // A message that ends in a caret line goes on below it.
  const hinted = `${error.message}${error.message.includes('\n') ? '\n' : ' '}${HINT}`
  return reworded(error, hinted, { cause: error.cause })
}
