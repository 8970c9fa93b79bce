import type { ChangeList } from '../storage/change-list.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Produce } from './draft.ts'
import type { Sequence } from './new-values.ts'

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

/** Takes checked writes: the stage of a transaction, or the columns. */
export interface WriteTarget {
  /**
   * The time of the write, in epoch milliseconds. A transaction has one time. Runs code of the
   * host.
   */
  now(): number
  /** The sequence of a table, for the write to advance. */
  sequenceFor(table: Table): Sequence
  /** The slot of the next insertion. */
  nextSlot(table: Table): number
  /** Takes over the values, which are by column. */
  insert(
    table: Table,
    slot: number,
    key: Key,
    values: StoredValue[],
    birth: number,
    timestamp: number,
  ): void
  /**
   * Takes columns whose values change, and takes over the new values. The columns must not change
   * afterwards.
   */
  update(
    table: Table,
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    timestamp: number,
  ): void
  remove(table: Table, slot: number, timestamp: number): void
}
