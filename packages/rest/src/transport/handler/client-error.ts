import { type EntiaError, isEntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import { renderError } from '../../render/render.ts'
import { type Reply, type RestResponse, serialize } from '../../render/serialize.ts'
import { originOf, publicError, statusOfError } from '../../render/status.ts'
import type { HandlerMetrics } from './request-metrics.ts'

/** A node:http request whose answer is in progress. */
export interface PendingRequest {
  readonly complete: boolean
  aborted: boolean
  emit(event: string, ...args: unknown[]): boolean
  listenerCount(event: string): number
}

/** The part of a socket that is used. */
export interface ClientErrorSocket {
  readonly writable: boolean
  readonly writableEnded?: boolean
  /** The answer in progress, as node:http keeps it. Answers to later requests wait for it. */
  readonly _httpMessage?: {
    readonly headersSent: boolean
    readonly req?: PendingRequest
    shouldKeepAlive?: boolean
    once?(event: 'close', listener: () => void): unknown
  } | null
  end(text: string): unknown
  destroy(): unknown
}
export type ClientErrorHandler = (
  error: Error & { readonly code?: string },
  socket: ClientErrorSocket,
) => void

interface WireFailure {
  readonly line: string
  readonly message: string
  readonly errCode: number
  /** The error for a request in progress that ends here. */
  readonly error: () => EntiaError
}

const cutOff = (): EntiaError =>
  restError('bodyMalformed', { problem: 'it cannot be read to its end' })

const MALFORMED: WireFailure = {
  line: '400 Bad Request',
  message: 'The request is malformed.',
  errCode: 1806,
  error: cutOff,
}
const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT'
const FAILURES: ReadonlyMap<string, WireFailure> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      line: '431 Request Header Fields Too Large',
      message: 'The address and headers of the request are too long together.',
      errCode: 9104,
      error: cutOff,
    },
  ],
  [
    TIMEOUT,
    {
      line: '408 Request Timeout',
      message: 'The request took too long to arrive.',
      errCode: 9115,
      error: () => restError('requestTimeout', {}),
    },
  ],
])

/**
 * Answers requests that the host could not parse, for which node:http would send an empty body.
 * Earlier requests on the connection are answered first, each with its own answer.
 */
export function createClientErrorHandler(): ClientErrorHandler {
  /** Connections that end after the answers in progress. */
  const ending = new WeakSet<ClientErrorSocket>()
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // Each further malformed piece raises another error.
    if (ending.has(socket)) {
      if (error.code === TIMEOUT) socket.destroy()
      return
    }
    ending.add(socket)
    conclude(socket, FAILURES.get(error.code ?? '') ?? MALFORMED)
  }
}

function conclude(socket: ClientErrorSocket, failure: WireFailure): void {
  const answer = socket._httpMessage ?? null
  if (answer === null) socket.end(answerOf(failure))
  else if (answer.req?.complete !== false)
    whenClosed(answer, socket, () => conclude(socket, failure))
  // The malformed bytes belong to the request being answered; a second answer would end up inside
  // the first.
  else if (answer.headersSent) socket.destroy()
  else if (failPending(answer.req, failure)) {
    answer.shouldKeepAlive = false
    whenClosed(answer, socket, () => socket.end(''))
  } else socket.end(answerOf(failure))
}

type PendingAnswer = NonNullable<ClientErrorSocket['_httpMessage']>

function whenClosed(answer: PendingAnswer, socket: ClientErrorSocket, next: () => void): void {
  if (answer.once === undefined) {
    socket.destroy()
    return
  }
  answer.once('close', () => {
    if (socket.writable && socket.writableEnded !== true) next()
  })
}

/**
 * Signals that the rest of a request will never arrive, as node:http does if a client disconnects.
 * The request's own answer reports what happened. Returns false if the rest is awaited without a
 * listener: nothing was done yet.
 */
function failPending(request: PendingRequest, failure: WireFailure): boolean {
  request.aborted = true
  if (request.emit('aborted', failure.error())) return true
  return request.listenerCount('data') === 0 && request.listenerCount('readable') === 0
}

function answerOf({ line, message, errCode }: WireFailure): string {
  const body = JSON.stringify({
    __ERROR: [{ message, componentSignature: errCode < 9000 ? 'dbmg' : 'entia', errCode }],
  })
  return [
    `HTTP/1.1 ${line}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

/** The failures of a handler: how clients are answered, and how the host is notified. */
export class Failures {
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #metrics: HandlerMetrics

  constructor(onError: ((error: unknown) => void) | undefined, metrics: HandlerMetrics) {
    this.#onError = onError
    this.#metrics = metrics
  }

  /**
   * Notifies the host of one failure. An arrow function, so that it can be passed on. Errors of the
   * host's callback are ignored.
   */
  readonly notify = (error: unknown): void => {
    try {
      this.#onError?.(error)
    } catch {}
  }

  /** Notifies the host of server and application errors, each origin once. */
  report(errors: readonly EntiaError[]): void {
    if (errors.length === 0) return
    const failed = errors.filter((error) => statusOfError(error) >= 500 && !isOverload(error))
    for (const origin of new Set(failed.map(originOf))) this.notify(origin)
  }

  /** The answer to a failed request. `render` writes it in the form of the request. */
  answer(error: unknown, render: (error: EntiaError) => Reply = renderError): RestResponse {
    const known = publicError(error)
    this.report([known])
    this.#metrics.refused(known)
    return serialize(render(known), Number.POSITIVE_INFINITY)
  }
}

/** An overload is not a failure of the server, and would flood the host's log. */
const isOverload = (error: EntiaError): boolean =>
  isEntiaError(error, 'serverBusy') ||
  isEntiaError(error, 'serverStopping') ||
  isEntiaError(error, 'transactionConflict')
