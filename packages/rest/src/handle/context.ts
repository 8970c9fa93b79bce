import type { Limits } from '../request/limits.ts'
import type { Caller } from './caller.ts'
import type { EngineDoor } from './engine-door.ts'
import type { RequestSession } from './request-session.ts'

/** What every request is answered from. */
export interface HandleContext {
  readonly door: EngineDoor
  readonly caller: Caller
  readonly session: RequestSession
  readonly limits: Limits
  readonly basePath: string
  /** For a GET that turns out to change something. Throws crossSiteRefused. */
  refuseCrossSite(): void
  /** Tells the host of a failure that the answer does not show. */
  report(error: unknown): void
}
