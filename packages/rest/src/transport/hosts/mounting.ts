/** The address of a request for a handler that may be mounted below a prefix. */
export interface Place {
  /** The address as the client sent it. */
  readonly url: string
  /** The part before the handler's base path; `''` if the base path is the whole path. */
  readonly mountPath: string
}

/**
 * The location of a request; null if it is outside the base path.
 *
 * A base path is either the whole path or the part after the prefix that a router removed: with
 * `/api/rest` as well as with `/rest`, a handler mounted under `/api` answers `/api/rest/Employee`.
 *
 * Takes `url`: the address after the router; `originalUrl`: the address before it.
 */
export function placeOf(basePath: string, url: string, originalUrl: string): Place | null {
  if (basePath !== '' && isWithin(basePath, originalUrl)) return { url: originalUrl, mountPath: '' }
  if (!isWithin(basePath, url)) return null
  // A bare prefix becomes "/", which the address need not end in.
  const left = originalUrl.endsWith(url) ? url : url.slice(1)
  if (!originalUrl.endsWith(left)) return null
  return { url: originalUrl, mountPath: originalUrl.slice(0, originalUrl.length - left.length) }
}

/** True for addresses below `basePath`; `''` is a whole host. */
export function isWithin(basePath: string, url: string): boolean {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const behind = path[basePath.length]
  return path.startsWith(basePath) && (behind === undefined || behind === '/' || behind === '?')
}
