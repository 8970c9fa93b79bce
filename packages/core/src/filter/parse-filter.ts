import { EntiaError } from '../errors.ts'
import { checkLimit, DEFAULT_FILTER_LIMITS, type FilterLimits } from './limits.ts'
import { type ParsedRules, ParserError, parse } from './parser.generated.ts'
import { readConjunction } from './read-conjunction.ts'
import type { FilterSyntax, PathSyntax } from './syntax.ts'

/**
 * Reads a filter. Empty or blank text is no filter: `condition` is null and every entity is selected.
 * Cost: linear in the text. Throws `filterSyntax`, `filterOperator`, `formulaNotAllowed` with the place, or
 * `filterTooLarge`; nothing else.
 */
export function parseFilter(text: string, limits: FilterLimits = DEFAULT_FILTER_LIMITS): FilterSyntax {
  checkLimit(limits, 'maxFilterLength', text.length)
  const conjunction = readConjunction(text, limits)
  if (conjunction !== null) return { condition: conjunction, orderBy: null }
  const syntax = runParser('Filter', text, limits, syntaxError)
  if (syntax.orderBy !== null) checkLimit(limits, 'maxSortKeys', syntax.orderBy.length)
  return syntax
}

/** Reads a path that was given as a value, for a placeholder that stands for an attribute. Throws as `parseFilter`. */
export function parsePath(text: string, limits: FilterLimits = DEFAULT_FILTER_LIMITS): PathSyntax {
  checkLimit(limits, 'maxFilterLength', text.length)
  return runParser('AttributePath', text, limits, syntaxError)
}

/**
 * Runs the generated parser; `refuse` makes the error of a malformed text. The parser is recursive, so a stack that was
 * nearly full when we were called can overflow below the limit of depth; that is then too deep.
 */
export function runParser<Rule extends keyof ParsedRules>(
  startRule: Rule,
  text: string,
  limits: FilterLimits,
  refuse: (text: string, offset: number, expected: string) => EntiaError,
): ParsedRules[Rule] {
  try {
    return parse(text, { startRule, depth: 0, limits })
  } catch (error) {
    if (error instanceof ParserError) throw refuse(text, error.location.start.offset, describeExpected(error.expected))
    if (error instanceof RangeError)
      throw new EntiaError('filterTooLarge', { what: 'levels', limit: limits.maxFilterDepth, option: 'maxFilterDepth' })
    throw error
  }
}

function syntaxError(filter: string, offset: number, expected: string): EntiaError {
  return new EntiaError('filterSyntax', { filter, offset, expected })
}

/** `a value, ")" or the end`, each once, in the order of the grammar; blanks can stand nearly everywhere and are not named. */
function describeExpected(expected: ParserError['expected']): string {
  const names = new Set<string>()
  for (const item of expected) {
    if (item.type === 'other' && item.description !== 'a blank') names.add(item.description)
    else if (item.type === 'literal') names.add(`"${item.text}"`)
  }
  const [last, ...others] = [...names].reverse()
  if (last === undefined) return 'something else'
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`
}
