import { Histogram } from '@entia/engine'
import type { DatabaseFailure } from '../connect/database-error.ts'

/**
 * What a round trip is for: to answer a read, to fetch the facts of a decision, to store it, for
 * sessions, locks, sets and uploads, to follow commits, or to delete what is no longer needed.
 */
export const ROUND_TRIP_KINDS = [
  'read',
  'decide',
  'commit',
  'state',
  'follow',
  'housekeeping',
] as const
export type RoundTripKind = (typeof ROUND_TRIP_KINDS)[number]

/** The round trips of one kind. */
class RoundTripFigures {
  readonly durations = new Histogram()
  statements = 0
}

/** Failures that make a decision run again. */
export type ConflictReason = 'conflict' | 'unique' | 'constraint' | 'unavailable'

/** Counts by what is counted. */
class Tally<K> extends Map<K, number> {
  count(key: K): void {
    this.set(key, (this.get(key) ?? 0) + 1)
  }
}

/** What became of decisions. */
export class DecisionFigures {
  /** Transactions that were begun. */
  attempts = 0
  /** Runs of a body beyond the first of its attempt, to find what it needs. */
  replays = 0
  /** Commits that were stored. */
  commits = 0
  /** From the gate's call until it let a commit pass. */
  readonly gateWaits = new Histogram()
  /** Attempts that failed for a reason and were made again, or given up. */
  readonly conflicts = new Tally<ConflictReason>()
}

/** What one process counts of its work with the database. Memory: some kilobytes. */
export class SqlFigures {
  readonly roundTrips: { readonly [K in RoundTripKind]: RoundTripFigures }
  readonly connectionWaits = new Histogram()
  readonly decisions = new DecisionFigures()
  /** Connections that requests and background work hold at the moment. */
  inUse = 0
  /** Requests for a connection that have not got one. */
  waiting = 0
  readonly failures = new Tally<DatabaseFailure>()

  constructor() {
    const kinds = ROUND_TRIP_KINDS.map((kind) => [kind, new RoundTripFigures()] as const)
    this.roundTrips = Object.fromEntries(kinds) as typeof this.roundTrips
  }
}
