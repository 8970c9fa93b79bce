import type { Attribute, ClassName, RelationAttribute } from './schema.ts'
import type { Asked } from './values.ts'

/** Operators by meaning; each has several spellings. */
export const OPERATORS = [
  'equal',
  'identical',
  'notEqual',
  'notIdentical',
  'greater',
  'greaterEqual',
  'less',
  'lessEqual',
  'begin',
  'end',
  'keyword',
  'in',
] as const
export type Operator = (typeof OPERATORS)[number]

/** A relation of a comparison; `instance` 2 is an independent second join. */
export interface Step {
  readonly relation: RelationAttribute
  readonly instance: 1 | 2
}

/**
 * A name below an object attribute. `element` is null without `[]`, `''` for `[]`, otherwise the
 * letter.
 */
export interface PropertyStep {
  readonly name: string
  readonly element: string | null
}

/** A value of the filter: a literal, or a given value. */
export interface Literal {
  readonly asked: Asked
  /** One of its spellings, or one of the possible given values. */
  readonly form:
    | { readonly kind: 'written'; readonly text: string }
    | { readonly kind: 'given'; readonly value: unknown }
}

export type ComparedValue =
  | { readonly kind: 'null' }
  /** A path alone compares with true. */
  | { readonly kind: 'alone' }
  | { readonly kind: 'one'; readonly literal: Literal }
  /** `isWhole`: the list is given as one array. */
  | { readonly kind: 'list'; readonly literals: readonly Literal[]; readonly isWhole: boolean }

export interface Comparison {
  readonly kind: 'comparison'
  readonly steps: readonly Step[]
  /** The dataclass behind the steps, which has the attribute. */
  readonly owner: ClassName
  readonly attribute: Attribute
  /**
   * The path below an object attribute; `[]` directly behind the attribute is a first step without
   * a name.
   */
  readonly properties: readonly PropertyStep[]
  readonly operator: Operator
  readonly value: ComparedValue
  /**
   * Writes `children.parent{2}` in place of `children{2}.parent`: the mark of a to-many relation
   * behind the following to-one relation.
   */
  readonly isMarkLate: boolean
  /** The path is given among the values. */
  readonly isPathGiven: boolean
  /** The counted cell: see cells.ts. */
  readonly label: string
  readonly form: 'written' | 'given' | 'null' | 'alone'
}

export type Condition =
  | Comparison
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  | { readonly kind: 'or' | 'except'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly part: Condition }

/** All comparisons of a condition. */
export function comparisonsOf(condition: Condition): readonly Comparison[] {
  switch (condition.kind) {
    case 'comparison':
      return [condition]
    case 'and':
      return condition.parts.flatMap(comparisonsOf)
    case 'not':
      return comparisonsOf(condition.part)
    default:
      return [...comparisonsOf(condition.left), ...comparisonsOf(condition.right)]
  }
}
