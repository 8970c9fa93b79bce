import type { NameRules } from '@entia/core/internal'
import type { Caller } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlPool } from '../connect/port.ts'
import type { After } from '../connect/request-time.ts'
import type { SharedPool } from '../measure/measured-pool.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Sql } from '../sql-builder/sql.ts'
import type { Bookmarks } from './bookmarks.ts'
import type { CallerFilters } from './caller-filters.ts'
import type { KnownCounts } from './known-counts.ts'
import type { StatementCache } from './statement-cache.ts'

/** What the reads of a store share. */
export interface ReadContext {
  readonly pool: SqlPool
  /** For what requests read together; not of a replica. */
  readonly shared: SharedPool
  /** Of a replica: the lowest global stamp that an answer may be as of. */
  readonly lowest?: number
  readonly model: SqlModel
  readonly rules: NameRules
  readonly dataset: Dataset
  /** Milliseconds. */
  readonly monotonic: () => number
  readonly after: After
  readonly counts: KnownCounts
  readonly bookmarks: Bookmarks
  readonly pieces: StatementCache
  /** See `storeRow`. */
  readonly storeRow: Sql
  readonly filtersOf: (caller: Caller) => CallerFilters
}

/**
 * The global stamp of an answer. Throws a `DatabaseError` if the replica that gave it lags behind.
 */
export function stampIn({ dataset, lowest = 0 }: ReadContext, found: unknown): number {
  const globalStamp = Number(found)
  if (globalStamp < lowest) throw new DatabaseError('conflict', null)
  dataset.note(globalStamp)
  return globalStamp
}
