import type { ConditionNode, EntiaError, ExplainNode } from '@entia/core'
import { type JournalState, overBudget, type TableSizes } from '@entia/core/internal'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'
import type { AnswerBounds, SelectionQuery } from './selection-source.ts'

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

/** A value with its labels; `suffix` is appended to the name of the family. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: { readonly [name: string]: string }
  readonly value: number
}

/** The metrics of one name. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** A metric called `entia_` and the name: one value, or samples with labels. */
const metricOf =
  (type: 'counter' | 'gauge') =>
  (name: string, help: string, value: number | readonly Sample[]): MetricFamily => ({
    name: `entia_${name}`,
    type,
    help,
    samples: typeof value === 'number' ? [{ value }] : value,
  })

export const gauge = metricOf('gauge')
export const counter = metricOf('counter')

/** The samples of a metric that has one label. */
export const labelled = (
  label: string,
  values: Iterable<readonly [value: string, count: number]>,
): readonly Sample[] => Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }))

/** Upper bounds in seconds: from half a millisecond to ten seconds. */
const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** Durations by the buckets of Prometheus. Memory: 15 numbers. */
export class Histogram {
  /** The last bucket counts durations beyond every bound. */
  readonly #counts = new Float64Array(BOUNDS.length + 1)
  #milliseconds = 0
  #count = 0

  /** Cost: a few comparisons. */
  observe(milliseconds: number): void {
    let at = 0
    while (at < BOUNDS.length && milliseconds > BOUNDS[at]! * 1000) at++
    this.#counts[at]!++
    this.#milliseconds += milliseconds
    this.#count++
  }

  /** Cumulative buckets, the sum in seconds, and the count. */
  samples(labels: { readonly [name: string]: string } = {}): readonly Sample[] {
    let soFar = 0
    const buckets = BOUNDS.map((seconds, at): Sample => {
      soFar += this.#counts[at]!
      return { suffix: '_bucket', labels: { ...labels, le: String(seconds) }, value: soFar }
    })
    return [
      ...buckets,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.#count },
      { suffix: '_sum', labels, value: this.#milliseconds / 1000 },
      { suffix: '_count', labels, value: this.#count },
    ]
  }
}

/** Counts the entities of one answer, related ones included, and bounds them. */
export class EntityCounter {
  readonly #limit: number
  #count = 0

  constructor({ maxEntities }: Pick<AnswerBounds, 'maxEntities'>) {
    this.#limit = maxEntities
  }

  /** Throws budgetExceeded. */
  add(): void {
    if (++this.#count > this.#limit) throw tooManyEntities(this.#limit)
  }
}

/** The error for an answer that would show more entities than `limit`. */
export const tooManyEntities = (limit: number): EntiaError =>
  overBudget('entities in the answer', limit, 'limits.maxEntitiesPerAnswer')

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
  /** Of the server: `17.2`. */
  readonly version: string
  readonly schema: string
  readonly globalStamp: number
  /** Of all tables of the schema with their indexes. */
  readonly bytes: number
  /** Connections of the whole server, and how many it allows. */
  readonly connections: number
  readonly maxConnections: number
  /** Connections of this database that wait for a lock of another one. */
  readonly lockWaits: number
  /** Seconds since the oldest transaction of this database began. */
  readonly oldestTransactionSeconds: number
  /** Estimates of the database: commits and changes that are kept. */
  readonly historyCommits: number
  readonly historyChanges: number
}
