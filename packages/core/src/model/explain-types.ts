// Declared here because the selection's public type names it; the plan room fills and prints it.
/** A plan as data, for people, tests and the protocol; printed by `String(explain)`. */
export interface Explain {
  readonly dataClass: string
  /** The filter as text, or null for a selection made otherwise. */
  readonly filter: string | null
  readonly root: ExplainNode
  /** The filter's structure with the index that answers each comparison in this plan; null without a filter. */
  readonly condition: ConditionNode | null
  toString(): string
}

export interface ExplainNode {
  /** For example `indexRange`, `postingList`, `intersect`, `semiJoin`, `scan`, `filter`, `orderByIndex`, `topK`. */
  readonly operator: string
  /** What it does, as text: `Flight.delay > 60`. */
  readonly detail: string
  /** `Flight.delay` when an index is used, else null. */
  readonly index: string | null
  readonly estimatedRows: number
  /** True when `estimatedRows` was counted by rank and must equal `actualRows`. */
  readonly isExact: boolean
  readonly actualRows: number | null
  readonly milliseconds: number | null
  readonly inputs: readonly ExplainNode[]
}

/** The structure of a filter, from which the protocol's `__queryPlan` and `__extendedQueryPlan` are rendered. */
export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ConditionNode[] }
  | { readonly kind: 'not'; readonly part: ConditionNode }
  | {
      readonly kind: 'comparison'
      readonly dataClass: string
      /** Attribute name, with the property path of an object attribute. */
      readonly attribute: string
      /** `===`, `=` (with a wildcard), `!==`, `#` (with a wildcard), `>`, `>=`, `<`, `<=`, `begin`, `%`, `in`, `is null`, `is not null`. */
      readonly operator: string
      readonly value: unknown
      /** `Employee.lastName` where that index answers it, else null. */
      readonly index: string | null
      readonly instance: number
    }
  | {
      readonly kind: 'join'
      readonly source: string
      /** Attribute of `source` at the left of the join: the foreign key, or the relation's name where the key is kept under it. */
      readonly leftAttribute: string
      readonly target: string
      readonly rightAttribute: string
      readonly instance: number
      readonly part: ConditionNode
    }

/**
 * What a filter found part by part, from which the protocol's `__queryPath` and `__extendedQueryPath` are rendered. A query may take
 * another way (see `Explain`): here every condition is answered by itself.
 */
export interface FilterTrace {
  readonly dataClass: string
  readonly filter: string
  /** Null for a filter that selects everything. */
  readonly root: ConditionTrace | null
}

/** A condition as it was run. */
export interface ConditionTrace {
  readonly condition: ConditionNode
  /** Entities of the condition's own dataclass that satisfy it: of a join those on its left, of what is asked behind it those on its right. */
  readonly found: number
  /** With what was run for it. */
  readonly milliseconds: number
  /** The parts that were run, in that order: a part of an AND that finds nothing is the last. */
  readonly steps: readonly ConditionTrace[]
}
