import { isPromise } from '@entia/engine'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import { checkHandler, placeOf } from './mounting.ts'
import { bodyOf, type NodeRequest } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { handleInOrder } from './request-order.ts'

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
        return answer.then(
          (answer) => give(rest, request, response, answer),
          (error) => fail(rest, request, response, error),
        )
      give(rest, request, response, answer)
    } catch (error) {
      fail(rest, request, response, error)
    }
    return DONE
  }
}

function give(
  rest: RestHandler,
  request: NodeRequest,
  response: NodeResponse,
  answer: RestResponse,
): void {
  try {
    send(request, response, answer)
  } catch (error) {
    fail(rest, request, response, error)
  }
}

function fail(
  rest: RestHandler,
  request: NodeRequest,
  response: NodeResponse,
  error: unknown,
): void {
  const failure = rest.answerError(error)
  if (response.headersSent) response.destroy?.()
  else send(request, response, failure)
}

/** Returned if nothing has to be awaited. */
const DONE = Promise.resolve()
