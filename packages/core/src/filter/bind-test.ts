import { describeFound, Refusal } from '../value/check-options.ts'
import { coerceLiteral } from '../value/coerce.ts'
import { textKey } from '../value/compare.ts'
import { isWellFormed } from '../value/json.ts'
import { parseKeywords, parseWildcard, unescaped, type Wildcard } from '../value/pattern-list.ts'
import { type BindContext, cannotBeAnalysed } from './context.ts'
import {
  type Comparable,
  convert,
  described,
  isPlainText,
  jsonLiteral,
  plainKey,
  refusedBy,
  spellingOf,
  wrongType,
} from './convert-value.ts'
import { checkLimit, filterError } from './filter-errors.ts'
import { isNegative, type ListOperator, OPERATORS, type Operator, takesList } from './operators.ts'
import { type FilterParameters, readParameter } from './parameters.ts'
import type { Scalar, Test } from './predicate.ts'
import type { PlaceholderSyntax, ScalarSyntax, ValueSyntax } from './syntax.ts'

/**
 * The test of an operator and a value; false if no value passes. Text is converted if the whole
 * text is a literal of the type. Cost: O(length of the value). Throws `filterCannotBeAnalysed` at
 * the value, `placeholderMissing`, `filterTooLarge`.
 */
export function bindTest(
  context: BindContext,
  target: Comparable,
  operator: Operator,
  value: ValueSyntax,
  parameters: FilterParameters | undefined,
): Test | false {
  if (value.kind === 'null') return nullTest(context, operator, value.at)
  if (takesList(operator)) return listTest(context, target, operator, value, parameters)
  if (value.kind === 'list')
    throw cannotBeAnalysed(context, value.at, 'a list can stand behind "in" only.')
  const given = value.kind === 'placeholder' ? readParameter(parameters, value) : value.text
  if (isText(target, value, given)) return textTest(context, target, operator, given, value)
  const { test } = OPERATORS[operator]
  if (test === null || test === 'in')
    throw cannotBeAnalysed(
      context,
      value.at,
      `${described(target)} is not text: use =, !=, >, >=, <, <= or in.`,
    )
  if (hasWildcards(context, operator) && isOnlyWildcards(given))
    return operator === 'equal' ? IS_NOT_NULL : false
  const converted = convert(context, target, value, given)
  const spelling = spellingOf(target, given, converted)
  return { op: test, value: converted, spelling }
}

function nullTest(context: BindContext, operator: Operator, at: number): Test {
  const { test } = OPERATORS[operator]
  if (test === 'equal') return IS_NULL
  if (test === 'notEqual') return IS_NOT_NULL
  throw cannotBeAnalysed(context, at, 'null can be compared by "=" and "!=" only.')
}

const IS_NULL: Test = Object.freeze({ op: 'isNull' })
const IS_NOT_NULL: Test = Object.freeze({ op: 'isNotNull' })

/** True when texts are compared. A word without quotes beside a property may be a number. */
function isText(target: Comparable, value: ScalarSyntax, given: unknown): given is string {
  if (typeof given !== 'string') return false
  if (target.type === 'string' || target.type === 'uuid') return true
  return target.type === 'json' && (value.kind !== 'bare' || jsonLiteral(given) === given)
}

/** Wildcards alone mean "any value", for attributes of every type. */
const isOnlyWildcards = (given: unknown): boolean =>
  typeof given === 'string' && ONLY_WILDCARDS.test(given)

const ONLY_WILDCARDS = /^[@*]+$/

function textTest(
  context: BindContext,
  target: Comparable,
  operator: Exclude<Operator, ListOperator>,
  text: string,
  source: ScalarSyntax,
): Test | false {
  const isPlain = target.type === 'string' && source.kind !== 'bare' && isPlainText(text)
  if (!isPlain) checkText(context, target, text, source)
  const { anchor, test } = OPERATORS[operator]
  if (anchor !== undefined) return anchoredTest(target, operator, anchor, text)
  switch (operator) {
    case 'equal':
    case 'notEqual': {
      if (isExact(context, target)) return exactTest(context, target, operator, [text])
      if (isPlain) return { op: operator, value: plainKey(text, target.collation), spelling: text }
      const wildcard = readWildcard(context, target, operator, text)
      if (wildcard === null)
        return { op: operator, value: keyOf(context, target, text, source.at), spelling: text }
      if (wildcard.parts.length === 0) return operator === 'equal' ? IS_NOT_NULL : false
      return { op: operator === 'equal' ? 'like' : 'notLike', wildcard, spelling: text }
    }
    case 'escapedLike': {
      const spelled = isExact(context, target)
      const compared: Comparable = spelled ? { ...target, collation: 'exact' } : target
      const wildcard = readWildcard(context, compared, operator, text)
      if (wildcard === null) return textTest(context, target, 'identical', unescaped(text), source)
      if (wildcard.parts.length === 0) return IS_NOT_NULL
      return spelled
        ? { op: 'exact', keys: [], values: [], patterns: [wildcard], spelling: [text] }
        : { op: 'like', wildcard, spelling: text }
    }
    case 'keyword': {
      if (target.type === 'uuid')
        throw cannotBeAnalysed(
          context,
          source.at,
          `${described(target)} does not hold words: use = and a wildcard.`,
        )
      const { collation } = target
      const words = parseKeywords(text, context.matching.wildcards, collation)
      if (words.length === 0) return false
      const test = { op: 'keyword', words, spelling: text } as const
      return collation === 'exact' ? { ...test, isExact: true } : test
    }
    case 'identical':
    case 'notIdentical':
      if (isExact(context, target)) return exactTest(context, target, operator, [text])
  }
  return (
    test !== null &&
    test !== 'in' && { op: test, value: keyOf(context, target, text, source.at), spelling: text }
  )
}

/** A text that begins or ends with a value, in which `@` and `*` are no wildcards. */
function anchoredTest(
  target: Comparable,
  operator: Operator,
  anchor: 'start' | 'end',
  text: string,
): Test {
  const key = textKey(partOf(target, text), target.collation)
  const isEmpty = key === ''
  // A property may hold another type than text, which begins and ends with nothing.
  if (isEmpty && target.type !== 'json') return IS_NOT_NULL
  const wildcard: Wildcard = {
    parts: isEmpty ? [] : [key],
    anchoredStart: !isEmpty && anchor === 'start',
    anchoredEnd: !isEmpty && anchor === 'end',
  }
  return { op: 'like', wildcard, spelling: text, written: operator }
}

/**
 * True where equality must compare the spelling, because the comparison key does not tell it:
 * folded texts, and properties, which may be texts. Dates have a spelling too, but compare as
 * instants.
 */
const isExact = ({ matching }: BindContext, { type, collation }: Comparable): boolean =>
  matching.isExact && (type === 'string' || type === 'json') && collation === 'folded'

/** Equality with one of several spellings; beside a property there may be other values. */
function exactTest(
  context: BindContext,
  target: Comparable,
  operator: Operator,
  spelling: readonly Scalar[],
): Test {
  const keys: string[] = []
  const values: Scalar[] = []
  const patterns: Wildcard[] = []
  const spelled: Comparable = { ...target, collation: 'exact' }
  for (const value of spelling) {
    const isText = typeof value === 'string'
    const pattern = isText ? readWildcard(context, spelled, operator, value) : null
    if (pattern !== null) patterns.push(pattern)
    else values.push(value)
    if (isText && pattern === null) keys.push(textKey(value, target.collation))
  }
  return { op: isNegative(operator) ? 'notExact' : 'exact', keys, values, patterns, spelling }
}

function listTest(
  context: BindContext,
  target: Comparable,
  operator: ListOperator,
  source: Exclude<ValueSyntax, { readonly kind: 'null' }>,
  parameters: FilterParameters | undefined,
): Test | false {
  const values: Scalar[] = []
  const wildcards: Wildcard[] = []
  const spelling: Scalar[] = []
  let takesAnything = false
  const add = (item: ScalarSyntax, given: unknown): void => {
    if (hasWildcards(context, operator) && isOnlyWildcards(given)) takesAnything = true
    else if (isText(target, item, given)) {
      checkText(context, target, given, item)
      spelling.push(given)
      if (isExact(context, target)) return
      const wildcard = readWildcard(context, target, operator, given)
      if (wildcard === null) values.push(keyOf(context, target, given, item.at))
      else wildcards.push(wildcard)
    } else {
      const converted = convert(context, target, item, given)
      values.push(converted)
      spelling.push(spellingOf(target, given, converted))
    }
  }
  if (source.kind === 'list') {
    for (const item of source.items) {
      if (item.kind === 'null')
        throw cannotBeAnalysed(context, item.at, 'a list cannot hold null: add "or … = null".')
      add(item, item.kind === 'placeholder' ? readParameter(parameters, item) : item.text)
    }
  } else if (source.kind === 'placeholder') {
    for (const given of listGiven(context, source, readParameter(parameters, source)))
      add(source, given)
  } else {
    throw cannotBeAnalysed(context, source.at, '"in" needs a list: [a, b].')
  }
  if (takesAnything) return IS_NOT_NULL
  if (isExact(context, target))
    return spelling.length > 0 && exactTest(context, target, operator, spelling)
  return values.length + wildcards.length === 0 ? false : { op: 'in', values, wildcards, spelling }
}

function listGiven(
  context: BindContext,
  source: PlaceholderSyntax,
  given: unknown,
): readonly unknown[] {
  if (!Array.isArray(given))
    throw wrongType(context, source, `"in" needs an array, not ${describeFound(given)}.`)
  checkLimit(context.limits, 'maxListItems', given.length)
  if (given.some((item) => item === null || item === undefined))
    throw filterError('placeholderMissing', {
      placeholder: `:${source.name}`,
      problem: 'its list holds null. Add "or … = null" to the filter instead.',
    })
  return given
}

/**
 * The key of a text that is compared as a whole. For a UUID attribute the text must be a UUID in
 * any spelling.
 */
function keyOf(context: BindContext, target: Comparable, text: string, at: number): string {
  if (target.type !== 'uuid') return textKey(text, target.collation)
  const uuid = coerceLiteral('uuid', false, text)
  if (uuid instanceof Refusal) throw cannotBeAnalysed(context, at, refusedBy(target, uuid))
  return textKey(String(uuid), target.collation)
}

/** Part of a text of the type, in the spelling that is stored. */
function partOf(target: Comparable, text: string): string {
  return target.type === 'uuid' ? text.replaceAll('-', '').toUpperCase() : text
}

/** True where `@` and `*` stand for any characters. */
const hasWildcards = ({ matching }: BindContext, operator: Operator): boolean =>
  matching.wildcards && OPERATORS[operator].hasWildcards === true

function readWildcard(
  context: BindContext,
  target: Comparable,
  operator: Operator,
  text: string,
): Wildcard | null {
  if (!hasWildcards(context, operator)) return null
  const hasEscapes = operator === 'escapedLike'
  const wildcard = parseWildcard(partOf(target, text), target.collation, hasEscapes)
  if (wildcard === null) return null
  const { parts, anchoredStart, anchoredEnd } = wildcard
  checkLimit(context.limits, 'maxPatternLength', text.length)
  checkLimit(
    context.limits,
    'maxWildcards',
    parts.length + 1 - Number(anchoredStart) - Number(anchoredEnd),
  )
  return wildcard
}

function checkText(
  context: BindContext,
  target: Comparable,
  text: string,
  source: ScalarSyntax,
): void {
  if (source.kind === 'bare' && target.type === 'string' && (text === 'true' || text === 'false'))
    throw cannotBeAnalysed(
      context,
      source.at,
      `${described(target)} is text: write '${text}' in quotes.`,
    )
  if (!isWellFormed(text))
    throw cannotBeAnalysed(
      context,
      source.at,
      'the text holds half of a character (a lone surrogate).',
    )
}
