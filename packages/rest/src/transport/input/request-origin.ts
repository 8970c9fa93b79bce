import { type Awaitable, andThen } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { HeaderLookup } from './rest-input.ts'

/** Whether a request is admitted; with seconds, when to retry. */
export type Admission = boolean | { readonly retryAfterSeconds: number }

/** Goes on with an admitted request. Throws tooManyRequests for any other. */
export const admitted = <I, T>(
  admit: (input: I) => Awaitable<Admission>,
  input: I,
  proceed: () => Awaitable<T>,
): Awaitable<T> =>
  andThen(admit(input), (admission) => {
    refuseUnadmitted(admission)
    return proceed()
  })

function refuseUnadmitted(admission: Admission): void {
  if (admission === true) return
  const seconds = admission === false ? Number.NaN : Math.ceil(admission.retryAfterSeconds)
  throw restError('tooManyRequests', {
    retryAfterSeconds: Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null,
  })
}

/** True for addresses below `basePath`; `''` is a whole host. */
export function isWithin(basePath: string, url: string): boolean {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const behind = path[basePath.length]
  return path.startsWith(basePath) && (behind === undefined || behind === '/' || behind === '?')
}

/**
 * Refuses a request that changes state and comes from a page of another site. Verb and content type
 * do not protect: some clients send JSON as a form, which any page can do. Requests without these
 * headers do not come from a page. `Sec-Fetch-Site` is set by the browser and takes precedence over
 * `Origin`. Throws crossSiteRefused.
 */
export function refuseCrossSite(header: HeaderLookup, allowedOrigins: readonly string[]): void {
  const origin = header('origin')
  if (allowedOrigins.includes('*')) return
  if (origin !== null && allowedOrigins.includes(origin)) return
  const site = header('sec-fetch-site')
  const isForeign =
    site === null
      ? origin !== null && hostOf(origin) !== header('host')?.toLowerCase()
      : site !== 'same-origin' && site !== 'none'
  if (isForeign)
    throw restError('crossSiteRefused', { origin: (origin ?? 'unknown').slice(0, 100) })
}

/** Host and port of an origin; null for `null` and malformed ones. */
function hostOf(origin: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null
}

/** True for the request by which a browser asks whether a page of another origin may send one. */
export const isPreflight = (
  method: string,
  header: HeaderLookup,
  allowedOrigins: readonly string[],
): boolean =>
  method === 'OPTIONS' &&
  header('access-control-request-method') !== null &&
  (allowedOrigins.includes('*') || allowedOrigins.includes(header('origin') ?? ''))

/** Headers that let pages of an allowed origin read an answer; other origins get `vary` alone. */
export function corsHeaders(
  header: HeaderLookup,
  allowedOrigins: readonly string[],
  allowedVerbs = 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
): { readonly [name: string]: string } {
  const origin = header('origin')
  const isAny = allowedOrigins.includes('*')
  if (!isAny && (origin === null || !allowedOrigins.includes(origin))) return { vary: 'Origin' }
  const who = isAny
    ? { 'access-control-allow-origin': '*' }
    : {
        vary: 'Origin',
        'access-control-allow-origin': origin ?? '',
        'access-control-allow-credentials': 'true',
      }
  return {
    ...who,
    'access-control-allow-methods': allowedVerbs,
    'access-control-allow-headers':
      'Content-Type, Authorization, Entia-Position, If-Match, If-None-Match, Last-Event-ID, Live-Stream, username-4D, password-4D, session-4D-length',
    'access-control-expose-headers':
      'Allow, Content-Location, Entia-Position, Entia-Query-Plan, ETag, Link, Live-Stream, Location, Retry-After, X-Total-Count',
    // Ten minutes, so that a changed option soon takes effect everywhere.
    'access-control-max-age': '600',
  }
}

/**
 * Refuses a request for a foreign host: a page of another site may have its own name resolve to
 * this machine, which its browser then treats as the same site. A host without a port allows all
 * ports. Throws hostRefused, hostMissing.
 */
export function refuseForeignHost(header: HeaderLookup, allowedHosts: readonly string[]): void {
  const host = header('host')?.trim().toLowerCase() ?? ''
  if (host === '') throw restError('hostMissing', {})
  const name = host.replace(/:\d*$/, '')
  const isAllowed = allowedHosts.some((allowed) => {
    const own = allowed.toLowerCase()
    return own === host || own === name
  })
  if (!isAllowed) throw restError('hostRefused', { host: host.slice(0, 100) })
}
