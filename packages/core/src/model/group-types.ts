import type { Untyped } from './definition.ts'
import type { Explain } from './explain-types.ts'
import type { Checked, Parts, PathError, PathValue, Trim, ValuePathError } from './path-types.ts'
import type { FilterParameters } from './selection-types.ts'
import type { Model, Names } from './value-types.ts'

/** The aggregates of the values in a group. They skip null. */
export type AggregateName = 'average' | 'count' | 'countDistinct' | 'max' | 'min' | 'sum'

/** Spans of time that dates can be grouped by: `date.month`. Weeks begin on Monday. */
export type DateSpan = 'day' | 'week' | 'month' | 'quarter' | 'year'

/** A path, or the path of a date with a span of time: the first day of the span, as ISO 8601. */
type GroupPathValue<M extends Model, N extends keyof M, P extends string> =
  SpannedPath<M, N, P> extends never ? PathValue<M, N, P> : PathValue<M, N, SpannedPath<M, N, P>>
type GroupPathError<M extends Model, N extends keyof M, P extends string> = [
  SpannedPath<M, N, P>,
] extends [never]
  ? ValuePathError<M, N, P>
  : never
/** The path of the date in `date.month`; never for other paths. */
type SpannedPath<
  M extends Model,
  N extends keyof M,
  P extends string,
> = P extends `${infer D}.${DateSpan}`
  ? [PathError<M, N, D>] extends [never]
    ? [PathValue<M, N, D>] extends [string | null]
      ? D
      : never
    : never
  : never

/** A message about the error in the list of `groupBy`, or `never`. */
export type GroupError<
  M extends Model,
  N extends keyof M,
  S extends string,
> = S extends `${infer A},${infer B}`
  ? GroupPathError<M, N, Trim<A>> | GroupError<M, N, B>
  : GroupPathError<M, N, Trim<S>>

/** Aggregates that apply to values of a type; a value of unknown type may be a number. */
type AggregateOf<V> = unknown extends V
  ? AggregateName
  : [NonNullable<V>] extends [number]
    ? AggregateName
    : [Extract<V, object>] extends [never]
      ? Exclude<AggregateName, 'average' | 'sum'>
      : 'count'

/** The aggregates of each group: `{ count: true, delay: ['average', 'max'], distance: 'sum' }`. */
export type GroupAggregates = {
  readonly [path: string]: true | AggregateName | readonly AggregateName[]
}

type OneOrMore<F> = F | readonly F[]

/** The same for the paths of a dataclass: a path or aggregate that does not exist is an error. */
export type CheckedAggregates<M extends Model, N extends keyof M, A> = {
  readonly [P in keyof A]: string extends P
    ? true | OneOrMore<AggregateName>
    : P extends string
      ? A[P] extends true
        ? P extends 'count'
          ? true
          : OneOrMore<AggregateName>
        : [PathError<M, N, P>] extends [never]
          ? OneOrMore<AggregateOf<PathValue<M, N, P>>>
          : PathError<M, N, P>
      : never
}

/** The value of one aggregate. A sum of no values is 0. */
type AggregateValue<V, F> = F extends 'count' | 'countDistinct'
  ? number
  : F extends 'sum'
    ? unknown extends V
      ? number | null
      : number
    : F extends 'average'
      ? number | null
      : NonNullable<V> | null

/**
 * One group: the values of the attributes that it was grouped by, named as written, and the
 * aggregates, by path and name.
 */
export type GroupRow<M extends Model, N extends keyof M, S extends string, A> = string extends
  | S
  | Names<M, N>
  ? { readonly [name: string]: Untyped }
  : {
      readonly [P in Parts<S> | (keyof A & string)]: P extends keyof A
        ? A[P] extends OneOrMore<infer F extends AggregateName>
          ? { readonly [K in F]: AggregateValue<PathValue<M, N, P>, K> }
          : number
        : GroupPathValue<M, N, P>
    }

/**
 * Groups of the members of a selection, in an order. They are computed when they are first read,
 * and again after a commit; membership is that of the selection. Immutable: every operation returns
 * a new grouping.
 *
 * Cost of the computation: O(members) for each attribute, or less if an index knows how many
 * entities have each value, and a sort of the groups.
 */
export interface Grouping<R> extends Iterable<R> {
  /** The number of groups. */
  readonly count: number
  /** The groups. Without `orderBy` they have the order of their values. */
  toArray(): readonly R[]
  first(): R | undefined
  /**
   * The groups that satisfy a condition in the filter language. It compares the members of a row,
   * with a dot: `count > 10 and delay.average > :1`.
   */
  having(condition: string, parameters?: FilterParameters): Grouping<R>
  /** Orders by members of a row: `delay.average desc`. Ties have the order of their values. */
  orderBy(text: string): Grouping<R>
  /** At most `top` groups after the first `skip`. */
  page(skip: number, top: number): Grouping<R>
  /** How the groups are computed, with estimated and actual numbers. Computes them once more. */
  explain(): Explain
}

/** Groups of the members that still exist. */
export interface SelectionGroups<M extends Model, N extends keyof M> {
  /**
   * Groups the members by attributes, separated by commas:
   * `groupBy('origin.state', { count: true, delay: ['average', 'max'] })`; one name needs no list:
   * `{ delay: 'sum' }`. Paths lead over to-one relations. Members without a value form a group of
   * their own, with null. Texts that are equal in filters are in one group, with the spelling of
   * its first member in record order. Throws `attributeNotFound`, `attributeNotApplicable`,
   * `argumentInvalid`.
   */
  groupBy<const S extends string, const A extends GroupAggregates = Record<never, never>>(
    attributes: Checked<S, GroupError<M, N, S>>,
    aggregates?: A & CheckedAggregates<M, N, A>,
  ): Grouping<GroupRow<M, N, S, A>>
}
