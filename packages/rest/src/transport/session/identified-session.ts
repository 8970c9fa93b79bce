import type { Session, SessionUser } from '@entia/core'
import type { EngineSessions } from '../../engine/engine.ts'
import { restError } from '../../errors/rest-error.ts'
import type { RequestSession } from '../../handle/context/context.ts'
import type { LoginOrigin } from '../../handle/context/users.ts'

/**
 * The session of a user whom the application identifies with every request: one for each `ID`,
 * without a cookie. Guests have none.
 */
export class IdentifiedSession implements RequestSession {
  readonly #sessions: EngineSessions
  readonly origin: LoginOrigin
  current: Session | null = null

  constructor(sessions: EngineSessions, origin: LoginOrigin) {
    this.#sessions = sessions
    this.origin = origin
  }

  /** Finds or opens the session of the caller. Throws tooManySessions. */
  enter(user: SessionUser | null): void {
    if (user !== null) this.current = this.#sessions.identified(user, this.origin)
  }

  /** Renews the session if the request still proves the same user, or none, in the same groups. */
  isStill(user: SessionUser | null): boolean {
    const known = this.current?.user ?? null
    if (user === null || known === null) return user === known
    const isSame =
      user.ID === known.ID &&
      user.groups.length === known.groups.length &&
      user.groups.every((group, at) => group === known.groups[at])
    if (isSame) this.#sessions.touch(this.current?.token ?? '')
    return isSame
  }

  require(): Session {
    if (this.current === null)
      throw restError('loginRequired', { what: 'This request', by: 'host' })
    return this.current
  }

  login(): never {
    throw new Error(
      'A function answered loggedIn, but the option "identify" identifies the callers. Use one of them.',
    )
  }

  close(): void {
    if (this.current !== null) this.#sessions.close(this.current.token)
    this.current = null
  }

  /** The session belongs to all requests of the user. */
  abandon(): void {}

  get headers(): null {
    return null
  }
}
