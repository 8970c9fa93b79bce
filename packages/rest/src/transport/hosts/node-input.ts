import type { Awaitable } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { BodySource } from '../body/body-reader.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import type { RestInput } from '../input/rest-input.ts'
import type { NodeRequest } from './node-request.ts'
import { isGone, type NodeResponse, signalOf } from './node-response.ts'

/**
 * The parts of a request that differ between hosts; the rest is read from the objects of node:http.
 */
interface BridgeInput {
  readonly method: string
  readonly url: string
  readonly mountPath: string
  readonly body: BodySource
  readonly remoteAddress: string | undefined
  readonly isSecure: boolean
  /** What the host gives to `identify` and `authorize`. */
  readonly context: unknown
}

/**
 * A node:http request. Members that few requests need are created on demand: an AbortSignal costs
 * more than a short answer.
 */
class NodeInput implements RestInput {
  readonly method: string
  readonly url: string
  readonly mountPath: string
  readonly headers: NodeRequest['headers']
  readonly body: BodySource
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly context: unknown
  readonly reportsSending = true
  readonly #request: NodeRequest
  readonly #response: NodeResponse
  #signal: AbortSignal | null = null

  constructor(request: NodeRequest, response: NodeResponse, requested: BridgeInput) {
    this.method = requested.method
    this.url = requested.url
    this.mountPath = requested.mountPath
    this.headers = request.headers
    this.body = requested.body
    this.remoteAddress = requested.remoteAddress ?? ''
    this.isSecure = requested.isSecure
    this.context = requested.context
    this.#request = request
    this.#response = response
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#request, this.#response)
    return this.#signal
  }

  /**
   * Makes `signal` an own property, for a host that may copy the input. Only on demand, since it
   * takes longer than creating the rest of the input. All inputs share one descriptor: an accessor
   * in an object literal would give each object a hidden class of its own.
   */
  toBeCopied(): this {
    return Object.defineProperty(this, 'signal', SIGNAL)
  }

  /** A header by its lower-case name, as node:http stores them; null when absent. */
  header(name: string): string | null {
    const value = this.#request.headers[name]
    if (typeof value === 'string') return value
    if (Array.isArray(value)) return value.join(', ')
    // HTTP/2 has another name for the host.
    return name === 'host' && this.headers[':authority'] !== undefined
      ? this.header(':authority')
      : null
  }

  /** The state that `signal` would have. */
  get isAborted(): boolean {
    return isGone(this.#request, this.#response)
  }
}

const SIGNAL: PropertyDescriptor = Object.freeze({
  ...Object.getOwnPropertyDescriptor(NodeInput.prototype, 'signal'),
  enumerable: true,
})

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
  const handleNow = (): Awaitable<RestResponse> => {
    if (lacksHost(request)) return rest.answerError(restError('hostMissing', {}))
    const input = new NodeInput(request, response, requested)
    return rest.handle.handleSync === undefined
      ? rest.handle(input.toBeCopied())
      : rest.handle.handleSync(input)
  }
  return isInLine(request, response)
    ? whenConnectionIsFree(request, response).then(handleNow)
    : handleNow()
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
