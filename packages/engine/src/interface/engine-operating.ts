import type { JournalState, TableSizes } from '@entia/core/internal'
import type { Awaitable } from './awaitable.ts'

/** What the people who operate a store see and do. It names what callers may not know. */
export interface EngineOperating {
  /** The memory or disk space of each dataclass, the largest first. */
  sizes(): Awaitable<readonly ClassSizes[]>
  /** Where the data are. */
  storage(): Awaitable<StorageState>
  /**
   * Adds an ordered index to a stored attribute until the process ends. Other calls are answered
   * while it is built. Throws attributeNotFound, indexInvalid. Null where only a migration adds
   * indexes.
   */
  readonly createIndex: ((dataClass: string, attribute: string) => Awaitable<void>) | null
}

/**
 * The size of one dataclass in bytes. Over a database, those of its table and indexes; what is
 * `other` belongs to no attribute.
 */
export type ClassSizes = TableSizes

/** Where the data of a store are, as far as its engine knows. */
export type StorageState =
  | {
      readonly kind: 'memory'
      readonly globalStamp: number
      readonly historyCommits: number
      readonly historyBytes: number
      /** Null for a store without a journal of `@entia/core`. */
      readonly journal: JournalState | null
    }
  | {
      readonly kind: 'postgresql'
      /** Null if the database does not answer. */
      readonly database: DatabaseState | null
    }

/** The database of a store, for all processes together. */
export interface DatabaseState {
  readonly version: string
  readonly schema: string
  readonly globalStamp: number
  /** Of all tables of the schema with their indexes. */
  readonly bytes: number
  readonly connections: number
  readonly maxConnections: number
  /** Connections that wait for a lock. */
  readonly lockWaits: number
  readonly oldestTransactionSeconds: number
  /** Estimates of the database. */
  readonly historyCommits: number
  readonly historyChanges: number
}
