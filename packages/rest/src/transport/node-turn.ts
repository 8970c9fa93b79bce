import { EntiaError } from '@entia/core'
import type { RestResponse } from '../render/serialize.ts'
import { isBodiless, type NodeRequest } from './node-request.ts'
import { type NodeResponse, signalOf } from './node-response.ts'
import type { RestHandler } from './rest-handler.ts'
import type { RestInput } from './rest-input.ts'

/**
 * Has a request of node:http carried out when those before it on its connection are answered: a client may send many at once,
 * and means them in their order.
 */
export async function handleInTurn(
  rest: RestHandler,
  request: NodeRequest,
  response: NodeResponse,
  input: () => Omit<RestInput, 'signal'>,
): Promise<RestResponse> {
  // A body is waited for; without one there is nothing to be told of, unless somebody asks for the signal.
  let signal = isBodiless(request) ? null : signalOf(request, response)
  // Nothing is waited for in the ordinary case.
  if (isInLine(request, response)) await turnOf(request, response)
  if (lacksHost(request)) return rest.answerError(new EntiaError('hostMissing', {}))
  return rest.handle({
    ...input(),
    get signal() {
      signal ??= signalOf(request, response)
      return signal
    },
  })
}

/** True while the connection belongs to the answer to an earlier request: node:http gives it to one after the other. */
function isInLine({ socket, aborted }: NodeRequest, response: NodeResponse): boolean {
  const first = socket?._httpMessage ?? null
  const isAlive = aborted !== true && socket?.destroyed !== true
  return first !== null && first !== response && response.socket === null && !response.headersSent && isAlive
}

/** Settles when the connection is this answer's, or gone. */
function turnOf(request: NodeRequest, response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on?.('socket', () => resolve())
    response.on?.('close', () => resolve())
    request.on('aborted', () => resolve())
  })
}

/** A host that lets such requests through leaves it to us to refuse them, as HTTP/1.1 demands. */
function lacksHost({ httpVersionMajor, httpVersionMinor, headers }: NodeRequest): boolean {
  return httpVersionMajor === 1 && httpVersionMinor === 1 && headers.host === undefined
}
