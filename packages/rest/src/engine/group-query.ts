import type { Explain, GroupAggregates } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { SelectionQuery } from './selection-source.ts'

/** Groups of a selection. Paths lead over to-one relations. */
export interface GroupQuery extends SelectionQuery {
  /** Paths, perhaps with a span of time. */
  readonly attributes: readonly string[]
  /** `count`, and functions by path. */
  readonly aggregates: GroupAggregates
  readonly having: FilterText | null
  /** An order of groups, by members of their rows. */
  readonly groupOrder: string | null
  readonly skip: number
  readonly top: number
  readonly withExplain: boolean
}

/** A page of groups. */
export interface GroupResult {
  readonly globalStamp: number
  /** Groups that satisfy the condition. */
  readonly count: number
  /** Values by name as requested; aggregates by path and function. */
  readonly rows: readonly { readonly [name: string]: unknown }[]
  readonly explain: Explain | null
}
