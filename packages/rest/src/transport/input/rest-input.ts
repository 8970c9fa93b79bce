import type { BodySource } from '../body/body-reader.ts'
import type { HeaderSource } from './header-lookup.ts'

/** A request of any host. */
export interface RestInput {
  readonly method: string
  /** Path and parameters; the absolute form is accepted. */
  readonly url: string
  /** The prefix of `url` that a router took off before the base path; addresses in the answer begin with it. */
  readonly mountPath?: string
  readonly headers?: HeaderSource
  /** Text, bytes, a stream of them, or a JSON value that was parsed already. */
  readonly body?: BodySource
  readonly remoteAddress?: string
  /** True for a request that came over TLS. */
  readonly isSecure?: boolean
  readonly signal?: AbortSignal
  /** What `signal` says, for a host that makes one only when it is asked for. */
  readonly isAborted?: boolean
  /** A header by its lower-case name, for a host that keeps them so; null when absent. Without it they are looked up in `headers`. */
  header?(name: string): string | null
}

/** What a host of one's own gets wrong, in words; null for a request. */
export function problemOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return 'it is no object of method, url, headers and body'
  const { method, url, headers } = input as { [name in keyof RestInput]?: unknown }
  if (typeof method !== 'string' || method === '') return 'it has no method'
  if (typeof url !== 'string') return 'it has no url'
  return headers === undefined || (typeof headers === 'object' && headers !== null) ? null : 'its headers are no object'
}
