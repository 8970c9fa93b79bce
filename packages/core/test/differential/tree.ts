import type { Attribute, ClassName, RelationAttribute } from './schema.ts'
import type { Asked } from './values.ts'

/** Operators by what they mean; each can be written in several ways. */
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
  'keyword',
  'in',
] as const
export type Operator = (typeof OPERATORS)[number]

/** A relation on the way of a comparison; `instance` 2 is an independent second join. */
export interface Step {
  readonly relation: RelationAttribute
  readonly instance: 1 | 2
}

/** A name below an object attribute. `element` null: no `[]`; else the letter, or `''` for `[]`. */
export interface PropertyStep {
  readonly name: string
  readonly element: string | null
}

/** A value as it stands in the filter: written there, or given apart. */
export interface Literal {
  readonly asked: Asked
  /** One of the spellings, or one of the values that can be given. */
  readonly form:
    | { readonly kind: 'written'; readonly text: string }
    | { readonly kind: 'given'; readonly value: unknown }
}

export type ComparedValue =
  | { readonly kind: 'null' }
  /** A path alone asks for true. */
  | { readonly kind: 'alone' }
  | { readonly kind: 'one'; readonly literal: Literal }
  /** `isWhole`: the list is given as one array. */
  | { readonly kind: 'list'; readonly literals: readonly Literal[]; readonly isWhole: boolean }

export interface Comparison {
  readonly kind: 'comparison'
  readonly steps: readonly Step[]
  /** The class behind the steps, which the attribute belongs to. */
  readonly owner: ClassName
  readonly attribute: Attribute
  /**
   * Behind an object attribute; `[]` directly behind the attribute is a first step without a name.
   */
  readonly properties: readonly PropertyStep[]
  readonly operator: Operator
  readonly value: ComparedValue
  /**
   * `children.parent{2}` instead of `children{2}.parent`: the mark of a to-many relation behind the
   * to-one that follows it.
   */
  readonly isMarkLate: boolean
  /** The path comes with the values. */
  readonly isPathGiven: boolean
  /** What is counted: see cells.ts. */
  readonly label: string
  readonly form: 'written' | 'given' | 'null' | 'alone'
}

export type Condition =
  | Comparison
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  | { readonly kind: 'or' | 'except'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly part: Condition }

/** Every comparison of a condition. */
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
