import type { ComparisonSyntax, ScalarSyntax, ValueSyntax } from '../../src/filter/syntax.ts'
import type { AttributeType } from '../../src/value/types.ts'
import {
  compareValues,
  fits,
  fold,
  hasWildcard,
  holdsWords,
  literal,
  Refused,
  uuidText,
} from './plain-value.ts'

/**
 * The left side of a comparison: an attribute, or a property of an object (`json`), whose type is
 * that of its value.
 */
export interface Target {
  readonly type: AttributeType | 'json'
  readonly isExact: boolean
  readonly dateOnly: boolean
}
/** Tests a comparable value (null for none); `spelling` is the value as written. */
export type Test = (found: unknown, spelling?: unknown) => boolean
type Operator = ComparisonSyntax['operator']

/** A comparison as a function, by the rules of the language. */
export function plainTest(
  target: Target,
  operator: Operator,
  value: ValueSyntax,
  parameter: (name: string) => unknown,
): Test {
  if (value.kind === 'null') return nullTest(operator)
  if (target.type === 'object' || target.type === 'blob')
    throw new Refused('it compares with null only')
  if (operator === 'in') {
    const tests = listOf(value, parameter).map(([source, given]) =>
      equality(target, source, given, true),
    )
    return (found) => found !== null && tests.some((test) => test(found))
  }
  if (value.kind === 'list') throw new Refused('a list needs "in"')
  const given = value.kind === 'placeholder' ? parameter(value.name) : value.text
  const isAware = operator === 'equal' || operator === 'notEqual'
  switch (operator) {
    case 'equal':
    case 'identical':
      return equality(target, value, given, isAware)
    case 'notEqual':
    case 'notIdentical': {
      const equal = equality(target, value, given, isAware)
      return (found) => found !== null && !equal(found)
    }
    case 'begin': {
      const start = textOf(target, value, given)
      return (found) => typeof found === 'string' && found.startsWith(fold(start, target.isExact))
    }
    case 'end': {
      const end = textOf(target, value, given)
      return (found) => typeof found === 'string' && found.endsWith(fold(end, target.isExact))
    }
    case 'keyword': {
      const words = textOf(target, value, given)
      if (target.type === 'uuid') throw new Refused('a UUID has no words')
      return (_found, spelling) =>
        typeof spelling === 'string' && holdsWords(words, spelling, target.isExact)
    }
    default: {
      const bound = converted(target, value, given)
      return (found) => {
        if (typeof found !== typeof bound) return false
        const order = compareValues(found, bound)
        if (operator === 'less') return order < 0
        if (operator === 'lessEqual') return order <= 0
        return operator === 'greater' ? order > 0 : order >= 0
      }
    }
  }
}

function nullTest(operator: Operator): Test {
  if (operator === 'equal' || operator === 'identical') return (found) => found === null
  if (operator === 'notEqual' || operator === 'notIdentical') return (found) => found !== null
  throw new Refused('null is neither less nor greater')
}

function equality(target: Target, source: ScalarSyntax, given: unknown, isAware: boolean): Test {
  if (isAware && typeof given === 'string' && hasWildcard(given)) {
    // Alone it matches any value, also values that are not texts.
    if (/^[@*]+$/.test(given)) return (found) => found !== null
    if (isTextual(target)) {
      checkBare(target, source, given)
      const pattern = fold(target.type === 'uuid' ? uuidText(given) : given, target.isExact)
      return (found) => typeof found === 'string' && fits(pattern, found)
    }
  }
  const wanted = converted(target, source, given)
  return (found) => found === wanted
}

const isTextual = ({ type }: Target): boolean =>
  type === 'string' || type === 'uuid' || type === 'json'

/** The value to compare with, converted to the type of the target and folded. */
function converted(
  target: Target,
  source: ScalarSyntax,
  given: unknown,
): string | number | boolean {
  const { type, isExact, dateOnly } = target
  if (type === 'json') {
    if (source.kind === 'bare' && (given === 'true' || given === 'false')) return given === 'true'
    if (source.kind === 'bare' && typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given))
      return Number(given)
    if (typeof given === 'string') return fold(given, isExact)
    if (typeof given === 'number' || typeof given === 'boolean') return given
    throw new Refused('not a scalar')
  }
  if (typeof given === 'string') {
    checkBare(target, source, given)
    const found = literal(type, dateOnly, given)
    return typeof found === 'string' ? fold(found, isExact) : found
  }
  const isNumeric = ['long', 'long64', 'number', 'duration'].includes(type)
  if (typeof given === 'number' && isNumeric) return given
  if (typeof given === 'boolean' && type === 'bool') return given
  // Dates are given as everywhere: epoch milliseconds, cut to the day for dates without a time.
  if (typeof given === 'number' && type === 'date' && Number.isInteger(given))
    return dateOnly ? Math.floor(given / 86_400_000) : given
  throw new Refused(`${typeof given} for ${type}`)
}

/** true and false without quotes are not texts. */
function checkBare({ type }: Target, source: ScalarSyntax, given: string): void {
  if (type === 'string' && source.kind === 'bare' && (given === 'true' || given === 'false'))
    throw new Refused(given)
}

/** The text behind `begin`, `end` and `%`. */
function textOf(target: Target, source: ScalarSyntax, given: unknown): string {
  if (!isTextual(target) || typeof given !== 'string') throw new Refused('not a text')
  checkBare(target, source, given)
  if (target.type === 'json' && typeof converted(target, source, given) !== 'string')
    throw new Refused('not a text')
  return target.type === 'uuid' ? uuidText(given) : given
}

/** The values behind `in`, each with its spelling. */
function listOf(
  value: ValueSyntax,
  parameter: (name: string) => unknown,
): readonly [ScalarSyntax, unknown][] {
  if (value.kind === 'placeholder') {
    const given = parameter(value.name)
    if (!Array.isArray(given) || given.includes(null)) throw new Refused('not a list')
    return given.map((item): [ScalarSyntax, unknown] => [value, item])
  }
  if (value.kind !== 'list') throw new Refused('not a list')
  return value.items.map((item) => {
    if (item.kind === 'null') throw new Refused('null in a list')
    return [item, item.kind === 'placeholder' ? parameter(item.name) : item.text]
  })
}
