import type {
  ClassModel,
  ComputedAttribute,
  RelationAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import type { Keyword } from '../value/pattern-list.ts'
import type { Wildcard } from '../value/wildcard.ts'
import type { Operator } from './operators.ts'

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
 * A condition inside one object attribute.
 * - `value` tests the value at `path`; a missing value is null.
 * - `length` tests the number of elements of the collection at `path`, or the property `length` of
 *   an object there.
 * - `some`: one element of the collection at `path` satisfies all of `all` (`[]`, linked criteria
 *   `[a]`).
 * - `none`: there is a collection at `path`, and no element of it does (`[]` with `!=`).
 */
export type JsonMatch =
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly test: JsonTest }
  | { readonly kind: 'length'; readonly path: readonly string[]; readonly test: JsonTest }
  | { readonly kind: 'some'; readonly path: readonly string[]; readonly all: readonly JsonMatch[] }
  | { readonly kind: 'none'; readonly path: readonly string[]; readonly all: readonly JsonMatch[] }

/**
 * A test of a JSON value of unknown type: it is false if the types differ. Text is compared by
 * folded keys.
 */
type JsonTest = Test

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
