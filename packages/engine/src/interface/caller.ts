import type { Session } from '@entia/core'
import type { Access } from './access.ts'
import type { FollowedSince } from './followed.ts'
import type { Names } from './names.ts'

/** Facts of the application about a user, such as the tenant. Clients do not see them. */
export type AnyClaims = Readonly<Record<string, unknown>>

/** Whether an operator has ended a request. */
export interface StopSign {
  readonly isStopped: boolean
  /** Calls back once if the request is stopped. Returns a function that ends that. */
  onStop(stopped: () => void): () => void
}

/** On whose behalf the engine is called. */
export interface Caller {
  /** Null for a caller without a session. */
  readonly session: Session | null
  /** Null if everything exposed may be read and written. */
  readonly access: Access | null
  /** The model as the caller knows it. */
  readonly names: Names
  /** How a caller without a user gets one: at `$directory/login`, or by what the host expects. */
  readonly loginBy?: 'directory' | 'host'
  /**
   * True if the client no longer waits for the answer. Long operations check it between time
   * slices.
   */
  readonly isGone?: () => boolean
  /**
   * Ends the request by `requestStopped`: long reads see it between time slices and while they
   * wait, a database cancels the statement. Absent for a request that cannot be stopped.
   */
  readonly stop?: StopSign | undefined
  /**
   * Milliseconds since the request began. An engine that bounds the time of a request counts from
   * then; without it from its own call.
   */
  readonly waited?: () => number
  /**
   * What the caller has seen or written: an engine that answers from a copy shows that or more.
   * Without it the engine counts everything that it has answered itself.
   */
  readonly position?: FollowedSince | null
}
