import {
  addHeaders,
  byteLength,
  type RestResponse,
  type SentAnswer,
} from '../../render/serialize.ts'
import { BODILESS, BODY_REFUSALS } from '../../render/status.ts'
import { PIECE, piecesOf } from '../body/answer-budget.ts'
import type { NodeRequest } from './node-request.ts'

export interface NodeResponse {
  readonly headersSent: boolean
  readonly destroyed?: boolean
  readonly writableFinished?: boolean
  /** Null until the answers to earlier requests of the connection are sent. */
  readonly socket?: unknown
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  getHeader?(name: string): number | string | readonly string[] | undefined
  writeHead(
    status: number,
    headers: { readonly [name: string]: string | number | string[] },
  ): unknown
  write(body: string | Uint8Array): unknown
  end(body?: string | Uint8Array): unknown
  end(body: string, encoding: 'latin1'): unknown
  destroy?(): unknown
  cork?(): unknown
  uncork?(): unknown
  flushHeaders?(): unknown
}

/**
 * A body beyond the limit is discarded up to this size, so that its sender can read the answer
 * before the connection ends.
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024
const MAX_DISCARDING_MILLISECONDS = 2000

/**
 * True if the client has disconnected before the answer, or the rest of its request will never
 * arrive.
 */
export function isGone(request: NodeRequest, response: NodeResponse): boolean {
  return (
    request.aborted === true || (response.destroyed === true && response.writableFinished !== true)
  )
}

/**
 * Aborted if the client disconnects before the answer, or the rest of its request will never
 * arrive; then with the reason.
 */
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

/**
 * True for answers that need `send` on every host: an answer to a body that is still being sent,
 * and a stream.
 */
export function needsSend(answer: RestResponse, request: NodeRequest): boolean {
  return answer.stream !== undefined || isCut(answer, request)
}

/** Writes an answer, unless the client has disconnected. */
export function send(request: NodeRequest, response: NodeResponse, answer: RestResponse): void {
  const { status, body } = answer
  if (response.destroyed === true || response.headersSent) {
    void answer.stream?.[Symbol.asyncIterator]().return?.()
    answer.sent?.end()
    return
  }
  const isLast = isCut(answer, request)
  const headers = addHeaders<string | number | string[]>({}, answer.headers)
  // Nearly every answer has neither.
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
  // An answer to HEAD already has the length of the body.
  if (!BODILESS.has(status)) headers['content-length'] ??= byteLength(body)
  if (isLast) headers.connection = 'close'
  response.writeHead(status, headers)
  if (!isLast) {
    if (body.length > PIECE && response.on !== undefined) sendInPieces(response, body, answer.sent)
    // Text with as many bytes as characters is ASCII, which can be copied. UTF-8 would be encoded,
    // into three times the space.
    else if (typeof body === 'string' && headers['content-length'] === body.length)
      sendPlain(response, body)
    else response.end(body)
    return
  }
  answer.sent?.end()
  // Ending now would reset the connection while the client is still sending, and lose the answer.
  response.write(body)
  discard(request, () => {
    if (response.destroyed !== true) response.end()
  })
}

/** Texts from this length on are written separately from the headers. */
const LONG_TEXT = 8192

/**
 * Ends an answer with ASCII text. By default, node:http joins headers and body into one text first:
 * a copy that takes a third of the time of a long answer. Corked, both still leave together.
 */
function sendPlain(response: NodeResponse, body: string): void {
  const isApart =
    body.length >= LONG_TEXT && response.flushHeaders !== undefined && response.uncork !== undefined
  if (isApart) {
    response.cork?.()
    response.flushHeaders?.()
  }
  response.end(body, 'latin1')
  if (isApart) response.uncork?.()
}

/**
 * Headers that the host has also set and that must not be replaced: cookies are added, `vary` is a
 * list.
 */
export function joinedHeaders(
  { headers }: RestResponse,
  existing: (name: string) => number | string | readonly string[] | undefined,
): { readonly [name: string]: string | string[] } {
  const joined: { [name: string]: string | string[] } = {}
  const cookies = existing('set-cookie')
  if (headers['set-cookie'] !== undefined && cookies !== undefined)
    joined['set-cookie'] = [cookies, headers['set-cookie']].flat().map(String)
  const vary = existing('vary')
  if (headers.vary !== undefined && vary !== undefined)
    joined.vary = [vary, headers.vary].flat().join(', ')
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

type PiecewiseResponse = Pick<NodeResponse, 'destroyed' | 'on' | 'write' | 'end' | 'destroy'>

/** The part of `node:stream` that is used. */
interface NodeStreams {
  readonly Readable: { from(pieces: Iterable<unknown>, options: object): object }
}
interface NodeProcess {
  getBuiltinModule?(name: string): unknown
}

/**
 * A long body as a stream of Node, for frameworks whose middleware sees the body. Where Node's
 * modules cannot be had it stays as it is.
 */
export function streamInPieces(
  response: PiecewiseResponse,
  body: string | Uint8Array,
  sent: SentAnswer,
): object | string {
  const { process } = globalThis as { readonly process?: NodeProcess }
  const streams = process?.getBuiltinModule?.('node:stream') as NodeStreams | undefined
  sent.sentBy(() => response.destroy?.())
  for (const event of ['finish', 'close']) response.on?.(event, () => sent.end())
  if (streams === undefined) return body
  const pieces = piecesOf(body, { taken: () => sent.taken(), end: () => {} })
  return streams.Readable.from(pieces, { objectMode: false, highWaterMark: PIECE })
}

/**
 * Writes a long answer piece by piece, each after the client has taken the one before. `sent`
 * closes the connection of a client that takes nothing.
 */
function sendInPieces(
  response: PiecewiseResponse,
  body: string | Uint8Array,
  sent: SentAnswer | undefined,
): void {
  // The last piece counts until the client has taken it, too.
  const pieces = piecesOf(body, sent && { taken: () => sent.taken(), end: () => {} })
  let isEnded = false
  const goOn = (): void => {
    while (!isEnded && response.destroyed !== true) {
      const { done, value } = pieces.next()
      if (done === true) {
        isEnded = true
        response.end()
      } else if (response.write(value) === false) return
    }
  }
  sent?.sentBy(() => response.destroy?.())
  response.on?.('drain', goOn)
  for (const event of ['finish', 'close'])
    response.on?.(event, () => {
      isEnded = true
      sent?.end()
    })
  goOn()
}

/** How long a client may take to read the rest of a stream that the server has ended. */
const MAX_ENDING_MILLISECONDS = 2000

/**
 * Writes texts as they arrive, each after the client has taken the one before. A disconnecting
 * client ends the stream. A client that does not read when the server ends the stream is
 * disconnected: it would keep its connection for as long as it likes.
 */
export async function sendStream(
  response: PiecewiseResponse,
  stream: NonNullable<RestResponse['stream']>,
): Promise<void> {
  const texts = stream[Symbol.asyncIterator]()
  let goOn = (): void => {}
  let isEnded = false
  let isWaiting = false
  let ending: ReturnType<typeof setTimeout> | undefined
  const limitEnding = (): void => {
    if (isEnded && isWaiting)
      ending ??= setTimeout(() => response.destroy?.(), MAX_ENDING_MILLISECONDS)
  }
  stream.onEnd = () => {
    isEnded = true
    limitEnding()
  }
  response.on?.('drain', () => goOn())
  response.on?.('close', () => {
    void texts.return?.()
    goOn()
  })
  for (;;) {
    const { done, value } = await texts.next()
    if (response.destroyed === true) return
    if (done === true) break
    if (response.write(value) !== false) continue
    isWaiting = true
    limitEnding()
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
    isWaiting = false
    clearTimeout(ending)
  }
  response.end()
}
