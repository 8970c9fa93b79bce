import type { ErrorEntry } from '../errors.ts'
import type {
  Arrived,
  AsyncArguments,
  AsyncChange,
  AsyncEntity,
  AsyncPatch,
  AsyncResult,
  ClassCallArguments,
  ClassCallResult,
  EntityArgument,
  EntityOrKey,
  NewAsyncEntity,
} from './async-call-types.ts'
import type { Condition, Conditional } from './condition-types.ts'
import type { RelatedEntitiesDefinition, RelatedEntityDefinition, Untyped } from './definition.ts'
import type { ArgumentsOf, FunctionName, PlainFunctionName, ResultOf } from './function-types.ts'
import type { CheckedAggregates, GroupAggregates, GroupError, GroupRow } from './group-types.ts'
import type {
  Checked,
  ListError,
  OrderError,
  PathError,
  PathValue,
  Projection,
} from './path-types.ts'
import type { AttributesOf, KeyOf, Model, NumericName } from './value-types.ts'

// Groups of an asynchronous store. Types only.

/** One page of groups, and the total number of groups. */
export interface GroupPage<R> {
  readonly count: number
  /** Position of the first group, from 0. */
  readonly skip: number
  readonly groups: readonly R[]
}

/**
 * Groups of a selection that are described, and computed when a method needs them. `R` is the type
 * of the rows.
 */
export interface AsyncGrouping<R> extends AsyncIterable<R> {
  /** Adds a condition with `and`: ``having`count > ${10} and delay.average > 5` ``. */
  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): AsyncGrouping<R>
  /** Replaces the order, by members of a row: `orderBy('delay.average desc')`. */
  orderBy(text: string): AsyncGrouping<R>
  page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<R>>
  first(): Promise<R | undefined>
  /** The number of groups. */
  count(): Promise<number>
  /** Reads all groups into one list. */
  toArray(options?: Pick<IterateOptions, 'signal'>): Promise<R[]>
}

// The outcomes of writes to an asynchronous store. What a caller has to expect is a value, and
// everything else is an error. Types only.

/** The holder of a lock, as the store knows it; texts are empty if unknown. */
export interface LockHolder {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** The entity was saved since it was read; `current` is its state now. */
export interface StampChanged<E> {
  readonly kind: 'stampChanged'
  readonly current: E
}
/** Another session holds the lock. */
export interface Locked {
  readonly kind: 'locked'
  readonly holder: LockHolder
}
/** The entity does not exist, or no longer exists. */
export interface Absent {
  readonly kind: 'absent'
}
/** A rule of the model or a hook refused the values. */
export interface Refused {
  readonly kind: 'refused'
  readonly message: string
  /** The deepest cause first. */
  readonly errors: readonly ErrorEntry[]
}
/** Another change of the same batch failed, so this one is not stored. */
export interface Undone {
  readonly kind: 'undone'
}

/** The result of changing an entity. */
export type SaveOutcome<E> =
  | { readonly kind: 'saved'; readonly entity: E }
  | StampChanged<E>
  | Locked
  | Absent
  | Refused
/** The result of one change of a batch that is stored as a whole or not at all. */
export type BatchOutcome<E> = SaveOutcome<E> | Undone
export type RemoveOutcome = { readonly kind: 'removed' } | Locked | Absent | Refused
/** The result of locking an entity for one's own session. */
export type HoldOutcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'alreadyLocked'; readonly holder: LockHolder }
  | Absent

// One asynchronous interface for stores in the process (`asyncOf`) and elsewhere. Types only.

/** The values that a `${…}` of a filter accepts. Lists belong to `in`. */
export type FilterValue =
  | string
  | number
  | boolean
  | Date
  | readonly (string | number | boolean | Date)[]

/** One page of a selection, and the total number of members. */
export interface Page<E> {
  readonly count: number
  /** Position of the first entity, from 0. */
  readonly skip: number
  readonly entities: readonly E[]
}

export interface IterateOptions {
  /** Entities per read; 100 by default. */
  readonly pageSize?: number
  readonly signal?: AbortSignal
}

/**
 * A message about the error in a path of own values and their properties, or `never`. Aggregates
 * and distinct values take no path along a relation: define an alias.
 */
export type OwnPathError<
  M extends Model,
  N extends keyof M,
  S extends string,
> = S extends `${infer H}.${string}`
  ? H extends keyof AttributesOf<M, N>
    ? AttributesOf<M, N>[H] extends
        | RelatedEntityDefinition<string, Untyped>
        | RelatedEntitiesDefinition<string, string>
      ? `"${S}" follows a relation: define an alias`
      : PathError<M, N, S>
    : PathError<M, N, S>
  : PathError<M, N, S>

/**
 * A selection that is described, and read when a method needs it. `E` is the type of the items. The
 * iterator reads page by page; no entity is repeated or skipped, whatever others do meanwhile.
 */
export interface AsyncSelection<M extends Model, N extends keyof M, E = AsyncEntity<M, N>>
  extends AsyncIterable<E> {
  /** The name of the dataclass. */
  readonly dataClass: N & string
  /** Adds a filter with `and`: ``query`salary > ${minimum}` ``, or a condition of `where`. */
  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): AsyncSelection<M, N, E>
  /**
   * Adds a search with `and`: entities with every one of the words, each in any attribute with
   * `words: true` that the caller knows. A word that ends with `@` or `*` is a prefix. Reads fail
   * with `attributeNotApplicable` or `methodNotApplicable` if no attribute has words.
   */
  search(words: string): AsyncSelection<M, N, E>
  /** Replaces the order: `orderBy('salary desc, employer.name')`. */
  orderBy<const S extends string>(text: Checked<S, OrderError<M, N, S>>): AsyncSelection<M, N, E>
  /**
   * Reads plain objects of these attributes, nested along relations; at most 100 entities of a
   * to-many relation.
   */
  select<const S extends string>(
    paths: Checked<S, ListError<M, N, S>>,
  ): AsyncSelection<M, N, Arrived<Projection<M, N, S>>>

  page(skip: number, top: number, signal?: AbortSignal): Promise<Page<E>>
  first(): Promise<E | undefined>
  count(): Promise<number>
  /** Reads all members into one list. */
  toArray(options?: IterateOptions): Promise<E[]>
  iterate(options?: IterateOptions): AsyncGenerator<E, void, undefined>

  /** 0 if there is no value. */
  sum(attribute: NumericName<AttributesOf<M, N>>): Promise<number>
  /** Null if there is no value. */
  average(attribute: NumericName<AttributesOf<M, N>>): Promise<number | null>
  min<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<Arrived<PathValue<M, N, S>> | null>
  max<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<Arrived<PathValue<M, N, S>> | null>
  /** The distinct values of an attribute, in order, without null. */
  distinct<const S extends string>(
    path: Checked<S, OwnPathError<M, N, S>>,
  ): Promise<readonly NonNullable<Arrived<PathValue<M, N, S>>>[]>

  /**
   * Groups the members: `groupBy('origin.state', { count: true, delay: ['average', 'max'] })`. The
   * groups are computed when they are read.
   */
  groupBy<const S extends string, const A extends GroupAggregates = Record<never, never>>(
    attributes: Checked<S, GroupError<M, N, S>>,
    aggregates?: A & CheckedAggregates<M, N, A>,
  ): AsyncGrouping<GroupRow<M, N, S, A>>

  /** Calls a function that works on the selection. */
  call<K extends FunctionName<M[N]['functions'], 'selection'>>(
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>>

  /**
   * Keeps the members and their order until they are unused for this long; by default two hours.
   */
  entitySet(options?: { readonly lifetimeSeconds?: number }): Promise<AsyncEntitySet<M, N>>
  /** Throws a TypeError: JSON cannot wait for the members. Write `await toArray()` as JSON. */
  toJSON(): never
  /** Removes all members in one transaction. Needs a filter or an entity set. */
  remove(): Promise<void>
}

/** A selection that is kept: members and order are fixed until it expires. A read renews it. */
export interface AsyncEntitySet<M extends Model, N extends keyof M>
  extends AsyncSelection<M, N>,
    AsyncDisposable {
  readonly id: string
  /** A new set of the members of both. */
  and(other: EntitySetId<N>): Promise<AsyncEntitySet<M, N>>
  /** A new set of the members of either. */
  or(other: EntitySetId<N>): Promise<AsyncEntitySet<M, N>>
  /** A new set of the members that the other set does not have. */
  except(other: EntitySetId<N>): Promise<AsyncEntitySet<M, N>>
  intersects(other: EntitySetId<N>): Promise<boolean>
  /** A new set without the members that were removed since. */
  clean(): Promise<AsyncEntitySet<M, N>>
  /** Resolves to false if the set no longer existed. */
  release(): Promise<boolean>
}
/** An entity set of a dataclass. */
export interface EntitySetId<N> {
  readonly id: string
  readonly dataClass: N & string
}

/** One dataclass of an asynchronous store. */
export interface AsyncClass<M extends Model, N extends keyof M> extends Conditional<M, N> {
  readonly name: N & string
  all(): AsyncSelection<M, N>
  /**
   * ``query`salary > ${minimum} and employer.city === ${city}` ``: each value is sent as a
   * placeholder. Or a condition of `where`, which the compiler checks.
   */
  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): AsyncSelection<M, N>
  /**
   * The entities with every one of the words, each in any attribute with `words: true`; a word that
   * ends with `@` or `*` is a prefix. Pages without an order begin with the best matches, where
   * entities have scores: not over PostgreSQL, nor where a row filter hides some.
   */
  search(words: string): AsyncSelection<M, N>
  get(key: KeyOf<AttributesOf<M, N>>): Promise<AsyncEntity<M, N> | undefined>

  /** Rejects with a `StoreError` if the values are refused. */
  insert(values: NewAsyncEntity<M, N>): Promise<AsyncEntity<M, N>>
  /** With an entity as it was read, it succeeds only if the stamp is unchanged. */
  update(
    entity: EntityOrKey<M, N>,
    patch: AsyncPatch<M, N>,
  ): Promise<SaveOutcome<AsyncEntity<M, N>>>
  /**
   * Saves many changes, all or none. A change without a key inserts an entity. If one change fails,
   * those that did not fail are `undone`.
   */
  saveAll(
    changes: readonly AsyncChange<M, N>[],
  ): Promise<readonly BatchOutcome<AsyncEntity<M, N>>[]>
  remove(entity: EntityOrKey<M, N>): Promise<RemoveOutcome>

  /** Locks the entity for the caller's session, until `unlock` or the session's end. */
  lock(entity: EntityOrKey<M, N>): Promise<HoldOutcome>
  unlock(entity: EntityOrKey<M, N>): Promise<boolean>

  /** Calls a function that works on the dataclass. */
  call<K extends FunctionName<M[N]['functions'], 'dataClass'>>(
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>>
  /** Calls a function that works on one entity, as it is stored now. */
  callOn<K extends FunctionName<M[N]['functions'], 'entity'>>(
    entity: EntityOrKey<M, N>,
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>>
  /**
   * An entity as the argument of a function, which gets it with the values of `patch`, unsaved.
   * With an entity as it was read, the call is refused if the entity was saved since.
   */
  asArgument(entity: EntityOrKey<M, N>, patch?: AsyncPatch<M, N>): EntityArgument
}

/**
 * An asynchronous store: its dataclasses by name, and its functions. `F` and `S` are the functions
 * of the store and its singletons; a program that names neither calls none.
 */
export type AsyncStore<M extends Model, F = NoFunctions, S = NoFunctions> = {
  readonly [N in keyof M & string]: AsyncClass<M, N>
} & AsyncMembers<M, F, S>
type NoFunctions = Record<never, never>

/** All that an asynchronous store has beside its dataclasses. */
export interface AsyncMembers<M extends Model, F, S> {
  /** For names that are known only at run time. */
  dataClass<N extends keyof M & string>(name: N): AsyncClass<M, N>
  /** Calls a function of the store. */
  call<K extends PlainFunctionName<F>>(
    name: K,
    ...args: AsyncArguments<ArgumentsOf<F, K>>
  ): Promise<AsyncResult<M, ResultOf<F, K>>>
  /** The functions of a singleton. */
  singleton<K extends PlainFunctionName<S>>(
    name: K,
  ): AsyncSingleton<M, K extends keyof S ? S[K] : Untyped>
}
/** Functions of a singleton of an asynchronous store. */
export interface AsyncSingleton<M extends Model, F> {
  call<K extends PlainFunctionName<F>>(
    name: K,
    ...args: AsyncArguments<ArgumentsOf<F, K>>
  ): Promise<AsyncResult<M, ResultOf<F, K>>>
}
