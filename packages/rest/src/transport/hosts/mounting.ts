/** The address of a request for a handler that may stand below a prefix. */
export interface Place {
  /** As the client asked. */
  readonly url: string
  /** What of it stands before the handler's own base path; `''` where that is the whole path already. */
  readonly mountPath: string
}

/**
 * Where a request stands; null when it is outside the base path, and so for somebody else.
 *
 * A base path is either the whole path or what follows the prefix that a router took off: with `/api/rest` and with
 * `/rest` alike, a handler mounted under `/api` answers `/api/rest/Employee`.
 *
 * Takes   `url`: what the router left; `originalUrl`: the address before it.
 */
export function placeOf(basePath: string, url: string, originalUrl: string): Place | null {
  if (basePath !== '' && isWithin(basePath, originalUrl)) return { url: originalUrl, mountPath: '' }
  if (!isWithin(basePath, url)) return null
  // A prefix without more leaves "/", which the address need not end in.
  const left = originalUrl.endsWith(url) ? url : url.slice(1)
  if (!originalUrl.endsWith(left)) return null
  return { url: originalUrl, mountPath: originalUrl.slice(0, originalUrl.length - left.length) }
}

/** True for the addresses of an interface that begins with `basePath`; `''` is that of a whole host. */
export function isWithin(basePath: string, url: string): boolean {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const behind = path[basePath.length]
  return path.startsWith(basePath) && (behind === undefined || behind === '/' || behind === '?')
}
