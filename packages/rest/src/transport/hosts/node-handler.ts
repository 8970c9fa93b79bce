import { isPromise } from '@entia/engine'
import type { RestHandler } from '../handler/rest-handler.ts'
import { checkHandler, placeOf } from './mounting.ts'
import { handleInOrder } from './node-input.ts'
import { bodyOf, type NodeRequest } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'

/** Calls the next handler of the host, or with an error its error handlers. */
export type Next = (error?: unknown) => void

/**
 * node:http, and frameworks such as connect that use its two objects.
 *
 * If the host passes a `next`, addresses outside the base path are passed to it; else they get 404.
 * The promise never rejects, and `next` never receives an error: failures become answers.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * const server = createServer(toNodeHandler(rest))
 * ```
 */
export function toNodeHandler(
  rest: RestHandler,
): (request: NodeRequest, response: NodeResponse, next?: Next) => Promise<void> {
  checkHandler(rest)
  return (request, response, next) => {
    const url = request.url ?? '/'
    const original = request.originalUrl ?? url
    const place = placeOf(rest, url, original)
    if (place === null && next !== undefined) {
      next()
      return DONE
    }
    const fail = (error: unknown): void => {
      const failure = rest.answerError(error)
      if (response.headersSent) response.destroy?.()
      else send(request, response, failure)
    }
    try {
      const answer = handleInOrder(rest, request, response, {
        method: request.method ?? 'GET',
        url: place?.url ?? original,
        mountPath: place?.mountPath ?? '',
        body: bodyOf(request, request.body),
        remoteAddress: request.ip ?? request.socket?.remoteAddress,
        isSecure: request.secure ?? request.socket?.encrypted === true,
        context: request,
      })
      if (isPromise(answer))
        return answer.then((answer) => send(request, response, answer)).catch(fail)
      send(request, response, answer)
    } catch (error) {
      fail(error)
    }
    return DONE
  }
}

/** Returned if nothing has to be awaited. */
const DONE = Promise.resolve()

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
