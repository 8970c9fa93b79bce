// For MSW: the store answers what a front end asks, without a port.

import type { AnyDataStore } from '@entia/core'
import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import { type HttpHandler, http } from 'msw'

/** Where the store is to be found. */
export interface MswOptions extends RestOptions {
  /** `https://api.example`: requests to other origins are left alone. Any origin by default. */
  readonly origin?: string
}

/**
 * Handlers for `setupServer(...)` and `setupWorker(...)`: `setupServer(...handlersOf(store))`. Takes a store, or what `createRestHandler` or
 * `withFaults` made.
 */
export function handlersOf(served: AnyDataStore | RestHandler, { origin, ...options }: MswOptions = {}): HttpHandler[] {
  const rest =
    'fetch' in served && 'basePath' in served
      ? (served as RestHandler)
      : createRestHandler(served as AnyDataStore, options)
  const isOurs = (request: Request): boolean => {
    // Read from the text: an address that cannot be decoded is for the store to refuse.
    const [, from, path] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i.exec(request.url) ?? []
    if (path === undefined || (origin !== undefined && from !== origin)) return false
    return path === rest.basePath || path.startsWith(`${rest.basePath}/`)
  }
  return [
    http.all(
      ({ request }) => isOurs(request),
      ({ request }) => rest.fetch(request),
    ),
  ]
}
