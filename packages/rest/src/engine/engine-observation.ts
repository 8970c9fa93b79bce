import type { ConditionNode, ExplainNode } from '@entia/core'
import type { Caller } from './caller.ts'
import type { SelectionQuery } from './selection-source.ts'

/** What one request needed of a database. */
export interface RequestTally {
  roundTrips: number
  /** Milliseconds of its round trips. */
  databaseMilliseconds: number
  /** Milliseconds until it had its connections. */
  waitMilliseconds: number
}

/** The entities that a read selects, or those of one page of them. */
export type PlannedQuery = Pick<SelectionQuery, 'source' | 'filter' | 'orderBy'> & {
  readonly page: { readonly skip: number; readonly top: number } | null
}

/** How an engine finds a selection. */
export interface SelectionPlan {
  readonly root: ExplainNode
  /** Entities of the dataclass: exact, or an estimate of the database. */
  readonly entities: number
}

/** What the log of a host learns from an engine. It names what callers may not know. */
export interface EngineObservation {
  /**
   * The structure of a filter, with the indexes of the model; null without a filter, for an entity
   * set, and for a filter that is refused. Cost: that of binding the filter.
   */
  conditionOf(query: PlannedQuery, caller: Caller): ConditionNode | null
  /**
   * How the engine would find the selection now. It does not run the query. Null for what it cannot
   * tell. Cost: at most one round trip.
   */
  planOf(query: PlannedQuery, caller: Caller): Promise<SelectionPlan | null>
  /** Runs a call and adds up what it needs of the database; null for an engine without one. */
  readonly tallying: (<R>(tally: RequestTally, call: () => R) => R) | null
}
