import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { Produce } from './draft.ts'

/** Who is told how long commits take. */
export interface CommitWatch {
  /** False while nobody listens. */
  readonly hearsCommits: boolean
  /** A transaction begins. */
  begin(): void
  /** It has been committed. Returns what tells of it, in the order of commits; null where nobody is to be told. */
  end(list: ChangeList): (() => void) | null
}

/** Called before every step that may allocate, and before every write: a test makes the k-th one fail. */
export type AllocationPoint = () => void

/** What a transaction needs from above. */
export interface TransactionPort {
  /** An entity as hooks see it. Takes values by column, which become the entity's own. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object
  /** Epoch milliseconds. */
  now(): number
  uuid(): string
  /** The allocation clock, one further. */
  nextBirth(): number
  /** Handed to hooks; null outside of a session. */
  readonly session: unknown
  /** Handed to hooks. */
  readonly store: unknown
  /**
   * Called before a stored record is changed or removed, at a caller's wish or by an `onDelete` rule; what it throws refuses the
   * write. Undefined while there is nothing to ask.
   */
  readonly beforeWrite?: ((table: Table, slot: number, birth: number) => void) | undefined
  readonly watch?: CommitWatch
  /** Drafts for updates by a function; undefined where they are deep copies. */
  readonly produce?: Produce | undefined
  /** For tests. */
  readonly allocation?: AllocationPoint
}
