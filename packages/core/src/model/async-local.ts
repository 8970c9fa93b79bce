import type { AsyncStore } from './async-store-types.ts'
import type { NewEntity } from './entity-types.ts'
import type { Session } from './session-types.ts'
import type { CommitNotice } from './store-types.ts'
import type { LoadOptions, LoadResult } from './table-types.ts'
import type { Model } from './value-types.ts'

// What an asynchronous store offers only where the data is. Types only.

/** Which commits to read. */
export interface ChangesOptions {
  /** The global stamp after which the commits begin. */
  readonly since: number
  /** Ends the iteration: the next read rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** How many rows are loaded. */
export interface AsyncLoadOptions extends LoadOptions {
  /**
   * Commits after each so many rows: for more rows than fit into memory, or into one commit of a
   * database. A refusal then keeps the rows of earlier commits, and relations lead to rows of the
   * same commit or earlier ones. Unless given, all rows are one commit.
   */
  readonly rowsPerCommit?: number
}

/** The members of every asynchronous store in the process, in memory or over a database. */
export interface LocalAsyncMembers<M extends Model, F, S> {
  /** The same store, which writes and locks as the session; null writes without a session. */
  as(session: Session | null): AsyncStore<M, F, S>
  /**
   * Inserts many entities in one commit, or in several by `rowsPerCommit`. Rows of a commit may
   * refer to each other, and a refusal loads none of them.
   */
  load<N extends keyof M & string>(
    dataClass: N,
    rows: Iterable<NewEntity<M, N>> | AsyncIterable<NewEntity<M, N>>,
    options?: AsyncLoadOptions,
  ): Promise<LoadResult>
  /**
   * The commits after a global stamp, in order, then each new one: none is repeated or skipped.
   * Ends with `close`. Rejects with `historyTrimmed` if the store no longer keeps the next commit.
   */
  changes(options: ChangesOptions): AsyncIterable<CommitNotice>
  close(): Promise<void>
}
/** An asynchronous store in the process. */
export type InProcessAsyncStore<
  M extends Model,
  F = Record<never, never>,
  S = Record<never, never>,
> = AsyncStore<M, F, S> & LocalAsyncMembers<M, F, S>

/** How a transaction of a store over a database runs. */
export interface AsyncTransactOptions {
  /**
   * How often the body runs again after a conflict with another transaction; 0 by default. A body
   * with effects outside of the store must not run again.
   */
  readonly retries?: number
  /**
   * `gate`, the default, refuses a commit whose decisions another commit has changed;
   * `serializable` leaves that to the database.
   */
  readonly isolation?: 'gate' | 'serializable'
}
/**
 * An asynchronous store in the process whose transactions may wait. A store in memory has none: its
 * transactions are synchronous, so that no other code sees their state. Use `saveAll`, or
 * `transact` of the store itself.
 */
export type LocalAsyncStore<
  M extends Model,
  F = Record<never, never>,
  S = Record<never, never>,
> = InProcessAsyncStore<M, F, S> & {
  /**
   * Commits all writes of `tx`, or none if the body rejects. Reads of `tx` include its writes.
   * `tx` works until the body settles. The body must not call `transact`: it is refused.
   */
  transact<R>(
    body: (tx: AsyncStore<M, F, S>) => Promise<R>,
    options?: AsyncTransactOptions,
  ): Promise<R>
}
