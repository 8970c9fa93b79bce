import type { BatchOutcome, Condition, RemoveOutcome } from '@entia/core'
import type { Terms } from './filter.ts'
import type { Change, Key, Row } from './rows.ts'

/** The state that a write expects. Without a stamp it is made in any case. */
export interface Read {
  readonly key: Key
  readonly stamp: number | undefined
}
/** A change to save. A new entity has not been read. */
export interface Save {
  readonly read: Read | null
  readonly values: object
}
export type Outcome = BatchOutcome<object> | RemoveOutcome

/** What a collection reads and writes: a dataclass on a server, or one of a replica. */
export interface Source {
  readonly name: string
  terms(): Promise<Terms>
  /** A page of a condition in the order of one path. */
  page(condition: Condition, orderBy: string, skip: number, top: number): Promise<readonly Row[]>
  /**
   * Calls back with the whole state, and then with each change, until the signal is aborted.
   * Resolves then, and rejects with what ends it before.
   */
  follow(condition: Condition, apply: (change: Change) => void, signal: AbortSignal): Promise<void>
  /** All or none. Throws for a new entity that is refused. */
  save(saves: readonly Save[]): Promise<readonly Outcome[]>
  /** Stops at the first that fails. */
  remove(reads: readonly Read[]): Promise<readonly Outcome[]>
  keyOf(entity: object): Key
  stampOf(entity: object): number | undefined
}
