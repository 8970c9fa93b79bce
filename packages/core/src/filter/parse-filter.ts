import { type EntiaError, isEntiaError } from '../errors.ts'
import {
  checkLimit,
  DEFAULT_FILTER_LIMITS,
  type FilterLimits,
  filterError,
} from './filter-errors.ts'
import { type ParsedRules, ParserError, parse } from './parser.generated.ts'
import { readConjunction } from './read-conjunction.ts'
import type {
  ConditionSyntax,
  FilterSyntax,
  ParseState,
  PathSyntax,
  SubjectSyntax,
  ValueSyntax,
} from './syntax.ts'

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
): ParsedRules[Rule] {
  return run(startRule, {
    text,
    depth: 0,
    limits,
    refuse,
    readInQuotes: (...quoted) => readInQuotes(text, limits, ...quoted),
  })
}

interface Run {
  readonly text: string
  readonly depth: number
  readonly limits: FilterLimits
  readonly refuse: (text: string, offset: number, expected: string) => EntiaError
  readonly readInQuotes: ParseState['readInQuotes']
}

function run<Rule extends keyof ParsedRules>(
  startRule: Rule,
  { text, depth, limits, refuse, readInQuotes }: Run,
): ParsedRules[Rule] {
  try {
    return parse(text, { startRule, depth, limits, quotes: null, readInQuotes })
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
    const inner: ParseState['readInQuotes'] = (...quoted) => readInQuotes(text, limits, ...quoted)
    const condition =
      readConjunction(text, limits) ??
      run('QuotedCondition', {
        text,
        depth: depth + 1,
        limits,
        refuse: syntaxError,
        readInQuotes: inner,
      })
    return movedBy(at, condition)
  } catch (error) {
    throw isEntiaError(error) ? placedIn(filter, at, error) : error
  }
}

/** The condition with all offsets increased by `by`. Cost: O(condition). */
function movedBy(by: number, condition: ConditionSyntax): ConditionSyntax {
  const path = <P extends SubjectSyntax>(subject: P): P =>
    'steps' in subject
      ? {
          ...subject,
          at: subject.at + by,
          steps: subject.steps.map((step) => ({ ...step, at: step.at + by })),
        }
      : { ...subject, at: subject.at + by }
  const value = <V extends ValueSyntax>(given: V): V =>
    'items' in given
      ? { ...given, at: given.at + by, items: given.items.map(value) }
      : { ...given, at: given.at + by }
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, parts: condition.parts.map((part) => movedBy(by, part)) }
    case 'except':
      return {
        kind: 'except',
        left: movedBy(by, condition.left),
        right: movedBy(by, condition.right),
      }
    case 'not':
      return { kind: 'not', part: movedBy(by, condition.part) }
    case 'isTrue':
      return { kind: 'isTrue', path: path(condition.path) }
    case 'comparison': {
      const { operator } = condition
      return {
        kind: 'comparison',
        path: path(condition.path),
        operator,
        value: value(condition.value),
      }
    }
  }
}

/** The same error for the whole filter, in which the part begins at `at`. */
function placedIn(filter: string, at: number, error: EntiaError): EntiaError {
  if (isEntiaError(error, 'filterSyntax'))
    return syntaxError(filter, at + error.details.offset, error.details.expected)
  if (isEntiaError(error, 'filterOperator'))
    return filterError('filterOperator', {
      ...error.details,
      filter,
      offset: at + error.details.offset,
    })
  if (isEntiaError(error, 'formulaNotAllowed'))
    return filterError('formulaNotAllowed', { filter, offset: at + error.details.offset })
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
