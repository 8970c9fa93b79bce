import { restError } from '../../errors/rest-error.ts'

/** Looks a header up by its lower-case name; null when absent. */
export type HeaderLookup = (name: string) => string | null

/**
 * Refuses a request that changes state and was sent by a page of another site. Neither verb nor content type protect:
 * a real client posts JSON as a form, which any page can do too. Requests without these headers come from no page.
 * `Sec-Fetch-Site` is the browser's own word and counts before `Origin`. Throws crossSiteRefused.
 */
export function refuseCrossSite(header: HeaderLookup, allowedOrigins: readonly string[]): void {
  const origin = header('origin')
  if (origin !== null && allowedOrigins.includes(origin)) return
  const site = header('sec-fetch-site')
  const isForeign =
    site === null
      ? origin !== null && hostOf(origin) !== header('host')?.toLowerCase()
      : site !== 'same-origin' && site !== 'none'
  if (isForeign) throw restError('crossSiteRefused', { origin: (origin ?? 'unknown').slice(0, 100) })
}

/** Host and port of an origin; null for `null` and for what is no origin. */
function hostOf(origin: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null
}

/** Headers that let the pages of an allowed origin read an answer; none for any other, and null where there are no such origins. */
export function corsHeaders(
  header: HeaderLookup,
  allowedOrigins: readonly string[],
  allowedVerbs = 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
): { readonly [name: string]: string } | null {
  if (allowedOrigins.length === 0) return null
  const origin = header('origin')
  if (origin === null || !allowedOrigins.includes(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': allowedVerbs,
    'access-control-allow-headers':
      'Content-Type, If-Match, If-None-Match, Last-Event-ID, username-4D, password-4D, session-4D-length',
    'access-control-expose-headers': 'Allow, Content-Location, Entia-Query-Plan, ETag, Retry-After',
    // Ten minutes: a changed option is soon in force everywhere.
    'access-control-max-age': '600',
  }
}
