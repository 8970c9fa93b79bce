import type { EntiaError } from '@entia/core'
import { overBudget } from '@entia/core/internal'
import type { EntityRecord, Projection } from './projection.ts'
import type { AnswerBounds, SelectionQuery } from './selection-source.ts'

/** A live query: a selection to follow. */
export interface FollowQuery
  extends Pick<SelectionQuery, 'source' | 'filter' | 'orderBy'>,
    AnswerBounds {
  readonly projection: Projection
  /** Null to follow the whole selection. */
  readonly page: { readonly skip: number; readonly top: number } | null
  /**
   * The dataset and the global stamp whose result the client has; null if none. An engine that does
   * not know the changes since then answers with a complete result.
   */
  readonly since: FollowedSince | null
}

/** Where a client left off: 32 hexadecimal digits, and a whole number of at most 15 digits. */
export interface FollowedSince {
  readonly instanceId: string
  readonly globalStamp: number
}

export interface FollowedDelta {
  readonly globalStamp: number
  readonly entered: readonly EntityRecord[]
  readonly changed: readonly EntityRecord[]
  /** Keys of the entities that left. */
  readonly left: readonly (string | number)[]
  /** For a page whose order changed, its keys in order; else null. */
  readonly order: readonly (string | number)[] | null
}

export interface Followed {
  readonly globalStamp: number
  readonly plan: 'incremental' | 'recompute'
  /**
   * The initial result; released once taken. Null if the changes since `FollowQuery.since` are
   * reported instead.
   */
  takeInitial(): readonly EntityRecord[] | null
  /** Called if a delta can be taken, and after the query has stopped. */
  onNews: () => void
  /** True after the engine was closed: no more deltas follow. */
  readonly isStopped: boolean
  /**
   * All changes since the last call, merged; null if there are none. Throws budgetExceeded, and
   * loginRequired if the session of the caller has ended.
   */
  take(): FollowedDelta | null
  stop(): void
}

/** Throw it for a live query that reads more entities than it may. */
export const followsTooMany = (what: string, limit: number): EntiaError =>
  overBudget(what, limit, 'live.maxEntities')
