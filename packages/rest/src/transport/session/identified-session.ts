import type { Session, SessionUser } from '@entia/core'
import { type Awaitable, andThen } from '../../engine/awaitable.ts'
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
  enter(user: SessionUser | null): Awaitable<void> {
    if (user === null) return
    return andThen(this.#sessions.identified(user, this.origin), (session) => {
      this.current = session
    })
  }

  /**
   * Renews the session if the request still proves the same user, or none, in the same groups.
   * Refusals and failures of `identify` are a no.
   */
  async isStill(identify: () => Awaitable<SessionUser | null>): Promise<boolean> {
    try {
      return await this.#renew(await identify())
    } catch {
      return false
    }
  }

  async #renew(user: SessionUser | null): Promise<boolean> {
    const known = this.current?.user ?? null
    if (this.current === null || user === null || known === null) return user === known
    const isSame =
      user.ID === known.ID &&
      user.groups.length === known.groups.length &&
      user.groups.every((group, at) => group === known.groups[at])
    return isSame && (await this.#sessions.touch(this.current.token)) !== undefined
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

  close(): Awaitable<void> {
    const closed = this.current === null || this.#sessions.close(this.current.token)
    return andThen(closed, () => {
      this.current = null
    })
  }

  /** The session belongs to all requests of the user. */
  abandon(): void {}

  get headers(): null {
    return null
  }
}
