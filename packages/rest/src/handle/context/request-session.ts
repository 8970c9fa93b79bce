import type { Session, SessionUser } from '@entia/core'
import type { LoginOrigin } from './users.ts'

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
