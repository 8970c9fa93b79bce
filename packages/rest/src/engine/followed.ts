import type { EntityRecord, Projection } from './projection.ts'
import type { AnswerBounds } from './query-parts.ts'
import type { SelectionQuery } from './selection-source.ts'

/** A selection that is followed: what it is, and then what becomes of it. */
export interface FollowQuery extends Pick<SelectionQuery, 'source' | 'filter' | 'orderBy'>, AnswerBounds {
  readonly projection: Projection
  /** Null for all of it. */
  readonly page: { readonly skip: number; readonly top: number } | null
  /** A global stamp whose result is known already; null where none is. */
  readonly since: number | null
}

export interface FollowedDelta {
  readonly globalStamp: number
  readonly entered: readonly EntityRecord[]
  readonly changed: readonly EntityRecord[]
  /** Keys of entities. */
  readonly left: readonly (string | number)[]
  /** Of a page, the keys in order, where they are not what they were; else null. */
  readonly order: readonly (string | number)[] | null
}

export interface Followed {
  readonly globalStamp: number
  readonly plan: 'incremental' | 'recompute'
  /**
   * What it is at first, for whoever asks first: it is not kept after that. Null where what happened since `FollowQuery.since` is told
   * instead.
   */
  takeInitial(): readonly EntityRecord[] | null
  /** Called when there is something to take, and when it has stopped. */
  onNews: () => void
  /** True when nothing more will come: the engine is closed. */
  readonly isStopped: boolean
  /** All that happened since it was last asked, as one; null for nothing. Throws budgetExceeded. */
  take(): FollowedDelta | null
  stop(): void
}
