import { isEntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import type { BodySource } from '../body/body-reader.ts'

/** Looks a header up by its lower-case name; null when absent. */
export type HeaderLookup = (name: string) => string | null

/**
 * Headers as hosts have them: an object with `get`, or a record with names in any case; lists are
 * joined.
 */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** A request of any host. */
export interface RestInput {
  readonly method: string
  /** Path and parameters; the absolute form is accepted. */
  readonly url: string
  /**
   * The prefix of `url` that a router removed before the base path; addresses in the answer start
   * with it.
   */
  readonly mountPath?: string
  readonly headers?: HeaderSource
  /** Text, bytes, a stream of them, or a JSON value that was parsed already. */
  readonly body?: BodySource
  readonly remoteAddress?: string
  /** What the host knows about the request, for `identify` and `authorize`. */
  readonly context?: unknown
  /** True for a request over TLS. */
  readonly isSecure?: boolean
  readonly signal?: AbortSignal
  /** The state of `signal`, for a host that creates signals on demand. */
  readonly isAborted?: boolean
  /**
   * True for a host that reports how it sends a long answer, by `sent` of the response. Otherwise
   * an answer no longer counts in `limits.maxPendingAnswerBytes` once it is rendered.
   */
  readonly reportsSending?: boolean
  /**
   * A header by its lower-case name; null when absent. For hosts that store headers in this form;
   * otherwise they are looked up in `headers`.
   */
  header?(name: string): string | null
}

/** What is wrong with the input of a custom host; null for a valid request. */
export function problemOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null)
    return 'it must be an object of method, url, headers and body'
  const { method, url, headers } = input as { [name in keyof RestInput]?: unknown }
  if (typeof method !== 'string' || method === '') return 'it has no method'
  if (typeof url !== 'string') return 'it has no url'
  return headers === undefined || (typeof headers === 'object' && headers !== null)
    ? null
    : 'its headers must be an object'
}

/** The header lookup of a request: its own if it has one, or one for the headers of any host. */
export function lookupOf(input: {
  readonly headers?: HeaderSource
  header?(name: string): string | null
}): HeaderLookup {
  if (input.header !== undefined) return (name) => input.header!(name)
  const source = input.headers
  if (source === undefined) return () => null
  const { get } = source
  if (typeof get === 'function') return (name) => get.call(source, name) ?? null
  const byName = new Map<string, string>()
  for (const [name, value] of Object.entries(source)) {
    if (typeof value === 'string') byName.set(name.toLowerCase(), value)
    else if (Array.isArray(value)) byName.set(name.toLowerCase(), value.join(', '))
  }
  // HTTP/2 has another name for the host.
  const authority = byName.get(':authority')
  if (authority !== undefined && !byName.has('host')) byName.set('host', authority)
  return (name) => byName.get(name) ?? null
}

/** The headers as those of the Fetch API. Names that HTTP/2 adds are left out. */
export function headersOf({ headers: source }: Pick<RestInput, 'headers'>): Headers {
  if (source instanceof Headers) return source
  const headers = new Headers()
  for (const [name, value] of isPairs(source) ? source : Object.entries(source ?? {})) {
    if (name.startsWith(':')) continue
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === 'string') headers.append(name, one)
  }
  return headers
}

/** True for headers of a Fetch API that is not the global one. */
const isPairs = (source: object = {}): source is Iterable<readonly [string, unknown]> =>
  Symbol.iterator in source

/** True if the client has disconnected, or the rest of its request will never arrive. */
export const isAborted = (input: RestInput): boolean =>
  (input.isAborted ?? input.signal?.aborted) === true

/** Ends a request whose client disconnected before the engine was called. */
export function refuseAborted(input: RestInput): void {
  if (!isAborted(input)) return
  const reason: unknown = input.signal?.reason
  if (isEntiaError(reason)) throw reason
  throw restError('bodyMalformed', { problem: 'the request was aborted' })
}
