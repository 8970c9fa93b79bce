import { isEntiaError, type SessionUser } from '@entia/core'
import { type Awaitable, isPromise } from '../../engine/awaitable.ts'
import type { AnyClaims } from '../../engine/caller.ts'
import { restError } from '../../errors/rest-error.ts'
import { type DirectoryUser, userFrom } from '../../handle/context/users.ts'
import { type HeaderLookup, headersOf, type RestInput } from '../input/rest-input.ts'

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
 * faults of the program; what refuses a forged or expired token is none. Throws
 * identityRefused, functionFailed for a malformed identity, and the EntiaErrors of the application.
 */
export function identified(
  identify: (request: IdentityRequest) => Identification<object>,
  input: RestInput,
  header: HeaderLookup,
  report: (error: unknown) => void,
): Awaitable<SessionUser | null> {
  const refuse = (error: unknown): never => {
    if (isEntiaError(error)) throw error
    if (isFault(error)) report(error)
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

/**
 * True for errors of the language, such as a TypeError, of the operating system, and for values
 * that are not errors. Libraries refuse tokens with errors of their own classes, or with `Error`.
 */
const isFault = (error: unknown): boolean =>
  !(error instanceof Error) ||
  'syscall' in error ||
  [TypeError, ReferenceError, RangeError, SyntaxError].some((fault) => error instanceof fault)

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
