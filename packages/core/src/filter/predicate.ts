import { assertNever } from '../errors.ts'
import type {
  ClassModel,
  ComputedAttribute,
  RelationAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import type { Keyword, Wildcard } from '../value/pattern-list.ts'
import { type Operator, signOf } from './operators.ts'

/**
 * A bound filter as immutable plain data: names are attributes, values are stored values of the
 * attribute's type. A predicate is about one entity of one dataclass; `related` changes to another.
 * It is two-valued: null satisfies `isNull` only, and `not` selects exactly the entities that its
 * part does not.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and'; readonly parts: readonly Predicate[] }
  | { readonly kind: 'or'; readonly parts: readonly Predicate[] }
  | { readonly kind: 'not'; readonly part: Predicate }
  | ComparePredicate
  | PropertyPredicate
  | ComputedPredicate
  | RelatedPredicate

/** A comparison of one column of the dataclass in scope. */
export interface ComparePredicate {
  readonly kind: 'compare'
  readonly attribute: StorageAttribute
  readonly test: Test
}

/** A comparison inside an object attribute; typed by the JSON value found. */
export interface PropertyPredicate {
  readonly kind: 'property'
  readonly attribute: StorageAttribute
  readonly match: JsonMatch
}

export interface ComputedPredicate {
  readonly kind: 'computed'
  readonly attribute: ComputedAttribute
  readonly test: Test
  /** True in a row filter: the getter then sees entities that are hidden from the reader. */
  readonly seesEverything?: true
}

/**
 * At least one related entity satisfies `part`, a predicate over `relation.target`. `whenMissing`
 * is the result for an entity whose to-one relation is empty; always false for to-many. `instance`
 * counts independent joins through the same relation (`{2}` in the text), from 1.
 */
export interface RelatedPredicate {
  readonly kind: 'related'
  readonly relation: RelationAttribute
  readonly part: Predicate
  readonly whenMissing: boolean
  readonly instance: number
}

/**
 * One test of one value. For text columns every `value` and bound is a *comparison key*
 * (`textKey(text, collation)`), for other types a stored value (bool as boolean). `spelling` is
 * what the user wrote, for plans.
 */
export type Test =
  | { readonly op: 'isNull' }
  | { readonly op: 'isNotNull' }
  | { readonly op: 'equal' | 'notEqual'; readonly value: Scalar; readonly spelling: Scalar }
  | {
      readonly op: 'less' | 'lessEqual' | 'greater' | 'greaterEqual'
      readonly value: Scalar
      readonly spelling: Scalar
    }
  | {
      readonly op: 'like' | 'notLike'
      readonly wildcard: Wildcard
      readonly spelling: string
      /** An operator that reads no wildcards, and has the pattern by its meaning. */
      readonly written?: Operator
    }
  | ExactTest
  | KeywordTest
  | {
      readonly op: 'in'
      readonly values: readonly Scalar[]
      readonly wildcards: readonly Wildcard[]
      readonly spelling: readonly Scalar[]
    }

/**
 * Equality with one of several texts as they are spelled, for columns whose comparison keys are
 * folded. Evaluation reads the stored text; an index finds its `keys`. Inside an object the list
 * may hold numbers and booleans too.
 */
export interface ExactTest {
  readonly op: 'exact' | 'notExact'
  /** The comparison keys of the texts in `values`. */
  readonly keys: readonly string[]
  readonly values: readonly Scalar[]
  /** Patterns, which take case and accents as they are. */
  readonly patterns: readonly Wildcard[]
  readonly spelling: readonly Scalar[]
}

export type Scalar = string | number | boolean
/** A text contains every word, in any order. */
export interface KeywordTest {
  readonly op: 'keyword'
  /** With their comparison keys. */
  readonly words: readonly Keyword[]
  /** True where the words of a text keep case and accents. */
  readonly isExact?: true
  readonly spelling: string
}

/**
 * A condition inside one object attribute. The value has any type: a test of another type is false.
 * Text is compared by folded keys.
 * - `value` tests the value at `path`; a missing value is null.
 * - `length` tests the number of elements of the collection at `path`, or the property `length` of
 *   an object there.
 * - `some`: one element of the collection at `path` satisfies all of `all` (`[]`, linked criteria
 *   `[a]`).
 * - `none`: there is a collection at `path`, and no element of it does (`[]` with `!=`).
 */
export type JsonMatch =
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly test: Test }
  | { readonly kind: 'length'; readonly path: readonly string[]; readonly test: Test }
  | { readonly kind: 'some'; readonly path: readonly string[]; readonly all: readonly JsonMatch[] }
  | { readonly kind: 'none'; readonly path: readonly string[]; readonly all: readonly JsonMatch[] }

/**
 * One term of an order: a path of to-one relations, then a column, a computed attribute or a
 * property path of an object.
 */
export interface OrderTerm {
  readonly steps: readonly RelationAttribute[]
  readonly attribute: StorageAttribute | ComputedAttribute
  /** Property path inside an object attribute; empty otherwise. */
  readonly properties: readonly string[]
  readonly descending: boolean
}
export type OrderBy = readonly OrderTerm[]

/**
 * A filter ready to run: the predicate of one dataclass, and the order at the end of its text, if
 * any.
 */
export interface BoundFilter {
  readonly dataClass: ClassModel
  /** The text as written; null if there was none. */
  readonly text: string | null
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
}

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

/** A character as the escape that filters read. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
