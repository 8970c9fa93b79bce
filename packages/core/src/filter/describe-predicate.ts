import { assertNever } from '../errors.ts'
import { signOf } from './operators.ts'
import type { JsonMatch, OrderBy, Predicate, Scalar, Test } from './predicate.ts'

/**
 * A predicate as one readable line, for plans: `salary > 50000 and employer.city = 'Paris'`. Cost:
 * O(predicate).
 */
export function describePredicate(predicate: Predicate): string {
  return describe(predicate, '')
}

/** One test as the text that follows an attribute: `> 50000`, `is null`. */
export function describeTest(test: Test): string {
  const sign = signOf(test)
  switch (test.op) {
    case 'isNull':
    case 'isNotNull':
      return sign
    case 'in':
      return `${sign} [${test.spelling.map(quoted).join(', ')}]`
    case 'exact':
    case 'notExact': {
      const [first] = test.spelling
      if (test.spelling.length === 1 && first !== undefined) return `${sign} ${quoted(first)}`
      return `${sign} one of [${test.spelling.map(quoted).join(', ')}]`
    }
    default:
      return `${sign} ${quoted(test.spelling)}`
  }
}

/** An order as text: `salary desc, employer.name`. */
export function describeOrderBy(orderBy: OrderBy): string {
  return orderBy
    .map(({ steps, attribute, properties, descending }) => {
      const path = [...steps.map(({ name }) => name), attribute.name, ...properties].join('.')
      return descending ? `${path} desc` : path
    })
    .join(', ')
}

/** `path` is the prefix of attribute names: empty, or relations, each with a dot behind it. */
function describe(predicate: Predicate, path: string): string {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? 'everything' : 'nothing'
    case 'and':
    case 'or':
      return predicate.parts.map((part) => describePart(part, path)).join(` ${predicate.kind} `)
    case 'not':
      return `not (${describe(predicate.part, path)})`
    case 'compare':
    case 'computed':
      return `${path}${predicate.attribute.name} ${describeTest(predicate.test)}`
    case 'property':
      return describeMatch(predicate.match, `${path}${predicate.attribute.name}`)
    case 'related': {
      const { relation, instance, part, whenMissing } = predicate
      const name = `${path}${relation.name}${instance === 1 ? '' : `{${instance}}`}`
      if (part.kind === 'constant') return `${name} ${part.value ? 'exists' : 'is nothing'}`
      const text = describe(part, `${name}.`)
      return whenMissing && part.kind !== 'compare' ? `(${text}) or ${name} is null` : text
    }
    default:
      return assertNever(predicate)
  }
}

function describePart(part: Predicate, path: string): string {
  const text = describe(part, path)
  const isJoined =
    part.kind === 'and' ||
    part.kind === 'or' ||
    (part.kind === 'related' && part.part.kind !== 'compare')
  return isJoined ? `(${text})` : text
}

function describeMatch(match: JsonMatch, path: string): string {
  const below = [path, ...match.path].join('.')
  switch (match.kind) {
    case 'value':
      return `${below} ${describeTest(match.test)}`
    case 'length':
      return `${below}.length ${describeTest(match.test)}`
    case 'some':
    case 'none': {
      const inside = match.all.map((inner) => describeMatch(inner, `${below}[]`)).join(' and ')
      const text = match.all.length === 1 ? inside : `one of (${inside})`
      return match.kind === 'some' ? text : `not (${text})`
    }
    default:
      return assertNever(match)
  }
}

function quoted(value: Scalar): string {
  return typeof value === 'string' ? `'${value.replace(NOT_ON_ONE_LINE, escaped)}'` : String(value)
}

const NOT_ON_ONE_LINE = /['\p{Cc}\u2028\u2029]/gu

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
