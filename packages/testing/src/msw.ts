// For MSW: the store answers the requests of a front end without a port.

import type { AnyDataStore } from '@entia/core'
import { checkObject } from '@entia/core/internal'
import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import { type HttpHandler, http } from 'msw'

/** The address of the store. */
export interface MswOptions extends RestOptions {
  /** `https://api.example`: requests to other origins pass through. Any origin by default. */
  readonly origin?: string
}

/**
 * Handlers for `setupServer(...)` and `setupWorker(...)`: `setupServer(...handlersOf(store))`.
 * Takes a store, or a handler from `createRestHandler` or `withFaults`.
 *
 * @example
 * ```ts
 * import { setupServer } from 'msw/node'
 * const server = setupServer(...handlersOf(store, { origin: 'https://api.example' }))
 * ```
 */
export function handlersOf(
  served: AnyDataStore | RestHandler,
  given: MswOptions = {},
): HttpHandler[] {
  checkObject('The store', served)
  checkObject('The options', given)
  const { origin, ...options } = given
  const rest =
    'fetch' in served && 'basePath' in served
      ? (served as RestHandler)
      : createRestHandler(served as AnyDataStore, options)
  const { plain } = rest
  const bases = [
    rest.basePath,
    ...(plain?.segments ?? []).map((segment) => `${plain?.basePath}/${segment}`),
  ]
  const isOurs = (request: Request): boolean => {
    // Parse the text: `URL` would throw for an undecodable address, which the store must refuse.
    const [, from, path] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i.exec(request.url) ?? []
    if (path === undefined || (origin !== undefined && from !== origin)) return false
    return bases.some((base) => path === base || path.startsWith(`${base}/`))
  }
  return [
    http.all(
      ({ request }) => isOurs(request),
      ({ request }) => rest.fetch(request),
    ),
  ]
}
