import type { NameRules } from '@entia/core/kit'
import type { Caller } from '@entia/rest/engine'
import type { SqlPool } from '../connect/port.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import type { CallerFilters } from './caller-filters.ts'
import type { KnownCounts } from './known-counts.ts'

/** What the reads of a store share. */
export interface ReadContext {
  readonly pool: SqlPool
  readonly model: SqlModel
  readonly rules: NameRules
  /** One id per dataset. */
  readonly instanceId: string
  /** Milliseconds. */
  readonly monotonic: () => number
  readonly counts: KnownCounts
  readonly filtersOf: (caller: Caller) => CallerFilters
}
