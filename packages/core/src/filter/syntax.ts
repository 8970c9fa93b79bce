import { checkLimit, type FilterLimits, filterError } from './filter-errors.ts'
import { OPERATORS, type Operator } from './operators.ts'

/**
 * The syntax tree of a filter, before names are looked up and values converted. `at` is the offset
 * of the part in the text, from 0, in UTF-16 units. Two spellings of the same filter differ in
 * offsets only.
 */
export interface FilterSyntax {
  /** Null when the text is an order only, or blank: every entity is selected. */
  readonly condition: ConditionSyntax | null
  /** The `order by` the text ends with, or null. */
  readonly orderBy: OrderBySyntax | null
}

export type ConditionSyntax =
  | { readonly kind: 'and'; readonly parts: readonly ConditionSyntax[] }
  | { readonly kind: 'or'; readonly parts: readonly ConditionSyntax[] }
  | { readonly kind: 'except'; readonly left: ConditionSyntax; readonly right: ConditionSyntax }
  | { readonly kind: 'not'; readonly part: ConditionSyntax }
  | ComparisonSyntax
  | IsTrueSyntax

export interface ComparisonSyntax {
  readonly kind: 'comparison'
  readonly path: SubjectSyntax
  /** It does not tell which synonym was written. */
  readonly operator: Operator
  readonly value: ValueSyntax
}

/** An attribute alone: a test for true. */
export interface IsTrueSyntax {
  readonly kind: 'isTrue'
  readonly path: SubjectSyntax
}
/** The left side of a comparison: a path, or a placeholder that stands for one. */
export type SubjectSyntax = PathSyntax | PlaceholderSyntax

export interface PathSyntax {
  readonly kind: 'path'
  readonly steps: readonly StepSyntax[]
  readonly at: number
}

export interface StepSyntax {
  readonly name: string
  /** `{n}` behind a relation, from 1; 1 when nothing is written. */
  readonly instance: number
  /** `''` for `[]` and a small letter for `[a]` behind a collection, else null. */
  readonly element: string | null
  readonly at: number
}

/** `:1`, `:name` or `:a.b`; `name` is without the colon. */
export interface PlaceholderSyntax {
  readonly kind: 'placeholder'
  readonly name: string
  /** The number, if `name` is one; else null. */
  readonly position: number | null
  readonly at: number
}

/**
 * `bare` is written without quotes: its text may be a number or a boolean. `list` appears behind
 * `in` only.
 */
export type ValueSyntax =
  | ScalarSyntax
  | { readonly kind: 'list'; readonly items: readonly ScalarSyntax[]; readonly at: number }
export type ScalarSyntax =
  | { readonly kind: 'quoted'; readonly text: string; readonly at: number }
  | { readonly kind: 'bare'; readonly text: string; readonly at: number }
  | { readonly kind: 'null'; readonly at: number }
  | PlaceholderSyntax

export type OrderBySyntax = readonly OrderTermSyntax[]
export interface OrderTermSyntax {
  readonly path: PathSyntax
  readonly descending: boolean
}

/** The state of one run of the parser. */
export interface ParseState {
  /** Parentheses and negations that are open. */
  depth: number
  readonly limits: FilterLimits
  /** Collects the places of opening quotes; null where nothing needs them. */
  readonly quotes: number[] | null
  /**
   * Reads a condition that stands in quotes, `depth` groups deep; `at` is its place in the whole
   * text.
   */
  readInQuotes(text: string, at: number, depth: number): ConditionSyntax
}

/** The comparisons of a condition, in the order of the text. */
export function comparisonsOf(
  condition: ConditionSyntax,
  found: (ComparisonSyntax | IsTrueSyntax)[] = [],
): readonly (ComparisonSyntax | IsTrueSyntax)[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.parts) comparisonsOf(part, found)
      return found
    case 'except':
      comparisonsOf(condition.left, found)
      return comparisonsOf(condition.right, found)
    case 'not':
      return comparisonsOf(condition.part, found)
    default:
      found.push(condition)
      return found
  }
}

/** Every spelling of every comparator. */
const COMPARATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries(OPERATORS).flatMap(([operator, { spellings }]) =>
    spellings.map((spelling) => [spelling, operator as Operator]),
  ),
)

/** The operator of a word in any case, or of a run of signs. */
export function findComparator(spelling: string): Operator | undefined {
  return COMPARATORS.get(spelling) ?? COMPARATORS.get(spelling.toLowerCase())
}

/**
 * The same, followed by `not` when `isNegated`. Throws `filterOperator` for other words and signs.
 */
export function comparatorOf(
  word: string,
  isNegated: boolean,
  filter: string,
  offset: number,
): Operator {
  const spelling = isNegated ? `${word} not` : word
  const operator = findComparator(spelling)
  if (operator === undefined)
    throw filterError('filterOperator', { filter, offset, found: spelling })
  return operator
}

/** Refuses a word where only `and`, `or`, `except` or, outside of groups, an order can stand. */
export function refuseWord(
  word: string,
  filter: string,
  offset: number,
  { depth }: ParseState,
): never {
  const expected = depth > 0 ? 'and, or or except' : 'and, or, except or order by'
  throw filterError('filterOperator', { filter, offset, found: word, expected })
}

/** True for the words that join and negate conditions. The first letter decides for most names. */
export function isReserved(word: string): boolean {
  switch (word.charCodeAt(0) | 32) {
    case 97:
      return word.length === 3 && word.toLowerCase() === 'and'
    case 101:
      return word.length === 6 && word.toLowerCase() === 'except'
    case 110:
      return word.length === 3 && word.toLowerCase() === 'not'
    case 111:
      return word.length === 2 && word.toLowerCase() === 'or'
    default:
      return false
  }
}

/**
 * A value without quotes. Throws `formulaNotAllowed` for `eval(`, and `filterSyntax` for a word
 * that joins or negates conditions.
 */
export function bareValue(text: string, filter: string, at: number): ScalarSyntax {
  if (text.length === 4 && text.toLowerCase() === 'eval' && filter.charAt(at + 4) === '(')
    throw filterError('formulaNotAllowed', { filter, offset: at })
  if (isReserved(text))
    throw filterError('filterSyntax', {
      filter,
      offset: at,
      expected: `a value (the text is written '${text}')`,
    })
  return bareScalar(text, at)
}

/** The value that a word without quotes stands for: null, or its text. Throws nothing. */
export function bareScalar(text: string, at: number): ScalarSyntax {
  return text.length === 4 && text.toLowerCase() === 'null'
    ? { kind: 'null', at }
    : { kind: 'bare', text, at }
}

/** Refuses `eval(…)` as a condition; false for any other name before a parenthesis. */
export function refuseCall(filter: string, path: SubjectSyntax): boolean {
  const isEval =
    path.kind === 'path' && path.steps.length === 1 && path.steps[0].name.toLowerCase() === 'eval'
  if (isEval) throw filterError('formulaNotAllowed', { filter, offset: path.at })
  return false
}

/** A value in quotes, the first of which stands at `at`. */
export function quoted(text: string, at: number, { quotes }: ParseState): ScalarSyntax {
  quotes?.push(at)
  return { kind: 'quoted', text, at }
}

/** Refuses a quote that is never closed. */
export function refuseOpenQuote(filter: string, offset: number, { quotes }: ParseState): never {
  quotes?.push(offset)
  const expected = `a closing ${filter.charAt(offset)} for this one`
  throw filterError('filterSyntax', { filter, offset, expected })
}

/** Counts a parenthesis or negation; throws `filterTooLarge` before the parser nests too deeply. */
export function enterGroup(state: ParseState): true {
  checkLimit(state.limits, 'maxFilterDepth', ++state.depth)
  return true
}

/** `a or b except c or d` as ((a or b) except c) or d: neighbouring `or`s become one. */
export function joinEither(
  head: ConditionSyntax,
  tail: readonly { readonly kind: 'or' | 'except'; readonly part: ConditionSyntax }[],
): ConditionSyntax {
  let left = head
  let open: ConditionSyntax[] | null = null
  for (const { kind, part } of tail) {
    if (kind === 'except') {
      left = { kind, left, right: part }
      open = null
    } else if (open === null) {
      open = [left, part]
      left = { kind, parts: open }
    } else {
      open.push(part)
    }
  }
  return left
}

/** A path of several names; throws `filterTooLarge` when there are too many. */
export function longPath(
  head: StepSyntax,
  tail: readonly StepSyntax[],
  state: ParseState,
): PathSyntax {
  checkLimit(state.limits, 'maxPathSegments', 1 + tail.length)
  return { kind: 'path', steps: [head, ...tail], at: head.at }
}

/** The values behind `in`; throws `filterTooLarge` when there are too many. */
export function list(items: readonly ScalarSyntax[], at: number, state: ParseState): ValueSyntax {
  checkLimit(state.limits, 'maxListItems', items.length)
  return { kind: 'list', items, at }
}

/** A placeholder. A name of digits is a position. */
export function placeholder(name: string, at: number): PlaceholderSyntax {
  return { kind: 'placeholder', name, position: DIGITS.test(name) ? Number(name) : null, at }
}

const DIGITS = /^[0-9]+$/
