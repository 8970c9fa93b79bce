import type { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'

/** A request of node:http whose answer is under way. */
export interface PendingRequest {
  readonly complete: boolean
  aborted: boolean
  emit(event: string, ...args: unknown[]): boolean
  listenerCount(event: string): number
}

/** What of a socket is used. */
export interface ClientErrorSocket {
  readonly writable: boolean
  readonly writableEnded?: boolean
  /** The answer under way, as node:http keeps it: those to later requests stand in line behind it. */
  readonly _httpMessage?: {
    readonly headersSent: boolean
    readonly req?: PendingRequest
    shouldKeepAlive?: boolean
    once?(event: 'close', listener: () => void): unknown
  } | null
  end(text: string): unknown
  destroy(): unknown
}
export type ClientErrorHandler = (error: Error & { readonly code?: string }, socket: ClientErrorSocket) => void

interface WireFailure {
  readonly line: string
  readonly message: string
  readonly errCode: number
  /** For a request that is being carried out, and whose end this is. */
  readonly error: () => EntiaError
}

const cutOff = (): EntiaError => restError('bodyMalformed', { problem: 'it cannot be read to its end' })

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
 * Answers what the host could not even parse: alone, node:http would send an empty body. Requests before it on the same
 * connection are answered first, as what became of them, and no other answer stands in their place.
 */
export function createClientErrorHandler(): ClientErrorHandler {
  /** Connections that end when all that is under way on them is answered. */
  const ending = new WeakSet<ClientErrorSocket>()
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // Every further piece of nonsense is an error of its own.
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
  else if (answer.req?.complete !== false) whenClosed(answer, socket, () => conclude(socket, failure))
  // The nonsense is the end of the request that is being answered: a second answer would stand in the middle of that one.
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
 * Lets whoever carries out a request know that the rest of it will never come, as node:http does when a client goes: its answer
 * says what became of it. False where somebody waits for that rest and does not listen: nothing was done yet.
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
