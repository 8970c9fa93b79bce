import type { ClassModel } from '@entia/core'
import type { Awaitable, Decision, Missing, WorkingPool, WorkingStore } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import type { After, RequestTime } from '../connect/request-time.ts'
import type { SharedPool } from '../measure/measured-pool.ts'
import type { DecisionFigures } from '../measure/sql-figures.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import type { StatePort } from '../server-state/state-port.ts'
import type { MissingSql } from './missing-sql.ts'
import type { RecentRows } from './recent-rows.ts'

/** What decisions share. */
export interface DeciderOptions {
  readonly pool: SqlPool
  /** For statements that answer several requests. */
  readonly shared: SharedPool
  readonly model: SqlModel
  readonly working: WorkingPool
  readonly state: StatePort
  readonly dataset: Dataset
  /** Those of the epoch that the process has seen. */
  readonly recent: RecentRows
  /** `entia_store.writers` when the process opened the store: see `gateOf`. */
  readonly writer: number
  /** The most entities that one question of a decision may load. */
  readonly maxRows: number
  readonly figures: DecisionFigures
  readonly after: After
}

/** What is decided. */
export interface Decided<R> {
  /** Names the request in errors. */
  readonly name: string
  /** The id of the caller's session in the database; null without one. */
  readonly session: string | null
  /** Facts that the decision will surely ask for: they share the first round trip. */
  readonly predicted: readonly Missing[]
  /** Dataclasses whose entities it will surely write: see `RowLocking`. */
  readonly written?: ReadonlySet<ClassModel> | undefined
  /** A question of its own that shares the first round trip and answers further facts. */
  readonly first?: MissingSql | undefined
  /**
   * What it may first be made on, which the database then checks: entities that this process read
   * lately, or also others, which are read for it without being held. The body runs again if they
   * have changed.
   */
  readonly attempt?: 'known' | 'read' | undefined
  /** Whether rules of permission take part, which may depend on the numbers of new entities. */
  readonly hasRules?: boolean | undefined
  readonly body: (working: WorkingStore) => Awaitable<R>
  /**
   * For a body that cannot begin again, as its caller has seen what it read: whether it wants to
   * write now. Until then it reads a snapshot. The run that wants to write leaves nothing behind;
   * the next one goes on behind it.
   */
  readonly wantsToWrite?: (() => boolean) | undefined
  /** How often the body may run to find what it needs. */
  readonly maxRuns?: number | undefined
  /** The time of the request; the decider begins one unless given. */
  readonly time?: RequestTime | undefined
  /** How often a decision that others disturb is made. */
  readonly maxAttempts?: number | undefined
}

/** What was decided, with the global stamp that it is as of. */
export interface Concluded<R> {
  readonly value: R
  readonly globalStamp: number
}

/** How a decision goes about it. */
export interface DecidingMode {
  /** Dataclasses whose rows are held alone from the beginning. */
  readonly written: ReadonlySet<ClassModel>
  /** No other transaction writes meanwhile. */
  readonly isAlone: boolean
  /** It reads a snapshot, and holds nothing: such a decision cannot commit. */
  readonly isSnapshot: boolean
}

/** A decision that has a time. */
export type Timed<R> = Decided<R> & { readonly time: RequestTime }

/** A decision that is stored, with the global stamp of its last commit. */
export interface Committed<R> {
  readonly decision: Decision<R>
  readonly globalStamp: number
}
