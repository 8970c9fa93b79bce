import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Produce } from './draft.ts'

/** Measures commits for diagnostics. */
export interface CommitWatch {
  /** False while it has no listeners. */
  readonly observesCommits: boolean
  /** A transaction begins. */
  begin(): void
  /**
   * The transaction is committed. Returns a function that reports it, to be called in the order of
   * commits; null without listeners.
   */
  end(list: ChangeList): (() => void) | null
}

/**
 * Called before every step that may allocate and before every write, so that a test can make the
 * k-th one fail.
 */
export type AllocationPoint = () => void

/** What a transaction needs from the store. */
export interface TransactionPort {
  /** An entity as hooks see it. Takes over the values, which are by column. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object
  /** Epoch milliseconds. */
  now(): number
  uuid(): string
  /** Advances the allocation clock and returns it. */
  nextBirth(): number
  /** Passed to hooks; null outside of a session. */
  readonly session: unknown
  /** Passed to hooks. */
  readonly store: unknown
  /**
   * Called before a stored record is changed or removed, by a caller or an `onDelete` rule. What it
   * throws refuses the write. Undefined while there are no locks.
   */
  readonly beforeWrite?: ((table: Table, slot: number, birth: number) => void) | undefined
  readonly watch?: CommitWatch
  /** Drafts for updates by a function; undefined where they are deep copies. */
  readonly produce?: Produce | undefined
  /** For tests. */
  readonly allocation?: AllocationPoint
}
