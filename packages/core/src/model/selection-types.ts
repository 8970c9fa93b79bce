import type { Untyped } from './definition.ts'
import type { Entity } from './entity-types.ts'
import type { ConditionNode, Explain } from './explain-types.ts'
import type { ArgumentsOf, FunctionName, ResultOf } from './function-types.ts'
import type { LiveDelta, LiveOptions, LiveQuery } from './live-types.ts'
import type { Checked, ListError, OrderError, PathError, PathValue, Projection } from './path-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { TextForm } from './text-form.ts'
import type { AttributesOf, AttributeValue, KeyOf, Model, NumericName, OrderedName } from './value-types.ts'

/** Values of placeholders: in order for `:1`, by name for `:name`. Null and undefined are refused. */
export type FilterParameters = readonly unknown[] | { readonly [name: string]: unknown }

/** How a query is read and run. */
export interface QueryOptions {
  /** Takes the n-th of `plans` instead of the cheapest: for tests and experiments. */
  readonly plan?: number
  /** Attributes that are not exposed are then unknown, as they are to clients of an adapter. */
  readonly exposedOnly?: boolean
}

/** Count of values, and what they amount to; null where there is no value. */
export interface Aggregates<V = Untyped> {
  readonly count: number
  readonly sum?: number
  readonly average?: number | null
  readonly min: V | null
  readonly max: V | null
}

/** Entities of one dataclass in an order: what can be read of a selection, of now or of an older global stamp. */
export interface SelectionReader<M extends Model, N extends keyof M> extends Iterable<Entity<M, N>> {
  readonly dataClass: DataClassReader<M, N, this>
  /** Members, deleted ones included. */
  readonly count: number
  first(): Entity<M, N> | undefined
  toArray(): readonly Entity<M, N>[]
  has(key: KeyOf<AttributesOf<M, N>>): boolean
  /** Keys of living members, in order. */
  keys(): readonly KeyOf<AttributesOf<M, N>>[]
  /** Every member in its place; undefined for one deleted since. */
  members(): readonly (Entity<M, N> | undefined)[]

  page(skip: number, top: number): this
  /** From `start` up to, not including, `end`; negative numbers count from the end, as in arrays. */
  slice(start?: number, end?: number): this
  orderBy<const S extends string>(text: Checked<S, OrderError<M, N, S>>): this
  /** Filters within this selection. */
  query(filter: string, parameters?: FilterParameters, options?: QueryOptions): this

  and(other: this): this
  or(other: this): this
  except(other: this): this
  intersects(other: this): boolean
  /** Without the members deleted since. */
  clean(): this

  sum(attribute: NumericName<AttributesOf<M, N>>): number
  average(attribute: NumericName<AttributesOf<M, N>>): number | null
  min<K extends OrderedName<AttributesOf<M, N>>>(attribute: K): AttributeValue<M, N, K> | null
  max<K extends OrderedName<AttributesOf<M, N>>>(attribute: K): AttributeValue<M, N, K> | null
  /** With `distinct` each value counts once. */
  compute<K extends OrderedName<AttributesOf<M, N>>>(
    attribute: K,
    options?: { readonly distinct?: boolean },
  ): Aggregates<NonNullable<AttributeValue<M, N, K>>>
  /** How many living members have a value. */
  countOf(attribute: keyof AttributesOf<M, N> & string): number
  /** Values without null, each once, in order. */
  distinct<const S extends string>(
    path: Checked<S, PathError<M, N, S>>,
  ): readonly (string extends S ? unknown : NonNullable<PathValue<M, N, S>>)[]

  select<const S extends string>(paths: Checked<S, ListError<M, N, S>>): readonly Projection<M, N, S>[]
  /** JSON text of `select(paths)`, or of all stored values. */
  json<const S extends string>(paths?: Checked<S, ListError<M, N, S>>): string

  /** Every member in its place as text, in a form of the caller's; undefined for one deleted since. For adapters. */
  texts(form: TextForm): readonly (string | undefined)[]
  explain(): Explain
  /**
   * The filter that it was made by, with the index that answers each comparison; null where there was none. Runs nothing, and tells of the
   * same plan as `explain`.
   */
  condition(): ConditionNode | null
  /**
   * Works out membership and order now and returns this selection. Call it on a selection that is held for more than `history` commits:
   * an unsettled one that was not read before is worked out from the history and throws `historyTrimmed` once that is too short.
   * Cost O(count), and a sort if ordered.
   */
  settle(): this
}

/**
 * Entities of one dataclass in an order. Membership and order are those of its making, values are read now; members
 * deleted since keep counting and are skipped by everything else.
 */
export interface Selection<M extends Model, N extends keyof M> extends SelectionReader<M, N> {
  /** Removes all living members, in one transaction; returns how many. */
  remove(): number
  /**
   * Asks what this selection was made of on and on: the result of now is `initial`, and `listener` is called after each commit that
   * changes it, as listeners of `commit` are. For what was asked of a dataclass or of a relation, in any order, and for a page of that;
   * throws `argumentInvalid` for other selections, and `notInTransaction` inside one.
   */
  live(listener: (delta: LiveDelta<M, N>) => void, options?: LiveOptions): LiveQuery<M, N>
  call<K extends FunctionName<M[N]['functions'], 'selection'>>(
    name: K,
    ...args: ArgumentsOf<M[N]['functions'], K>
  ): ResultOf<M[N]['functions'], K>
}
