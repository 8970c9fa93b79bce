import type { Session, SessionUser } from '@entia/core'
import { type Awaitable, andThen } from '../../engine/awaitable.ts'
import type { EngineSessions } from '../../engine/engine.ts'
import type { RequestSession } from '../../handle/context/context.ts'
import type { LoginOrigin } from '../../handle/context/users.ts'
import type { HeaderLookup, RestInput } from '../input/rest-input.ts'
import { loginOrigin } from './login-origin.ts'
import { readToken, type SessionCookie, writeCookie } from './session-cookie.ts'

/**
 * The session of one request, identified by a cookie. Creating it reads nothing and cannot fail.
 */
export class CookieSession implements RequestSession {
  readonly #sessions: EngineSessions
  readonly #cookie: SessionCookie
  readonly #header: HeaderLookup
  readonly #input: RestInput
  readonly #secureCookies: boolean | 'auto'
  /** The session of the request; null while there is none. */
  current: Session | null = null
  /** The cookie that the answer sets: undefined leaves it unchanged, null removes it. */
  #token: string | null | undefined
  #isOpenedHere = false

  /** `secureCookies`: whether the cookie is for TLS only; `auto` depends on the request. */
  constructor(
    sessions: EngineSessions,
    cookie: SessionCookie,
    header: HeaderLookup,
    input: RestInput,
    secureCookies: boolean | 'auto',
  ) {
    this.#sessions = sessions
    this.#cookie = cookie
    this.#header = header
    this.#input = input
    this.#secureCookies = secureCookies
  }

  get origin(): LoginOrigin {
    return loginOrigin(this.#header, this.#input)
  }

  /** Finds the session of the cookie and renews it. An unknown token leads to no session. */
  resume(): Awaitable<void> {
    const cookies = this.#header('cookie')
    const token = cookies === null ? null : readToken(cookies, this.#cookie)
    if (token === null) return
    return andThen(this.#sessions.touch(token), (session) => {
      this.current = session ?? null
    })
  }

  require(): Awaitable<Session> {
    if (this.current !== null) return this.current
    return andThen(this.#sessions.open(this.origin), (session) => {
      this.#isOpenedHere = true
      return this.#begin(session)
    })
  }

  /** Closes a session that a failed request opened, unless a user has logged in. */
  abandon(): Awaitable<void> {
    const { current } = this
    if (!this.#isOpenedHere || current === null || current.user !== null) return
    this.current = null
    this.#token = undefined
    return andThen(this.#sessions.close(current.token), () => {})
  }

  login(user: SessionUser, lifetimeSeconds: number | null): Awaitable<Session> {
    const options = { ...this.origin, ...(lifetimeSeconds === null ? {} : { lifetimeSeconds }) }
    return andThen(this.#sessions.login(this.current?.token ?? null, user, options), (session) =>
      this.#begin(session),
    )
  }

  close(): Awaitable<void> {
    const closed = this.current === null || this.#sessions.close(this.current.token)
    return andThen(closed, () => {
      this.current = null
      this.#token = null
    })
  }

  /**
   * The header that sends the client a new token or removes the old one; null if neither is needed.
   */
  get headers(): { readonly [name: string]: string } | null {
    if (this.#token === undefined) return null
    const isSecure =
      this.#secureCookies === 'auto' ? this.#input.isSecure === true : this.#secureCookies
    return { 'set-cookie': writeCookie(this.#cookie, this.#token, isSecure) }
  }

  #begin(session: Session): Session {
    this.#token = session.token
    this.current = session
    return session
  }
}
