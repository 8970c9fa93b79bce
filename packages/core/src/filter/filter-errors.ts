import { caret, EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

// Limits and errors of filters. A filter above a limit is refused before it is bound.

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

/** Errors of a filter that cannot be read or bound. */
export const FILTER_ERRORS: ErrorTexts<
  | 'filterSyntax'
  | 'filterOperator'
  | 'filterCannotBeAnalysed'
  | 'filterTooLarge'
  | 'placeholderMissing'
  | 'placeholderWrongType'
  | 'parameterUnused'
  | 'formulaNotAllowed'
> = {
  filterSyntax: {
    errCode: 1162,
    message: (d) =>
      `The filter is malformed at character ${d.offset + 1}: expected ${d.expected}.${caret(d.filter, d.offset)}`,
  },
  filterOperator: {
    errCode: 1112,
    message: (d) => `The filter has ${wrongOperator(d)}${caret(d.filter, d.offset)}`,
  },
  filterCannotBeAnalysed: {
    errCode: 1201,
    message: (d) =>
      `The filter cannot be analysed at character ${d.offset + 1}: ${d.problem}${caret(d.filter, d.offset)}`,
  },
  filterTooLarge: {
    errCode: 9020,
    message: (d) =>
      `The filter has too many or too deep ${d.what}: the limit is ${d.limit} (option "${d.option}").`,
  },
  placeholderMissing: {
    errCode: 1279,
    message: (d) => `Placeholder "${d.placeholder}" has no value: ${d.problem}`,
  },
  placeholderWrongType: {
    errCode: 1280,
    message: (d) => `The value of placeholder "${d.placeholder}" has a wrong type: ${d.problem}`,
  },
  parameterUnused: {
    errCode: 9021,
    message: (d) => `No filter uses ${d.parameter}. ${d.remedy}`,
  },
  formulaNotAllowed: {
    errCode: 1278,
    message: (d) =>
      `Formulas are not allowed in a filter (character ${d.offset + 1}). Write comparisons.${caret(d.filter, d.offset)}`,
  },
}

function wrongOperator({
  found,
  offset,
  expected,
}: {
  readonly found: string
  readonly offset: number
  readonly expected?: string
}): string {
  const at = `at character ${offset + 1}`
  if (expected !== undefined)
    return `"${found}" ${at} where ${expected} is expected. Put a text of several words in quotes.`
  // A word may also be a misspelt one that joins two conditions.
  return /^\p{L}/u.test(found)
    ? `"${found}" ${at} where an operator is expected. ${COMPARE} to compare. Use and, or or except to join conditions.`
    : `a wrong comparison operator "${found}" ${at}. ${COMPARE}.`
}

const COMPARE = 'Use =, ===, !=, !==, >, >=, <, <=, begin, end, %, in or is'

export const filterError: ErrorFactory<keyof typeof FILTER_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, FILTER_ERRORS[code])
