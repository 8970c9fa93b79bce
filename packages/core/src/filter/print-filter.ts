import { assertNever, isEntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { AttributeType } from '../value/types.ts'
import { parseOrderBy } from './bind-order-by.ts'
import { bindContext } from './context.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits, UNLIMITED_FILTER } from './filter-errors.ts'
import { OPERATORS, type Operator } from './operators.ts'
import { parseFilter } from './parse-filter.ts'
import { ParserError, parse } from './parser.generated.ts'
import { escaped } from './predicate.ts'
import { resolveFilterPath } from './resolve-filter-path.ts'
import {
  type ConditionSyntax,
  comparisonsOf,
  type FilterSyntax,
  isReserved,
  type OrderBySyntax,
  type PathSyntax,
  type ScalarSyntax,
  type StepSyntax,
  type SubjectSyntax,
  type ValueSyntax,
} from './syntax.ts'

/** The text of a syntax tree. Reading it gives the same tree, except offsets. Cost: O(tree). */
export function printFilter({ condition, orderBy }: FilterSyntax): string {
  const parts: string[] = []
  if (condition !== null) parts.push(printCondition(condition))
  if (orderBy !== null) parts.push(`order by ${printOrderBy(orderBy)}`)
  return parts.join(' ')
}

/** The text of an order. */
export function printOrderBy(orderBy: OrderBySyntax): string {
  return orderBy
    .map(({ path, descending }) => printPath(path) + (descending ? ' desc' : ''))
    .join(', ')
}

function printCondition(condition: ConditionSyntax): string {
  switch (condition.kind) {
    case 'or':
      // The first part may be an `except` of the same level. An `or` there needs parentheses, or it
      // would become part of this `or`.
      return condition.parts
        .map((part, i) => printPart(part, part.kind === 'or' || (part.kind === 'except' && i > 0)))
        .join(' or ')
    case 'except':
      return `${printCondition(condition.left)} except ${printPart(condition.right, isEither(condition.right))}`
    case 'and':
      return condition.parts
        .map((part) => printPart(part, isEither(part) || part.kind === 'and'))
        .join(' and ')
    case 'not':
      return `not ${printPart(condition.part, isEither(condition.part) || condition.part.kind === 'and')}`
    case 'comparison':
      return `${printSubject(condition.path)} ${OPERATORS[condition.operator].spellings[0]} ${printValue(condition.value)}`
    case 'isTrue':
      return printSubject(condition.path)
    default:
      return assertNever(condition)
  }
}

function printPart(part: ConditionSyntax, inParentheses: boolean): string {
  return inParentheses ? `(${printCondition(part)})` : printCondition(part)
}

function isEither({ kind }: ConditionSyntax): boolean {
  return kind === 'or' || kind === 'except'
}

function printSubject(subject: SubjectSyntax): string {
  return subject.kind === 'placeholder' ? `:${subject.name}` : printPath(subject)
}

/** The text of a path. */
export function printPath({ steps }: PathSyntax): string {
  return steps.map(printStep).join('.')
}

function printStep({ name, instance, element }: StepSyntax): string {
  return name + (instance === 1 ? '' : `{${instance}}`) + (element === null ? '' : `[${element}]`)
}

function printValue(value: ValueSyntax): string {
  return value.kind === 'list'
    ? `[${value.items.map((item) => printScalar(item, PLAIN_ITEM)).join(', ')}]`
    : printScalar(value, PLAIN_BARE)
}

function printScalar(value: ScalarSyntax, plain: RegExp): string {
  switch (value.kind) {
    case 'null':
      return 'null'
    case 'placeholder':
      return `:${value.name}`
    case 'quoted':
      return `'${value.text.replace(NEVER_IN_QUOTES, escaped)}'`
    case 'bare':
      return plain.test(value.text) && !isWord(value.text) ? value.text : printBare(value.text)
    default:
      return assertNever(value)
  }
}

const NEVER_IN_QUOTES = /['\\]/g
const PLAIN_BARE = /^(?!['":[])[^ \t\r\n<>=()#&^|%!\\]+$/
const PLAIN_ITEM = /^(?!['":[])[^ \t\r\n<>=()#&^|%!\\,\]]+$/
const NEVER_BARE = /^['":[]|[ \t\r\n<>=()#&^|%!\\,\]]/g
const LEADING_NAME = /^[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+/

/**
 * A value without quotes that needs escapes: characters that would end it or change its meaning are
 * escaped.
 */
function printBare(text: string): string {
  const printed = text.replace(NEVER_BARE, escaped)
  return isWord(text) ? escaped(printed.charAt(0)) + printed.slice(1) : printed
}

/** True when the text begins with a word of the language. */
function isWord(text: string): boolean {
  const word = LEADING_NAME.exec(text)?.[0] ?? ''
  return isReserved(word) || word.toLowerCase() === 'null'
}

/** The two halves of a filter; null for a missing one. */
export interface FilterHalves {
  /** The condition on entities. */
  readonly condition: string | null
  /** The order that the filter ends in, without the words `order by`. */
  readonly orderBy: string | null
}

/**
 * Splits a filter into its condition and the order that it ends in, by the grammar that queries
 * use. It looks up no names. Missing limits have a store's defaults; null lifts all limits. Cost:
 * O(text). Throws `filterSyntax`, `filterOperator`, `formulaNotAllowed` with the place,
 * `filterTooLarge`.
 *
 * @example
 * ```ts
 * splitFilter('salary > 5 order by lastName desc').orderBy // → lastName desc
 * ```
 */
export function splitFilter(text: string, limits: Partial<FilterLimits> | null = {}): FilterHalves {
  const { condition, orderBy } = parseFilter(text, limitsFrom(limits))
  return {
    condition: condition === null ? null : printFilter({ condition, orderBy: null }),
    orderBy: orderBy === null ? null : printOrderBy(orderBy),
  }
}

/** One attribute of an order. */
export interface OrderPart {
  readonly path: string
  readonly descending: boolean
}

/**
 * Splits an order into its attributes, by the grammar that queries use. It looks up no names. Null
 * lifts all limits. Cost: O(text). Throws `orderBySyntax` with the place, `filterTooLarge`.
 *
 * @example
 * ```ts
 * splitOrder('lastName desc, ID').map(({ path }) => path) // → [ 'lastName', 'ID' ]
 * ```
 */
export function splitOrder(
  text: string,
  limits: Partial<FilterLimits> | null = {},
): readonly OrderPart[] {
  return parseOrderBy(text, limitsFrom(limits)).map(({ path, descending }) => ({
    path: printPath(path),
    descending,
  }))
}

const limitsFrom = (limits: Partial<FilterLimits> | null): FilterLimits =>
  limits === null ? UNLIMITED_FILTER : { ...DEFAULT_FILTER_LIMITS, ...limits }

/** A value or a condition in quotes: from its opening quote to behind its closing one. */
export interface QuotedPart {
  readonly start: number
  /** Null for a quote that is never closed. */
  readonly end: number | null
}

/**
 * Finds the quoted values and conditions of a filter, in the order of the text, by the grammar that
 * queries use. A quote inside a bare word, as in `O'Neil`, is part of the word. In a text that is
 * not a filter, it finds the parts before the mistake. Cost: O(text). Throws nothing.
 *
 * @example
 * ```ts
 * findQuotedParts("lastName === 'Byron' and salary > 5").length // → 1
 * ```
 */
export function findQuotedParts(text: string): readonly QuotedPart[] {
  const quotes: number[] = []
  // Only the places of the quotes matter here, not the condition.
  const readInQuotes = (_condition: string, at: number): ConditionSyntax => {
    quotes.push(at - 1)
    return NO_CONDITION
  }
  try {
    parse(text, { startRule: 'Filter', depth: 0, limits: UNLIMITED_FILTER, quotes, readInQuotes })
  } catch (error) {
    const isRefusal =
      error instanceof ParserError || error instanceof RangeError || isEntiaError(error)
    if (!isRefusal) throw error
  }
  // No escape of the language holds a quote, so the next one of the same kind closes.
  return quotes.map((start) => {
    const closing = text.indexOf(text.charAt(start), start + 1)
    return { start, end: closing < 0 ? null : closing + 1 }
  })
}

const NO_CONDITION: ConditionSyntax = { kind: 'and', parts: [] }

/** One comparison of a filter text, with what the model says of its left side. */
export interface WrittenComparison {
  /** The path as written: `employer.name`. */
  readonly path: string
  /** Of the values compared: `object` for a property, that of the key for a relation. */
  readonly type: AttributeType
  readonly operator: Operator
  /** True if written `like` or `esclike`, which say that a pattern is meant. */
  readonly isPattern: boolean
  readonly value: ValueSyntax
}

/**
 * The comparisons of a filter in the order of its text, for tools that examine filters without
 * values. Comparisons of a placeholder that stands for an attribute are left out. Cost: O(text).
 * Throws the errors of `parseFilter`, and `filterCannotBeAnalysed` for a path that the dataclass
 * does not have. Values are not converted.
 */
export function writtenComparisons(
  text: string,
  dataClass: ClassModel,
): readonly WrittenComparison[] {
  const { condition } = parseFilter(text)
  const context = bindContext('filter', text, {})
  const comparisons = condition === null ? [] : comparisonsOf(condition)
  return comparisons.flatMap(({ path, ...comparison }) => {
    if (path.kind !== 'path') return []
    const { attribute } = resolveFilterPath(context, dataClass, path)
    if (comparison.kind === 'isTrue') return []
    const { operator, value } = comparison
    return {
      path: printPath(path),
      type: 'target' in attribute ? attribute.target.key.type : attribute.type,
      operator,
      // The tree has no spellings. The operator is the word before the value.
      isPattern: text.slice(0, value.at).trimEnd().toLowerCase().endsWith('like'),
      value,
    }
  })
}
