import type { Condition, ConditionInput } from './condition-types.ts'
import type { Untyped } from './definition.ts'
import type { Entity } from './entity-types.ts'
import type { ConditionNode, Explain } from './explain-types.ts'
import type { ArgumentsOf, FunctionName, ResultOf } from './function-types.ts'
import type { SelectionGroups } from './group-types.ts'
import type { LiveDelta, LiveIdentity, LiveOptions, LiveQuery } from './live-types.ts'
import type {
  Checked,
  ListError,
  OrderError,
  PathValue,
  Projection,
  ValuePathError,
} from './path-types.ts'
import type { DataClassCore, DataClassReader } from './table-types.ts'
import type {
  AttributesOf,
  AttributeValue,
  KeyOf,
  Model,
  NumericName,
  OrderedName,
} from './value-types.ts'

/**
 * Values of placeholders: in order for `:1`, by name for `:name`. Null and undefined are refused.
 */
export type FilterParameters = readonly unknown[] | { readonly [name: string]: unknown }

/** How a query is parsed and run. */
export interface QueryOptions {
  /** Takes the n-th of `plans` instead of the cheapest: for tests and experiments. */
  readonly plan?: number
  /** Treats attributes that are not exposed as unknown, as adapters do. */
  readonly exposedOnly?: boolean
}

/**
 * Aggregates of the values that are not null. `sum` and `average` are null for attributes that are
 * not numbers.
 */
export interface Aggregates<V = Untyped> {
  readonly count: number
  /** 0 when there is no value. */
  readonly sum: number | null
  readonly average: number | null
  /** Like `max`, as entities show values, and null when there is no value. */
  readonly min: V | null
  readonly max: V | null
}

// `Selection` is assembled from one interface per capability, so that a store of fewer capabilities
// can have selections with exactly their methods. `SelectionCore` and `SelectionWrites` are the
// parts that every selection has.

/**
 * The members of a selection and their order. Membership and order are fixed when the selection is
 * created.
 */
export interface SelectionCore<M extends Model, N extends keyof M> extends Iterable<Entity<M, N>> {
  readonly dataClass: DataClassCore<M, N, this>
  /** The number of members, deleted ones included. */
  readonly count: number
  first(): Entity<M, N> | undefined
  toArray(): readonly Entity<M, N>[]
  /**
   * The stored values of each entity, as `JSON.stringify` writes them: `res.json(store.Note.all())`
   * sends all notes. For a page of many, call `page` first.
   */
  toJSON(): readonly unknown[]
  has(key: KeyOf<AttributesOf<M, N>>): boolean
  /** Keys of the members that still exist, in order. */
  keys(): readonly KeyOf<AttributesOf<M, N>>[]
  /** Every member in its place; undefined for a member that was deleted since. */
  members(): readonly (Entity<M, N> | undefined)[]

  page(skip: number, top: number): this
  /**
   * From `start` up to, not including, `end`; negative numbers count from the end, as in arrays.
   */
  slice(start?: number, end?: number): this
  orderBy<const S extends string>(text: Checked<S, OrderError<M, N, S>>): this
  /** Filters within this selection. */
  query(
    filter: string | Condition<N & string>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): this

  and(other: this): this
  or(other: this): this
  except(other: this): this
  intersects(other: this): boolean
  /** Without the members that were deleted since. */
  clean(): this
  /**
   * Computes membership and order now and returns this selection. Call it on a selection that you
   * hold for more than `history` commits. Without it, a selection that was not read before is
   * computed from the history, and throws `historyTrimmed` when that is too short. Cost O(count),
   * and a sort if ordered.
   */
  settle(): this
}

/** Sums, extremes, counts and distinct values of the members that still exist. */
export interface SelectionAggregates<M extends Model, N extends keyof M> {
  sum(attribute: NumericName<AttributesOf<M, N>>): number
  average(attribute: NumericName<AttributesOf<M, N>>): number | null
  min<K extends OrderedName<AttributesOf<M, N>>>(attribute: K): AttributeValue<M, N, K> | null
  max<K extends OrderedName<AttributesOf<M, N>>>(attribute: K): AttributeValue<M, N, K> | null
  /** With `distinct` each value counts once. */
  compute<K extends OrderedName<AttributesOf<M, N>>>(
    attribute: K,
    options?: { readonly distinct?: boolean },
  ): Aggregates<NonNullable<AttributeValue<M, N, K>>>
  /** The number of members that have a value. */
  countOf(attribute: keyof AttributesOf<M, N> & string): number
  /** Values without null, each once, in order. */
  distinct<const S extends string>(
    path: Checked<S, ValuePathError<M, N, S, true>>,
  ): readonly (string extends S ? unknown : NonNullable<PathValue<M, N, S>>)[]
}

/** Plain objects and JSON text of the members. */
export interface SelectionProjections<M extends Model, N extends keyof M> {
  select<const S extends string>(
    paths: Checked<S, ListError<M, N, S>>,
  ): readonly Projection<M, N, S>[]
  /** JSON text of `select(paths)`, or of all stored values. */
  json<const S extends string>(paths?: Checked<S, ListError<M, N, S>>): string
}

/** Text of the members in a form that an adapter defines. */
export interface SelectionTexts {
  /** Every member in its place as text; undefined for a member that was deleted since. */
  texts(form: TextForm): readonly (string | undefined)[]
}

/** Finding members by the words of their texts. */
export interface SelectionSearch {
  /** The members with every one of the words, in this order: see `search` of the dataclass. */
  search(words: string): this
}

/** How a selection is computed. */
export interface SelectionPlans {
  explain(): Explain
  /**
   * The filter that created the selection, with the index that answers each comparison; null
   * without a filter. Runs nothing, and describes the same plan as `explain`.
   */
  condition(): ConditionNode | null
}

/** Filters that the compiler checks. */
export interface SelectionConditions<M extends Model, N extends keyof M> {
  /**
   * Filters within this selection: by text, by a condition of `where`, or by a function that makes
   * one.
   */
  query(
    filter: string | ConditionInput<M, N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): this
}

/** Writing through a selection. */
export interface SelectionWrites {
  /** Removes all members that still exist, in one transaction; returns how many. */
  remove(): number
}

/** Live queries. */
export interface SelectionLive<M extends Model, N extends keyof M> {
  /**
   * Keeps the query of this selection running: `initial` is its result now, and `listener` is
   * called after each commit that changes the result, as listeners of `commit` are. Possible for
   * queries of a dataclass or of a relation, in any order, and for a page of one; throws
   * `argumentInvalid` for other selections, and `notInTransaction` inside a transaction.
   */
  live<const S extends string = string>(
    listener: (delta: LiveDelta<M, N>) => void,
    options?: LiveOptions<Checked<S, ListError<M, N, S>>>,
  ): LiveQuery<M, N>
  /**
   * Identifies what `live` follows, without starting it. Throws `argumentInvalid` for selections
   * that cannot be followed. Cost: O(filter).
   */
  liveIdentity(): LiveIdentity
}

/** Class functions that work on a selection. */
export interface SelectionFunctions<M extends Model, N extends keyof M> {
  call<K extends FunctionName<M[N]['functions'], 'selection'>>(
    name: K,
    ...args: ArgumentsOf<M[N]['functions'], K>
  ): ResultOf<M[N]['functions'], K>
}

/**
 * Entities of one dataclass in an order: all that can be read of a selection, of the present or of
 * an older global stamp.
 */
export interface SelectionReader<M extends Model, N extends keyof M>
  extends SelectionCore<M, N>,
    SelectionAggregates<M, N>,
    SelectionGroups<M, N>,
    SelectionProjections<M, N>,
    SelectionTexts,
    SelectionSearch,
    SelectionPlans {
  readonly dataClass: DataClassReader<M, N, this>
  /**
   * Filters within this selection: by text, by a condition of `where`, or by a function that makes
   * one. `parameters` are the values of a text.
   */
  query(
    filter: string | ConditionInput<M, N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): this
}

/**
 * Entities of one dataclass in an order. Membership and order are fixed when the selection is
 * created; values are read when they are used. A member that is deleted later still counts, and
 * everything else skips it.
 */
export interface Selection<M extends Model, N extends keyof M>
  extends SelectionReader<M, N>,
    SelectionWrites,
    SelectionLive<M, N>,
    SelectionFunctions<M, N> {}

/**
 * How an adapter writes entities as text: the pieces in order, then `end`. A store compiles a form
 * at its first use, so create a form once and reuse it. Its functions must be pure: their results
 * are cached.
 */
export interface TextForm {
  readonly pieces: readonly TextPiece[]
  readonly end: string
}

/** `head`, followed by the text of a value. `write` gets values as entities show them. */
export type TextPiece =
  /** A stored attribute; JSON without `write`. */
  | {
      readonly kind: 'value'
      readonly head: string
      readonly attribute: string
      readonly write?: (value: unknown) => string
    }
  /** A stored attribute, or null for none, written together with key, stamp or timestamp. */
  | {
      readonly kind: 'marked'
      readonly head: string
      readonly attribute: string | null
      readonly write: (value: unknown, marks: TextMarks) => string
    }
  /** The key of a to-one relation; null if the reader may not see its target. */
  | {
      readonly kind: 'relatedKey'
      readonly head: string
      readonly relation: string
      readonly write: (key: string | number | null) => string
    }

/** One entity as text. `life` and `stamp` identify the state that the text shows. */
export interface EntityText {
  readonly text: string
  /** See `DataClassReader.life`. */
  readonly life: string
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}

/** Key and version of an entity. */
export interface TextMarks {
  readonly key: string | number
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}
