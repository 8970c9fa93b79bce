import { type EntiaError, isEntiaError } from '../errors.ts'
import {
  checkLimit,
  DEFAULT_FILTER_LIMITS,
  type FilterLimits,
  filterError,
} from './filter-errors.ts'
import { type ParsedRules, ParserError, parse } from './parser.generated.ts'
import { readConjunction } from './read-conjunction.ts'
import type { ConditionSyntax, FilterSyntax, ParseState, PathSyntax } from './syntax.ts'

/**
 * Reads a filter. Empty or blank text selects every entity: its `condition` is null. Cost: linear
 * in the text. Throws `filterSyntax`, `filterOperator`, `formulaNotAllowed` with the place, or
 * `filterTooLarge`; nothing else.
 */
export function parseFilter(
  text: string,
  limits: FilterLimits = DEFAULT_FILTER_LIMITS,
): FilterSyntax {
  checkLimit(limits, 'maxFilterLength', text.length)
  const conjunction = readConjunction(text, limits)
  if (conjunction !== null) return { condition: conjunction, orderBy: null }
  const syntax = runParser('Filter', text, limits, syntaxError)
  if (syntax.orderBy !== null) checkLimit(limits, 'maxSortKeys', syntax.orderBy.length)
  return syntax
}

/**
 * Reads a path that was given as a value, for a placeholder that stands for an attribute. Throws as
 * `parseFilter`.
 */
export function parsePath(text: string, limits: FilterLimits = DEFAULT_FILTER_LIMITS): PathSyntax {
  checkLimit(limits, 'maxFilterLength', text.length)
  return runParser('AttributePath', text, limits, syntaxError)
}

/**
 * Runs the generated parser; `refuse` makes the error of a malformed text. The parser is recursive,
 * so a stack that was nearly full before the call can overflow below the limit of depth. That error
 * is then `filterTooLarge` too.
 */
export function runParser<Rule extends keyof ParsedRules>(
  startRule: Rule,
  text: string,
  limits: FilterLimits,
  refuse: (text: string, offset: number, expected: string) => EntiaError,
  depth = 0,
): ParsedRules[Rule] {
  const inQuotes: ParseState['readInQuotes'] = (...quoted) => readInQuotes(text, limits, ...quoted)
  try {
    return parse(text, { startRule, depth, limits, quotes: null, readInQuotes: inQuotes })
  } catch (error) {
    if (error instanceof ParserError)
      throw refuse(text, error.offset, describeExpected(error.expected))
    if (error instanceof RangeError)
      throw filterError('filterTooLarge', {
        what: 'levels',
        limit: limits.maxFilterDepth,
        option: 'maxFilterDepth',
      })
    throw error
  }
}

/**
 * Reads a condition in quotes, at offset `at` of the filter. Names, values and errors get their
 * places in the whole text.
 */
function readInQuotes(
  filter: string,
  limits: FilterLimits,
  text: string,
  at: number,
  depth: number,
): ConditionSyntax {
  checkLimit(limits, 'maxFilterDepth', depth + 1)
  try {
    const condition =
      readConjunction(text, limits) ??
      runParser('QuotedCondition', text, limits, syntaxError, depth + 1)
    return movedBy(at, condition)
  } catch (error) {
    throw isEntiaError(error) ? placedIn(filter, at, error) : error
  }
}

/** A part of a syntax tree with all offsets (`at`) increased by `by`. Cost: O(part). */
function movedBy<P>(by: number, part: P): P {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => movedBy(by, each)) as P
  const members = Object.entries(part).map(([name, value]) => [
    name,
    name === 'at' ? value + by : movedBy(by, value),
  ])
  return Object.fromEntries(members)
}

/** The same error for the whole filter, in which the part begins at `at`. */
function placedIn(filter: string, at: number, error: EntiaError): EntiaError {
  if (
    isEntiaError(error, 'filterSyntax') ||
    isEntiaError(error, 'filterOperator') ||
    isEntiaError(error, 'formulaNotAllowed')
  ) {
    const { code, details } = error
    return filterError(code, { ...details, filter, offset: at + details.offset })
  }
  return error
}

function syntaxError(filter: string, offset: number, expected: string): EntiaError {
  return filterError('filterSyntax', { filter, offset, expected })
}

/** `a value, ")" or the end`: each once, in the order of the grammar. */
function describeExpected(expected: ParserError['expected']): string {
  const [last, ...others] = [...new Set(expected)].filter((text) => text !== '').reverse()
  if (last === undefined) return 'something else'
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`
}
