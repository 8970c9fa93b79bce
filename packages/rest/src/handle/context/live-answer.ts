import type { Session } from '@entia/core'
import type { Followed } from '../../engine/followed.ts'
import type { Projection } from '../../engine/projection.ts'

/** A selection that is followed. Whoever has this answer stops it. */
export interface LiveAnswer {
  readonly kind: 'live'
  readonly projection: Projection
  readonly followed: Followed
  /** Members before the page that is followed. */
  readonly skipped: number
  readonly signal: AbortSignal | null
}

/** How many may be followed, and how large they may be. */
export interface StreamRule {
  readonly maxEntities: number
  /** Throws tooManyRequests. */
  refuseFull(session: Session | null): void
}
