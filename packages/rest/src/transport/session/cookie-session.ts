import type { Session, SessionUser } from '@entia/core'
import { type Awaitable, andThen, type EngineSessions } from '@entia/engine'
import type { RequestSession } from '../../endpoints/context/context.ts'
import type { LoginOrigin } from '../../endpoints/context/users.ts'
import type { HeaderLookup, RestInput } from '../input/rest-input.ts'
import { loginOrigin } from './identity.ts'

/** The cookie with a session's token. */
export interface SessionCookie {
  readonly name: string
  /** The path of the cookie. */
  readonly path: string
}

/** Longer than any token; longer values are not decoded. */
const MAX_TOKEN_CHARACTERS = 512

/** One name per store, so that two stores on a host do not end each other's sessions. */
export function sessionCookie(storeName: string, basePath: string): SessionCookie {
  const isPlain = basePath !== '' && /^[\w/.~%!$&'()*+:@-]+$/.test(basePath)
  return { name: `4DSID_${storeName.replace(/[^\w-]/g, '_')}`, path: isPlain ? basePath : '/' }
}

/**
 * The token in a `Cookie` header. Null for none, and for several that differ: one of them was
 * planted by a party that may set cookies for a part of the site.
 */
export function readToken(header: string | null, { name }: SessionCookie): string | null {
  if (header === null) return null
  let token: string | null = null
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (token !== null && token !== value) return null
    token = value
  }
  return token === null || token === '' || token.length > MAX_TOKEN_CHARACTERS
    ? null
    : decoded(token)
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}

/**
 * A `Set-Cookie` header; a null token removes the cookie. Scripts cannot read it, and other sites
 * do not send it.
 */
function writeCookie(
  { name, path }: SessionCookie,
  token: string | null,
  isSecure: boolean,
): string {
  const parts = [
    token === null ? `${name}=; Max-Age=0` : `${name}=${encodeURIComponent(token)}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Strict',
  ]
  if (isSecure) parts.push('Secure')
  return parts.join('; ')
}

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
