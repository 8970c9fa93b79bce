import type { Session, SessionUser, TextForm } from '@entia/core'
import type { Caller } from '../../engine/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Projection } from '../../engine/projection.ts'
import type { EntitySetScope } from '../../engine/selection-source.ts'
import type { Limits } from '../../request/limits.ts'
import type { InfoRule, ServedMetrics } from '../permission/service-rules.ts'
import type { StreamRule } from './answer.ts'
import type { ImageConverter } from './image-types.ts'
import type { LoginOrigin, UserDirectory } from './users.ts'

/** What every request is answered from. */
export interface HandleContext {
  readonly engine: Engine
  readonly caller: Caller
  readonly session: RequestSession
  /** Null where nobody can log in. */
  readonly users: UserDirectory | null
  readonly infoRule: InfoRule
  readonly limits: Limits
  readonly basePath: string
  readonly entitySetScope: EntitySetScope
  /** Null where no image is converted. */
  readonly imageConverter: ImageConverter | null
  /** Null where nothing can be followed. */
  readonly streams: StreamRule | null
  /** Null where what the server counts is not served. */
  readonly metrics: ServedMetrics | null
  /** Aborted when the client has gone; null where the host does not tell. */
  readonly signal: AbortSignal | null
  /** How whole entities of a projection are written as text; null where that takes more than their own values. */
  textForm(projection: Projection, isArray: boolean): TextForm | null
  /** A header of the request by its lower-case name; null when absent. */
  header(name: string): string | null
  /** For a GET that turns out to change something. Throws crossSiteRefused. */
  refuseCrossSite(): void
  /** Tells the host of a failure that the answer does not show. */
  report(error: unknown): void
}

/** The session of one request, made only when something needs it: a plain read leaves none behind. */
export interface RequestSession {
  /** Null while there is none, or when the one of the cookie has ended. */
  readonly current: Session | null
  /** Where the request comes from, as its sender tells. */
  readonly origin: LoginOrigin
  /** The current session, or a new one, whose cookie goes out with the answer. Throws tooManySessions. */
  require(): Session
  /** The session of a user who has just logged in: under a new token, so that nobody who knew the old one is in it. */
  login(user: SessionUser, lifetimeSeconds: number | null): Session
  /** Ends the current session, with its locks. */
  close(): void
}
