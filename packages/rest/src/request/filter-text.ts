import { EntiaError } from '@entia/core'
import { describeJsonProblem, parseJsonText, problemInside } from './json-text.ts'
import type { Limits } from './limits.ts'
import { quoteFound } from './parameter-values.ts'
import { unquote } from './percent.ts'

/** `$filter` with its `$params`: positional values, values by name, or none. */
export interface FilterText {
  readonly text: string
  readonly params: readonly unknown[] | { readonly [name: string]: unknown } | null
  /** The text ends in `order by …`, which wins over `$orderby`. */
  readonly hasOrder: boolean
}

/**
 * A filter with the values of its placeholders. Null when it is absent or blank. Throws budgetExceeded.
 */
export function parseFilterText(
  parameter: '$filter' | '$savedfilter',
  filter: string | undefined,
  params: FilterText['params'],
  limits: Limits,
): FilterText | null {
  const text = filter === undefined ? '' : unquoteFilter(filter.trim())
  if (text.length > limits.maxFilterCharacters)
    throw new EntiaError('budgetExceeded', {
      what: `characters in ${parameter}`,
      limit: limits.maxFilterCharacters,
      option: 'limits.maxFilterCharacters',
    })
  return text.trim() === '' ? null : { text, params, hasOrder: hasOrderTail(text) }
}

/** True for a filter that only orders: it selects everything, as the grammar of filters has it. */
export function isOrderOnly({ text }: FilterText): boolean {
  return /^\s*order\s+by(?![\p{L}\p{N}_$])/iu.test(text)
}

/** `$params`; null when absent. Throws parameterInvalid for what is no JSON array or object, budgetExceeded. */
export function parseParams(text: string | undefined, limits: Limits): FilterText['params'] {
  if (text === undefined) return null
  const refuse = (expected: string, found: string) =>
    new EntiaError('parameterInvalid', { parameter: '$params', expected, found })
  const value = parseJsonText(text, limits.maxJsonDepth, (problem) =>
    refuse('a JSON array or object', `${quoteFound(text)}: ${describeJsonProblem(problem, limits.maxJsonDepth)}`),
  )
  if (typeof value !== 'object' || value === null) throw refuse('a JSON array or object', quoteFound(text))
  const problem = problemInside(value)
  if (problem !== null)
    throw refuse('finite numbers and plain names', describeJsonProblem(problem, limits.maxJsonDepth))
  const count = Array.isArray(value) ? value.length : Object.keys(value).length
  if (count > limits.maxParams)
    throw new EntiaError('budgetExceeded', {
      what: 'values in $params',
      limit: limits.maxParams,
      option: 'limits.maxParams',
    })
  return value as NonNullable<FilterText['params']>
}

/**
 * Takes the wrapping quotes off. `"a=1" and "b=2"` is two quoted pieces and means `(a=1) and (b=2)`: the documentation
 * of the protocol writes filters so.
 */
export function unquoteFilter(text: string): string {
  const pieces = quotedPieces(text)
  return pieces ?? unquote(text)
}

const CONJUNCTION = /^\s*(and|or|except|&&?|\|\|?|\^)\s*$/i

function quotedPieces(text: string): string | null {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return null
  const runs = text.split(quote)
  // "a" and "b" splits into '', a, ' and ', b, '': every second one inside quotes, the others conjunctions.
  if (runs.length < 5 || runs.length % 2 === 0 || runs[0] !== '' || runs.at(-1) !== '') return null
  let joined = ''
  for (let at = 1; at < runs.length - 1; at++) {
    const run = runs[at]!
    if (at % 2 === 1) joined += `(${run})`
    else if (CONJUNCTION.test(run)) joined += ` ${run.trim()} `
    else return null
  }
  return joined
}

/** True when the words `order by` stand outside quotes: no attribute path and value can read so. */
export function hasOrderTail(text: string): boolean {
  let at = 0
  let outside = ''
  // Kept beside it: to look into a text that grows is to copy it, each time.
  let last = ''
  while (at < text.length) {
    const unit = text[at]!
    const isOpening = (unit === "'" || unit === '"') && !/[\p{L}\p{N}_]/u.test(last)
    if (!isOpening) {
      outside += unit
      last = unit
      at++
      continue
    }
    const end = text.indexOf(unit, at + 1)
    outside += ' x '
    last = ' '
    at = end < 0 ? text.length : end + 1
  }
  return /(?:^|[\s)\]])order\s+by\s/i.test(outside)
}
