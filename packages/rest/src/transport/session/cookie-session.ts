import type { Session, SessionUser } from '@entia/core'
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
  resume(): void {
    const cookies = this.#header('cookie')
    const token = cookies === null ? null : readToken(cookies, this.#cookie)
    this.current = token === null ? null : (this.#sessions.touch(token) ?? null)
  }

  require(): Session {
    if (this.current !== null) return this.current
    const session = this.#begin(this.#sessions.open(this.origin))
    this.#isOpenedHere = true
    return session
  }

  /** Closes a session that a failed request opened, unless a user has logged in. */
  abandon(): void {
    if (!this.#isOpenedHere || this.current === null || this.current.user !== null) return
    this.#sessions.close(this.current.token)
    this.current = null
    this.#token = undefined
  }

  login(user: SessionUser, lifetimeSeconds: number | null): Session {
    const options = { ...this.origin, ...(lifetimeSeconds === null ? {} : { lifetimeSeconds }) }
    return this.#begin(this.#sessions.login(this.current?.token ?? null, user, options))
  }

  close(): void {
    if (this.current !== null) this.#sessions.close(this.current.token)
    this.current = null
    this.#token = null
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
