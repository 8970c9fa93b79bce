import { type EntiaError, isEntiaError, splitFilter } from '@entia/core'
import { FilterText } from '@entia/engine'
import { parseJsonText, problemInside } from './json-text.ts'
import { type Limits, refuseOver } from './limits.ts'
import { invalidParameter, quoteFound } from './parameter-values.ts'
import { unquote } from './percent.ts'

export type FilterParameter = '$filter' | '$having' | '$savedfilter'

/**
 * A filter with the values of its placeholders. Null when it is blank;
 * `$savedfilter=$all` selects everything. Throws budgetExceeded.
 */
export function parseFilterText(
  parameter: FilterParameter,
  filter: string,
  params: FilterText['params'],
  limits: Limits,
): FilterText | null {
  const text = unwrapFilter(filter.trim())
  refuseLong(parameter, text, limits)
  if (text.trim() === '') return null
  return new FilterText(parameter === '$savedfilter' && text.trim() === '$all' ? '' : text, params)
}

/** `$search`; null when it is blank. Throws budgetExceeded. */
export function parseSearch(text: string, limits: Limits): string | null {
  refuseLong('$search', text, limits)
  return text.trim() === '' ? null : text
}

function refuseLong(parameter: string, { length }: string, limits: Limits): void {
  refuseOver(length, `characters in ${parameter}`, 'maxFilterCharacters', limits)
}

/**
 * `$params`. Throws parameterInvalid for what is no JSON array or object, budgetExceeded.
 */
export function parseParams(text: string, limits: Limits): FilterText['params'] {
  const refuse = (found: string, expected = 'a JSON array or object'): EntiaError =>
    invalidParameter('$params', expected, found)
  const value = parseJsonText(text, limits.maxJsonDepth, (problem) =>
    refuse(`${quoteFound(text)}: ${problem}`),
  )
  if (typeof value !== 'object' || value === null) throw refuse(quoteFound(text))
  const problem = problemInside(value)
  if (problem !== null) throw refuse(problem, 'finite numbers and plain names')
  const count = Array.isArray(value) ? value.length : Object.keys(value).length
  refuseOver(count, 'values in $params', 'maxParams', limits)
  return value as NonNullable<FilterText['params']>
}

/**
 * Takes the wrapping quotes off. `"a=1" and "b=2"` has none: it begins and ends with a condition in
 * quotes. Where such quotes stand inside too, the filter is what can be read; where neither can,
 * what can be read further, so that the refusal is about that.
 */
function unwrapFilter(text: string): string {
  const inner = unquote(text)
  if (inner === text || !inner.includes(text.charAt(0))) return inner
  const wrapped = readableLength(inner) + 1
  return readableLength(text) > wrapped ? text : inner
}

/** True for a text that is a filter, whatever its size. */
export function canBeRead(text: string): boolean {
  return readableLength(text) === Number.POSITIVE_INFINITY
}

/** How far a text can be read as a filter; infinite where all of it can. */
function readableLength(text: string): number {
  try {
    splitFilter(text, null)
    return Number.POSITIVE_INFINITY
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return 'offset' in error.details ? error.details.offset : 0
  }
}
