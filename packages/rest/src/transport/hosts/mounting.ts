import { describeFound, refused } from '@entia/core/internal'
import type { RestHandler } from '../handler/rest-handler.ts'
import { isWithin } from '../input/request-origin.ts'

/** The address of a request for a handler that may be mounted below a prefix. */
export interface Place {
  /** The address as the client sent it. */
  readonly url: string
  /** The part before the handler's base path; `''` if the base path is the whole path. */
  readonly mountPath: string
}

/** Refuses what is not a handler before a host serves it. Throws `argumentInvalid`. */
export function checkHandler(rest: unknown): void {
  const { handle, answerError } = (rest ?? {}) as Partial<RestHandler>
  if (typeof handle !== 'function' || typeof answerError !== 'function')
    throw refused('The handler', 'what createRestHandler returned', describeFound(rest))
}

/**
 * The location of a request; null if it is for neither interface of a handler. Cost: O(resources of
 * the plain interface) for addresses outside the base path.
 */
export function placeOf(
  { basePath, plain }: Pick<RestHandler, 'basePath' | 'plain'>,
  url: string,
  originalUrl: string,
): Place | null {
  const place = placeBelow(basePath, url, originalUrl)
  if (place !== null || plain === null) return place
  for (const segment of plain.segments) {
    const found = placeBelow(`${plain.basePath}/${segment}`, url, originalUrl)
    if (found !== null) return found
  }
  return null
}

/**
 * The location of a request below a base path; null if it is outside.
 *
 * A base path is either the whole path or the part after the prefix that a router removed: with
 * `/api/rest` as well as with `/rest`, a handler mounted under `/api` answers `/api/rest/Employee`.
 *
 * Takes `url`: the address after the router; `originalUrl`: the address before it.
 */
function placeBelow(basePath: string, url: string, originalUrl: string): Place | null {
  if (basePath !== '' && isWithin(basePath, originalUrl)) return { url: originalUrl, mountPath: '' }
  if (!isWithin(basePath, url)) return null
  // A bare prefix becomes "/", which the address need not end in.
  const left = originalUrl.endsWith(url) ? url : url.slice(1)
  if (!originalUrl.endsWith(left)) return null
  return { url: originalUrl, mountPath: originalUrl.slice(0, originalUrl.length - left.length) }
}
