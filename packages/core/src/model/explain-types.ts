/** A plan as data. `String(explain)` prints it. */
export interface Explain {
  readonly dataClass: string
  /** The filter as text, or null for a selection without a filter. */
  readonly filter: string | null
  readonly root: ExplainNode
  /**
   * The structure of the filter, with the index that answers each comparison in this plan; null
   * without a filter.
   */
  readonly condition: ConditionNode | null
  toString(): string
}

export interface ExplainNode {
  /**
   * For example `indexRange`, `postingList`, `wordSearch`, `intersect`, `semiJoin`, `scan`,
   * `filter`, `orderByIndex`, `topK`.
   */
  readonly operator: string
  /** A description, such as `Flight.delay > 60`. */
  readonly detail: string
  /** `Flight.delay` when an index is used, else null. */
  readonly index: string | null
  readonly estimatedRows: number
  /** True when `estimatedRows` is an exact count and must equal `actualRows`. */
  readonly isExact: boolean
  readonly actualRows: number | null
  readonly milliseconds: number | null
  readonly inputs: readonly ExplainNode[]
}

/**
 * The structure of a filter, from which the protocol's `__queryPlan` and `__extendedQueryPlan` are
 * rendered.
 */
export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ConditionNode[] }
  | { readonly kind: 'not'; readonly part: ConditionNode }
  | {
      readonly kind: 'comparison'
      readonly dataClass: string
      /** Attribute name, with the property path of an object attribute. */
      readonly attribute: string
      /**
       * `===`, `=` (with a wildcard), `!==`, `#` (with a wildcard), `>`, `>=`, `<`, `<=`, `begin`,
       * `%`, `in`, `is null`, `is not null`; of a row filter `exactly`, `not exactly`.
       */
      readonly operator: string
      readonly value: unknown
      /** `Employee.lastName` where that index answers it, else null. */
      readonly index: string | null
      readonly instance: number
    }
  | {
      readonly kind: 'join'
      readonly source: string
      /**
       * Attribute of `source` at the left of the join: the foreign key, or the relation if the key
       * has a hidden column.
       */
      readonly leftAttribute: string
      readonly target: string
      readonly rightAttribute: string
      readonly instance: number
      readonly part: ConditionNode
    }

/**
 * The results of the parts of a filter, from which the protocol's `__queryPath` and
 * `__extendedQueryPath` are rendered. Each condition is answered by itself. A query may use another
 * plan (see `Explain`).
 */
export interface FilterTrace {
  readonly dataClass: string
  readonly filter: string
  /** Null for a filter that selects everything. */
  readonly root: ConditionTrace | null
}

/** The run of one condition. */
export interface ConditionTrace {
  readonly condition: ConditionNode
  /**
   * The number of entities that satisfy the condition. For a join these are entities of its left
   * side, for its part of its right side.
   */
  readonly found: number
  /** Including the steps. */
  readonly milliseconds: number
  /** The parts that ran, in order. An AND stops after a part that finds nothing. */
  readonly steps: readonly ConditionTrace[]
}
