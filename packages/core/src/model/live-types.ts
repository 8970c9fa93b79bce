import type { Untyped } from './definition.ts'
import type { Entity } from './entity-types.ts'
import type { AttributesOf, KeyOf, Model } from './value-types.ts'

/** What one commit made of the result of a live query: none of its lists names a key that another one does. */
export interface LiveDelta<M extends Model = Untyped, N extends keyof M = Untyped> {
  /** Of the commit. */
  readonly globalStamp: number
  /** Entities that are in the result now and were not, as the commit left them. In the query's order, else in record order. */
  readonly entered: readonly Entity<M, N>[]
  /** Entities that were in the result and are, and were saved. In the same order. */
  readonly changed: readonly Entity<M, N>[]
  /** Keys of those that were in the result and are not: removed, or no longer what was asked for. */
  readonly left: readonly KeyOf<AttributesOf<M, N>>[]
  /** Of a page, all its keys in order, where they or their order are not what they were; else null. */
  readonly order: readonly KeyOf<AttributesOf<M, N>>[] | null
}

/** What of an `AbortSignal` is used. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface LiveOptions {
  /** Stops the query when it is aborted. */
  readonly signal?: StopSignal
  /**
   * A global stamp whose result is known already: if the changes since can be told as one delta, `missed` is that, and `initial` is
   * empty. Throws `argumentInvalid` for what was no global stamp.
   */
  readonly since?: number
  /** Called once when the query stops, whatever stops it. It must not throw. */
  readonly stopped?: () => void
}

/** How much a live query has done, beside what its making took. */
export interface LiveWork {
  /** Changed records that were judged one by one. */
  readonly judged: number
  /** Times that the whole query was run again. */
  readonly runs: number
}

/**
 * A query that is asked on and on. Its listener hears of each commit that changes the result, until `stop`, until the signal is aborted,
 * or until the store is closed.
 */
export interface LiveQuery<M extends Model = Untyped, N extends keyof M = Untyped> extends Disposable {
  /** The result at `globalStamp`, in the query's order. */
  readonly initial: readonly Entity<M, N>[]
  readonly globalStamp: number
  /** What happened to the result after `LiveOptions.since`; null where it was not asked for or cannot be told. */
  readonly missed: LiveDelta<M, N> | null
  /**
   * `incremental`: the records that a commit can concern are tested, by their values and those of the entities that their to-one relations
   * lead to. `recompute`: the query asks more than that (to-many relations, computed attributes, a page), and is run again when it has to be.
   */
  readonly plan: 'incremental' | 'recompute'
  readonly work: LiveWork
  /** The listener is not called any more. */
  stop(): void
}
