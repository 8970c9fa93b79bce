import { type ErrorCode, isEntiaError } from '@entia/core'
import { reworded } from '@entia/engine'
import type { Parameters } from '../request/parameters.ts'

/** The parameter that each error is about. */
const REFUSED_PARAMETER: { readonly [C in ErrorCode]?: string } = {
  filterSyntax: '$filter',
  filterOperator: '$filter',
  filterCannotBeAnalysed: '$filter',
  formulaNotAllowed: '$filter',
  placeholderMissing: '$filter',
  parameterUnused: '$filter',
  orderBySyntax: '$orderby',
  orderByInvalid: '$orderby',
  attributeNotSortable: '$orderby',
  attributeListInvalid: '$attributes',
  expandListInvalid: '$expand',
}

const HINT = 'A + in an address is a plus sign: write a blank as %20.'

/**
 * Adds a hint to an error about a parameter that was sent with a `+` in it: form encoders write
 * blanks as `+`, and users would look for the mistake in the filter. Returns other errors
 * unchanged.
 */
export function withPlusHint(error: unknown, { withPlus }: Parameters): unknown {
  if (!isEntiaError(error) || !withPlus.has(REFUSED_PARAMETER[error.code] ?? '')) return error
  // The hint follows a message's caret line on a line of its own.
  const hinted = `${error.message}${error.message.includes('\n') ? '\n' : ' '}${HINT}`
  return reworded(error, hinted, { cause: error.cause })
}
