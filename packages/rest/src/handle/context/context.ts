import type { Session, SessionUser, TextForm } from '@entia/core'
import type { Awaitable } from '../../engine/awaitable.ts'
import type { Caller } from '../../engine/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Projection } from '../../engine/projection.ts'
import type { EntitySetScope } from '../../engine/selection-source.ts'
import type { NextSlice } from '../../engine/time-slices.ts'
import type { Limits } from '../../request/limits.ts'
import type { InfoRule, ServedMetrics } from '../permission/service-rules.ts'
import type { StreamRule } from './answer.ts'
import type { ImageConverter } from './image-types.ts'
import type { LoginOrigin, UserDirectory } from './users.ts'

/** The rules of a handler, shared by its requests. */
export interface HandlerRules {
  /** Null if there are no users who can log in. */
  readonly users: UserDirectory<object> | null
  readonly infoRule: InfoRule
  readonly entitySetScope: EntitySetScope
  /** Null if images are not converted. */
  readonly imageConverter: ImageConverter | null
  /** Null if live queries are disabled. */
  readonly streams: StreamRule | null
  /** Null if metrics are not served. */
  readonly metrics: ServedMetrics | null
  /** True once the host has said that the server is about to stop. */
  isStopping(): boolean
  /** Notifies the host of a failure that the answer does not reveal. */
  report(error: unknown): void
}

/** The environment of a request. */
export interface HandleContext {
  readonly engine: Engine
  readonly caller: Caller
  readonly session: RequestSession
  /** Ends a time slice of a long batch or answer. */
  readonly nextSlice: NextSlice
  readonly limits: Limits
  readonly rules: HandlerRules
  readonly basePath: string
  /** Aborted when the client disconnects; null if the host cannot tell. */
  readonly signal: AbortSignal | null
  /**
   * How to write whole entities of a projection as text; null if a projection shows more than their
   * own values.
   */
  textForm(projection: Projection, isArray: boolean): TextForm | null
  /** A header of the request by its lower-case name; null when absent. */
  header(name: string): string | null
  /** For a GET that changes state. Throws crossSiteRefused. */
  refuseCrossSite(): void
}

/** The session of one request, created on demand: a plain read creates none. */
export interface RequestSession {
  /** Null if there is none, or the one of the cookie has ended. */
  readonly current: Session | null
  /** The origin of the request as reported by its sender. */
  readonly origin: LoginOrigin
  /**
   * The current session, or a new one whose cookie the answer sets. Throws tooManySessions, and
   * loginRequired if the application identifies the callers and has not identified this one.
   */
  require(): Awaitable<Session>
  /**
   * Starts the session of a user who has logged in, under a new token: a party that knew the old
   * token does not take part in it.
   */
  login(user: SessionUser, lifetimeSeconds: number | null): Awaitable<Session>
  /** Ends the current session and its locks. */
  close(): Awaitable<void>
}
