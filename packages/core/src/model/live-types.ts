import type { Untyped } from './definition.ts'
import type { Entity } from './entity-types.ts'
import type { AttributesOf, KeyOf, Model } from './value-types.ts'

/**
 * The change of the result of a live query by one commit. No entity is in more than one of the
 * lists.
 */
export interface LiveDelta<M extends Model = Untyped, N extends keyof M = Untyped> {
  /** The global stamp of the commit. */
  readonly globalStamp: number
  /**
   * Entities that entered the result, as of the commit. In the order of the query, else in record
   * order.
   */
  readonly entered: readonly Entity<M, N>[]
  /**
   * Entities of the result that were saved, or whose related values of `LiveOptions.select` may
   * have changed, and stayed in it. In the same order.
   */
  readonly changed: readonly Entity<M, N>[]
  /** Keys of the entities that left the result. */
  readonly left: readonly KeyOf<AttributesOf<M, N>>[]
  /** For a page whose keys or order changed, all its keys in order; otherwise null. */
  readonly order: readonly KeyOf<AttributesOf<M, N>>[] | null
}

/** The members of an `AbortSignal` that live queries use. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface LiveOptions<S extends string = string> {
  /**
   * What you show of each entity, as for `select`: `lastName, employer.name, staff.*`. An entity is
   * then also reported as changed when a related value changes. A relation alone (`employer`) means
   * everything about the related entities.
   */
  readonly select?: S
  /** Stops the query when it is aborted. */
  readonly signal?: StopSignal
  /**
   * A global stamp whose result the caller already has. If the changes since then can be given as
   * one delta, `missed` is this delta and `initial` is empty. Throws `argumentInvalid` for a number
   * that was never a global stamp.
   */
  readonly since?: number
  /** Called once when the query stops, for any reason. It must not throw. */
  readonly stopped?: () => void
}

/** The work of a live query since it was created. */
export interface LiveWork {
  /** The number of changed records that were tested one by one. */
  readonly judged: number
  /** How often the whole query ran again. */
  readonly runs: number
}

/**
 * A query that keeps running. Its listener is called after each commit that changes the result,
 * until `stop` is called, the signal is aborted, or the store is closed.
 */
export interface LiveQuery<M extends Model = Untyped, N extends keyof M = Untyped>
  extends Disposable {
  /** The result at `globalStamp`, in the query's order. */
  readonly initial: readonly Entity<M, N>[]
  readonly globalStamp: number
  /**
   * The change of the result since `LiveOptions.since`; null if it was not requested or is not
   * available.
   */
  readonly missed: LiveDelta<M, N> | null
  /**
   * `incremental`: each commit tests the records that it can affect, by their values and those of
   * the entities that their relations lead to. `recompute`: the query needs more than that
   * (computed attributes, a page) and runs again when necessary.
   */
  readonly plan: 'incremental' | 'recompute'
  readonly work: LiveWork
  /** Stops the query: the listener is not called again. */
  stop(): void
}

/**
 * What live queries of a selection follow, for adapters that share or compare them. Two selections
 * with the same origin and text follow the same result.
 */
export interface LiveIdentity {
  /** The store, or the view of one reader. Compare it with `===`. */
  readonly origin: object
  /** The dataclass, the filter with its values, the order and the page. Not meant to be parsed. */
  readonly text: string
  /** True for a page, which reports its order in each delta and has no pages. */
  readonly isPage: boolean
  /** Key and stamp of an entity of the selection, for any attribute names. */
  keyOf(entity: object): string | number
  stampOf(entity: object): number
}
