import type { Awaitable } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import { type BridgeInput, NodeInput } from './node-input.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'

/**
 * Executes a node:http request after earlier ones on its connection are answered: pipelined
 * requests are meant to run in order.
 */
export function handleInOrder(
  rest: RestHandler,
  request: NodeRequest,
  response: NodeResponse,
  requested: BridgeInput,
): Awaitable<RestResponse> {
  return isInLine(request, response)
    ? whenConnectionIsFree(request, response).then(() =>
        handleNow(rest, request, response, requested),
      )
    : handleNow(rest, request, response, requested)
}

function handleNow(
  rest: RestHandler,
  request: NodeRequest,
  response: NodeResponse,
  requested: BridgeInput,
): Awaitable<RestResponse> {
  if (lacksHost(request)) return rest.answerError(restError('hostMissing', {}))
  const input = new NodeInput(request, response, requested)
  return rest.handle.handleSync === undefined
    ? rest.handle(input.toBeCopied())
    : rest.handle.handleSync(input)
}

/** True while the connection belongs to an earlier answer; node:http serves answers one by one. */
function isInLine({ socket, aborted }: NodeRequest, response: NodeResponse): boolean {
  const first = socket?._httpMessage ?? null
  const isAlive = aborted !== true && socket?.destroyed !== true
  return (
    first !== null &&
    first !== response &&
    response.socket === null &&
    !response.headersSent &&
    isAlive
  )
}

/** Settles when the connection is free for this answer, or closed. */
function whenConnectionIsFree(request: NodeRequest, response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on?.('socket', () => resolve())
    response.on?.('close', () => resolve())
    request.on('aborted', () => resolve())
  })
}

/** HTTP/1.1 requires such requests to be refused; some hosts let them through. */
function lacksHost({ httpVersionMajor, httpVersionMinor, headers }: NodeRequest): boolean {
  return httpVersionMajor === 1 && httpVersionMinor === 1 && headers.host === undefined
}
