import type { RestHandler } from '../handler/rest-handler.ts'
import { type Next, toNodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'

/**
 * express 4 and 5: `app.use(toExpressHandler(rest))`, or below a prefix: `app.use('/api', toExpressHandler(rest))`.
 *
 * Addresses outside the base path are passed on. The parsers of express may stand before it or not; standing before them
 * it also answers what they would refuse. Error handlers of the application get nothing of it.
 */
export function toExpressHandler(
  rest: RestHandler,
): (request: NodeRequest, response: NodeResponse, next: Next) => Promise<void> {
  return toNodeHandler(rest)
}
