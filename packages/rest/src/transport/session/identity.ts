import { isEntiaError, type Session, type SessionUser } from '@entia/core'
import { isMisuse } from '@entia/core/internal'
import {
  type AnyClaims,
  type Awaitable,
  andThen,
  type EngineSessions,
  isPromise,
} from '@entia/engine'
import type { RequestSession } from '../../endpoints/context/context.ts'
import {
  applicationFailed,
  type DirectoryUser,
  type LoginOrigin,
  userFrom,
} from '../../endpoints/context/users.ts'
import { restError } from '../../errors/rest-error.ts'
import { type HeaderLookup, headersOf, type RestInput } from '../input/rest-input.ts'

/** The origin of a request as its sender reports it. */
export function loginOrigin(header: HeaderLookup, input: RestInput): LoginOrigin {
  const ipAddress = input.remoteAddress ?? ''
  return { host: header('host') ?? '', ipAddress, userAgent: header('user-agent') ?? '' }
}

/**
 * The request whose caller is to be identified. `Context` is what the host attached: the request of
 * node:http, express or fastify, the context of koa, or what `fetch` and `handle` were given.
 */
export interface IdentityRequest<Context = unknown> {
  readonly method: string
  /** Percent-encoded, without the query. */
  readonly path: string
  /** A header by its lower-case name; null when absent. */
  header(name: string): string | null
  /** All headers, for libraries that expect those of the Fetch API. Created on demand. */
  readonly headers: Headers
  /** The address as the host reports it; empty if unknown. */
  readonly remoteAddress: string
  /** True for a request over TLS, as the host reports it. */
  readonly isSecure: boolean
  readonly context: Context
}

type Found<Claims extends object> = DirectoryUser<Claims> | null | undefined | false

/** The user that a request proves to come from; null for a guest. */
export type Identification<Claims extends object = AnyClaims> =
  | Found<Claims>
  | Promise<Found<Claims>>

/**
 * The caller of a request as the application identifies it; null for a guest. `report` receives
 * faults of the language, which malformed credentials may have caused. Throws identityRefused for
 * credentials that are refused, functionFailed for a malformed identity and for errors of what
 * `identify` needs, and the EntiaErrors of the application.
 */
export function identified(
  identify: (request: IdentityRequest) => Identification<object>,
  input: RestInput,
  header: HeaderLookup,
  report: (error: unknown) => void,
): Awaitable<SessionUser | null> {
  const refuse = (error: unknown): never => {
    if (isMisuse(error)) throw applicationFailed('identify', error)
    if (isEntiaError(error)) throw error
    const failure = identityFailure(error)
    if (failure === 'failed') throw applicationFailed('identify', error)
    if (failure === 'doubtful') report(error)
    throw restError('identityRefused', {}, { cause: error })
  }
  let found: unknown
  try {
    found = identify(new HostRequest(input, header))
  } catch (error) {
    return refuse(error)
  }
  return isPromise(found) ? Promise.resolve(found).then(complete, refuse) : complete(found)
}

const complete = (found: unknown): SessionUser | null =>
  userFrom(found, { name: null, from: 'identify' })

/** Getters compute each member only if it is read. */
class HostRequest implements IdentityRequest {
  readonly header: HeaderLookup
  readonly #input: RestInput

  constructor(input: RestInput, header: HeaderLookup) {
    this.#input = input
    this.header = header
  }

  get method(): string {
    return this.#input.method.toUpperCase()
  }
  get path(): string {
    const { url } = this.#input
    const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    return path.split('?', 1)[0]!
  }
  get headers(): Headers {
    return headersOf(this.#input)
  }
  get remoteAddress(): string {
    return this.#input.remoteAddress ?? ''
  }
  get isSecure(): boolean {
    return this.#input.isSecure === true
  }
  get context(): unknown {
    return this.#input.context
  }
}

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
   * Refusals and failures, of `identify` and of the sessions, are a no; `report` receives them.
   */
  async isStill(
    identify: () => Awaitable<SessionUser | null>,
    report: (error: unknown) => void,
  ): Promise<boolean> {
    try {
      return await this.#renew(await identify())
    } catch (error) {
      report(error)
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

/** What an error of `identify` says about the request. */
type IdentityFailure =
  /** The credentials are forged, expired or malformed: what clients send is no fault. */
  | 'refused'
  /** Code failed, perhaps at malformed credentials: refused, and the host is notified. */
  | 'doubtful'
  /** Something that `identify` needs failed, so the credentials may be right. */
  | 'failed'

/** The language's own errors. A malformed token can cause them in code that does not expect it. */
const LANGUAGE_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError]

/** Members that only errors of the operating system and of databases have. */
const SYSTEM_MEMBERS = ['syscall', 'severity', 'errno', 'sqlState']

/** A set of keys that cannot be fetched is not the client's fault. */
const UNAVAILABLE = /timeout|timed out|unavailable|jwksinvalid|connect|database/i

/** What errors about credentials are named, coded or worded by. */
const CREDENTIALS =
  /jw[ste]|jwks?no|token|not_?before|signature|credential|expired|unauthori[sz]ed|unauthenticated|authenticat|forbidden|forged|bearer|api.?key|password|audience|issuer|alg_?not_?allowed|claim/i

/**
 * Decides by the error: its status (401 or 403), its class, its `code`, and for errors without a
 * class of their own, or with status 400, by the words of the message. What speaks of neither
 * credentials nor a fault of the language has failed.
 */
function identityFailure(error: unknown): IdentityFailure {
  if (!(error instanceof Error)) return 'doubtful'
  const { name, cause, message } = error
  const code = textOf(error, 'code')
  const isSystem = (each: object) => SYSTEM_MEMBERS.some((member) => member in each)
  if (isSystem(error) || (cause instanceof Error && isSystem(cause))) return 'failed'
  const status = textOf(error, 'status') || textOf(error, 'statusCode')
  if (status === '401' || status === '403') return 'refused'
  // A plugin of a host answers 400 to a malformed header, and says which one.
  if (status !== '' && status !== '400') return 'failed'
  if (LANGUAGE_ERRORS.some((each) => error instanceof each)) return 'doubtful'
  const words = name === 'Error' || status === '400' ? `${code} ${message}` : `${name} ${code}`
  return CREDENTIALS.test(words) && !UNAVAILABLE.test(words) ? 'refused' : 'failed'
}

function textOf(error: Error, member: string): string {
  const value: unknown = Object.entries(error).find(([name]) => name === member)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
