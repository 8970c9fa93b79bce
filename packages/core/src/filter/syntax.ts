import type { Operator } from './operators.ts'

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
  /** An attribute alone: a test for true. */
  | { readonly kind: 'isTrue'; readonly path: SubjectSyntax }

export interface ComparisonSyntax {
  readonly kind: 'comparison'
  readonly path: SubjectSyntax
  /** It does not tell which synonym was written. */
  readonly operator: Operator
  readonly value: ValueSyntax
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
