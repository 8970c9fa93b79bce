import type { BodySource } from './body-reader.ts'
import type { NodeRequest } from './node-request.ts'
import { isGone, type NodeResponse, signalOf } from './node-response.ts'
import type { RestInput } from './rest-input.ts'

/** What a bridge tells of a request; the rest is read from the objects of node:http. */
export interface AskedInput {
  readonly method: string
  readonly url: string
  readonly mountPath: string
  readonly body: BodySource
  readonly remoteAddress: string | undefined
  readonly isSecure: boolean
}

/** A request of node:http. What few ask for is made when somebody does: an AbortSignal costs more than a short answer. */
export class NodeInput implements RestInput {
  readonly method: string
  readonly url: string
  readonly mountPath: string
  readonly headers: NodeRequest['headers']
  readonly body: BodySource
  readonly remoteAddress: string
  readonly isSecure: boolean
  declare readonly signal: AbortSignal
  readonly #request: NodeRequest
  readonly #response: NodeResponse
  #signal: AbortSignal | null = null

  constructor(request: NodeRequest, response: NodeResponse, asked: AskedInput) {
    this.method = asked.method
    this.url = asked.url
    this.mountPath = asked.mountPath
    this.headers = request.headers
    this.body = asked.body
    this.remoteAddress = asked.remoteAddress ?? ''
    this.isSecure = asked.isSecure
    this.#request = request
    this.#response = response
    // An own property, as the others are: a host may hand on a copy. One descriptor for all, since an accessor in an object
    // literal would give every single object a layout of its own.
    Object.defineProperty(this, 'signal', SIGNAL)
  }

  /** A header by its lower-case name, which is how node:http keeps them; null when absent. */
  header(name: string): string | null {
    const value = this.#request.headers[name]
    if (typeof value === 'string') return value
    if (Array.isArray(value)) return value.join(', ')
    // HTTP/2 has the host under a name of its own.
    return name === 'host' && this.headers[':authority'] !== undefined ? this.header(':authority') : null
  }

  /** What `signal` would say. */
  get isAborted(): boolean {
    return isGone(this.#request, this.#response)
  }

  static signalOf(input: NodeInput): AbortSignal {
    input.#signal ??= signalOf(input.#request, input.#response)
    return input.#signal
  }
}

const SIGNAL: PropertyDescriptor = Object.freeze({
  get(this: NodeInput) {
    return NodeInput.signalOf(this)
  },
  enumerable: true,
  configurable: true,
})
