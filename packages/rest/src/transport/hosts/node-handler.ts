import { isPromise } from '../../engine/awaitable.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import { placeOf } from './mounting.ts'
import { bodyOf, type NodeRequest } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { handleInOrder } from './request-order.ts'

/** Asks the next handler of the host; with an error, its error handlers. */
export type Next = (error?: unknown) => void

/**
 * node:http, and with it connect and whatever else hands over its two objects.
 *
 * Where the host gives a `next`, addresses outside the base path are passed on to it; else they are answered 404. The
 * promise never rejects, and `next` never gets an error: what fails is answered.
 */
export function toNodeHandler(
  rest: RestHandler,
): (request: NodeRequest, response: NodeResponse, next?: Next) => Promise<void> {
  return (request, response, next) => {
    const url = request.url ?? '/'
    const original = request.originalUrl ?? url
    const place = placeOf(rest.basePath, url, original)
    if (place === null && next !== undefined) {
      next()
      return DONE
    }
    try {
      const answer = handleInOrder(rest, request, response, () => ({
        method: request.method ?? 'GET',
        url: place?.url ?? original,
        mountPath: place?.mountPath ?? '',
        body: bodyOf(request, request.body),
        remoteAddress: request.ip ?? request.socket?.remoteAddress,
        isSecure: request.secure ?? request.socket?.encrypted === true,
      }))
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

function give(rest: RestHandler, request: NodeRequest, response: NodeResponse, answer: RestResponse): void {
  try {
    send(request, response, answer)
  } catch (error) {
    fail(rest, request, response, error)
  }
}

function fail(rest: RestHandler, request: NodeRequest, response: NodeResponse, error: unknown): void {
  const failure = rest.answerError(error)
  if (response.headersSent) response.destroy?.()
  else send(request, response, failure)
}

/** What nothing is waited for answers. */
const DONE = Promise.resolve()
