import type { RestHandler } from '../handler/rest-handler.ts'
import { type Next, toNodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'

/**
 * express 4 and 5: `app.use(toExpressHandler(rest))`, or with a prefix: `app.use('/api',
 * toExpressHandler(rest))`.
 *
 * Addresses outside the base path are passed to the next handler. Body parsers of express may run
 * before it or not; without them it also answers bodies that they would refuse. Error handlers of
 * the application are not called.
 *
 * @example
 * ```ts
 * import express from 'express'
 * express().use(toExpressHandler(rest)).listen(8080)
 * ```
 */
export function toExpressHandler(
  rest: RestHandler,
): (request: NodeRequest, response: NodeResponse, next: Next) => Promise<void> {
  return toNodeHandler(rest)
}
