import { addHeaders, byteLength, type RestResponse } from '../../render/serialize.ts'
import { BODY_REFUSALS, NOT_MODIFIED } from '../../render/status.ts'
import type { NodeRequest } from './node-request.ts'
import { PIECE, sendInPieces } from './send-in-pieces.ts'
import { sendStream } from './send-stream.ts'

export interface NodeResponse {
  readonly headersSent: boolean
  readonly destroyed?: boolean
  readonly writableFinished?: boolean
  /** Null before the answers to earlier requests of the connection are out. */
  readonly socket?: unknown
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  getHeader?(name: string): number | string | readonly string[] | undefined
  writeHead(status: number, headers: { readonly [name: string]: string | number | string[] }): unknown
  write(body: string | Uint8Array): unknown
  end(body?: string | Uint8Array): unknown
  end(body: string, encoding: 'latin1'): unknown
  destroy?(): unknown
  cork?(): unknown
  uncork?(): unknown
  flushHeaders?(): unknown
}

/** A body beyond the limit is discarded up to this much, so that its sender can read why before the connection ends. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024
const MAX_DISCARDING_MILLISECONDS = 2000

/** True for a client that has gone before it was answered, and for one the rest of whose request will never come. */
export function isGone(request: NodeRequest, response: NodeResponse): boolean {
  return request.aborted === true || (response.destroyed === true && response.writableFinished !== true)
}

/** Aborted when the client has gone before it was answered, or the rest of its request will never come; then with the reason. */
export function signalOf(request: NodeRequest, response: NodeResponse): AbortSignal {
  const abort = new AbortController()
  request.on('aborted', (reason) => abort.abort(reason))
  if (isGone(request, response)) abort.abort()
  response.on?.('close', () => {
    if (response.writableFinished !== true) abort.abort()
  })
  return abort.signal
}

/** True for the answer to a body that is still being sent. */
function isCut({ status }: RestResponse, request: NodeRequest): boolean {
  return BODY_REFUSALS.has(status) && request.readableEnded !== true && request.complete !== true
}

/** True for what needs `send`, whatever the host: an answer to a body that is still being sent, and a stream. */
export function needsSend(answer: RestResponse, request: NodeRequest): boolean {
  return answer.stream !== undefined || isCut(answer, request)
}

/** Writes an answer. Nothing is written to a client that has gone. */
export function send(request: NodeRequest, response: NodeResponse, answer: RestResponse): void {
  const { status, body } = answer
  if (response.destroyed === true || response.headersSent) {
    void answer.stream?.[Symbol.asyncIterator]().return?.()
    return
  }
  const isLast = isCut(answer, request)
  const headers = addHeaders<string | number | string[]>({}, answer.headers)
  // What nearly every answer has neither of.
  if (headers['set-cookie'] !== undefined || headers.vary !== undefined)
    Object.assign(
      headers,
      joinedHeaders(answer, (name) => response.getHeader?.(name)),
    )
  if (answer.stream !== undefined) {
    response.writeHead(status, headers)
    sendStream(response, answer.stream)
    return
  }
  // An answer to HEAD says already how long the body would have been.
  if (status !== NOT_MODIFIED) headers['content-length'] ??= byteLength(body)
  if (isLast) headers.connection = 'close'
  response.writeHead(status, headers)
  if (!isLast) {
    if (typeof body === 'string' && body.length > PIECE && response.on !== undefined) sendInPieces(response, body)
    // Text of as many bytes as characters is ASCII: it is copied, where UTF-8 would be encoded, into three times the room.
    else if (typeof body === 'string' && headers['content-length'] === body.length) sendPlain(response, body)
    else response.end(body)
    return
  }
  // Ending now would reset the connection under a client that is still sending, and the answer would be lost.
  response.write(body)
  discard(request, () => {
    if (response.destroyed !== true) response.end()
  })
}

/** Texts from this length on are not put behind the headers, but written beside them. */
const LONG_TEXT = 8192

/**
 * Ends an answer with text of ASCII. Left to itself, node:http joins headers and body into one text first: a second copy of a long
 * one, which takes a third of the whole answer. Corked, the two still leave together.
 */
function sendPlain(response: NodeResponse, body: string): void {
  const isApart = body.length >= LONG_TEXT && response.flushHeaders !== undefined && response.uncork !== undefined
  if (isApart) {
    response.cork?.()
    response.flushHeaders?.()
  }
  response.end(body, 'latin1')
  if (isApart) response.uncork?.()
}

/** Headers that the host has set too and that ours must not replace: cookies stand beside each other, `vary` is a list. */
export function joinedHeaders(
  { headers }: RestResponse,
  existing: (name: string) => number | string | readonly string[] | undefined,
): { readonly [name: string]: string | string[] } {
  const joined: { [name: string]: string | string[] } = {}
  const cookies = existing('set-cookie')
  if (headers['set-cookie'] !== undefined && cookies !== undefined)
    joined['set-cookie'] = [cookies, headers['set-cookie']].flat().map(String)
  const vary = existing('vary')
  if (headers.vary !== undefined && vary !== undefined) joined.vary = [vary, headers.vary].flat().join(', ')
  return joined
}

function discard(request: NodeRequest, done: () => void): void {
  let discarded = 0
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    done()
  }
  const timer = setTimeout(finish, MAX_DISCARDING_MILLISECONDS)
  request.on('data', (chunk) => {
    discarded += chunk instanceof Uint8Array ? chunk.length : 0
    if (discarded > MAX_DISCARDED_BYTES) finish()
  })
  for (const event of ['end', 'close', 'error']) request.on(event, finish)
  request.resume()
}
