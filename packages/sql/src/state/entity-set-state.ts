import type { EntitySetInfo, Session } from '@entia/core'
import type { Awaitable } from '@entia/rest/engine'
import type { SqlRows, Statement } from '../connect/port.ts'
import type { Sql } from '../text/sql.ts'
import type { FoundSet, Members, Window } from './set-pieces.ts'

export interface CreateSetOptions {
  readonly sorted: boolean
  readonly lifetimeSeconds?: number | undefined
  readonly owner?: Session | null | undefined
  /** The row filter of the caller, by which every member was visible: see `FoundSet.rule`. */
  readonly rule?: string | null
  /** To create a set again under its old id. */
  readonly id?: string | undefined
}

/**
 * The entity sets of a dataset: `EntitySets` of `@entia/core` for all processes that serve it.
 * Members are record numbers, which no later entity has. Their order and membership do not change.
 */
export interface EntitySetState {
  /**
   * Stores the record numbers that a query finds, in its order, and returns the id of the set.
   * Throws `budgetExceeded`, and `argumentInvalid` for an owner that has ended or an id that
   * belongs to another session.
   */
  create(dataClass: string, records: Sql, options: CreateSetOptions): Promise<string>
  /**
   * As `create`, with the answer to a statement that reads the same moment; no rows for null.
   * Rejects with a `DatabaseError` of the kind `conflict` if another request changed what both
   * write.
   */
  createWith(
    dataClass: string,
    records: Sql,
    options: CreateSetOptions,
    reading: Statement | null,
  ): Promise<{ readonly id: string; readonly read: SqlRows }>
  /** A set that the session finds, renewed unless it is of another dataclass than `dataClass`. */
  get(
    id: string,
    session?: Session | null,
    dataClass?: string | null,
  ): Promise<FoundSet | undefined>
  /** As `get`, without renewing. */
  peek(id: string, session?: Session | null): Promise<FoundSet | undefined>
  /**
   * The members of a set that was found, as a query with the columns of `membersOf`: all of them,
   * or those of a window. Null if the set has disappeared.
   */
  members(set: FoundSet, window?: Window): Awaitable<Members | null>
  /** Changes the lifetime of a set that the session finds, and renews it. */
  setLifetime(id: string, lifetimeSeconds: number, session: Session | null): Promise<void>
  /** True if the set existed. */
  release(id: string, session?: Session | null): Promise<boolean>
  /** Releases the sets that the session finds. Returns how many. */
  releaseAll(ids: readonly string[], session?: Session | null): Promise<number>
  /** The sets of all owners, the least recently used first. Cost: O(sets). */
  list(): Promise<readonly EntitySetInfo[]>
  /** Sets, and the bytes that count for them. Cost: O(sets). */
  size(): Promise<{ readonly count: number; readonly bytes: number }>
}

/** The lifetime of a set that is not read. */
export const SET_LIFETIME_SECONDS = 7200
