import { type Awaitable, isPromise } from '@entia/engine'
import { byteLength, type RestResponse, type SentAnswer } from '../../render/serialize.ts'
import { BODILESS } from '../../render/status.ts'
import type { Limits } from '../../request/limits.ts'
import type { RequestHead } from '../../request/request.ts'
import { type AnswerHold, PIECE, piecesOf } from '../body/answer-budget.ts'
import { USED_UP } from '../body/body-reader.ts'
import type { RestInput } from '../input/rest-input.ts'
import { streamed } from '../live/live-streams.ts'
import type { CookieSession } from '../session/cookie-session.ts'
import type { IdentifiedSession } from '../session/identity.ts'

/** Answers a web request. The promise never rejects. */
export async function answerFetch(
  request: Request,
  context: unknown,
  handleInput: (input: RestInput) => Awaitable<RestResponse>,
): Promise<Response> {
  const { method, headers, signal } = request
  // A fragment is for the client alone, but a Request may contain it.
  const url = request.url.split('#', 1)[0]!
  const host = headers.get('host') ?? /^[^:]+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  const answer = await handleInput({
    method,
    url,
    headers,
    header: (name) => (name === 'host' ? host : headers.get(name)),
    context,
    body: request.bodyUsed ? USED_UP : request.body,
    isSecure: url.startsWith('https:'),
    signal,
    reportsSending: true,
  })
  const { status, body, stream, sent } = answer
  const init = { status, headers: { ...answer.headers } }
  if (stream !== undefined) return new Response(readableOf(stream), init)
  const isBodiless = method === 'HEAD' || BODILESS.has(status)
  if (isBodiless || body.length <= PIECE)
    return new Response(isBodiless ? null : (body as ArrayBuffer | string), init)
  init.headers['content-length'] = String(byteLength(body))
  return new Response(readableInPieces(body, sent), init)
}

/** A long body as a stream of bytes. Each piece is encoded when the one before was taken. */
function readableInPieces(
  body: string | Uint8Array,
  sent: SentAnswer | undefined,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(body, sent)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start(controller) {
      sent?.sentBy(() => {
        pieces.return()
        controller.error(new Error('The client has taken nothing of the answer for too long.'))
      })
    },
    pull(controller) {
      const { done, value } = pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value.slice())
    },
    cancel() {
      sent?.end()
      pieces.return()
    },
  })
}

/** Text as a stream of bytes, pulled piece by piece. */
function readableOf(stream: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}

/**
 * Ends the session that a failed request opened. A session that cannot be closed expires by itself:
 * the host is notified, and the answer is sent all the same.
 */
export function abandon(
  session: CookieSession | IdentifiedSession,
  notify: (error: unknown) => void,
): Awaitable<void> {
  try {
    const abandoned = session.abandon()
    return isPromise(abandoned) ? abandoned.catch(notify) : abandoned
  } catch (error) {
    return notify(error)
  }
}

type Headers = { readonly [name: string]: string }

/**
 * The response with the headers of the session (`cookie`) and of the request's origin (`cors`). A
 * response to HEAD has the length of the body and no body. `method` is in upper case.
 */
export function completed(
  response: RestResponse,
  method: string,
  cookie: Headers | null,
  others: Headers | null,
): RestResponse {
  const { status, headers: own, body, stream } = response
  const headers = cookie === null && others === null ? own : { ...own, ...cookie, ...others }
  if (stream !== undefined) return streamed({ status, headers, body, stream }, method)
  if (method !== 'HEAD' || BODILESS.has(status))
    return headers === own ? response : { status, headers, body }
  return { status, headers: { ...headers, 'content-length': String(byteLength(body)) }, body: '' }
}

/** Answers to writes have no maximum length. An entity set that was kept can be read again. */
export function maxCharacters(head: RequestHead, limits: Limits): number {
  return head.changesState && head.action !== 'retrieve'
    ? Number.POSITIVE_INFINITY
    : limits.maxAnswerCharacters
}

/** The bytes of a body in memory: at most two for each character of a text. */
export const memoryOf = (body: string | Uint8Array): number =>
  typeof body === 'string' && byteLength(body) > body.length ? 2 * body.length : body.length

/**
 * The response with its hold, which the host ends once it is sent. The hold of a short answer, or
 * of a host that does not report the end, is released here.
 */
export function handedOver(
  response: RestResponse,
  hold: AnswerHold,
  { reportsSending }: RestInput,
): RestResponse {
  if (reportsSending !== true || response.body.length <= PIECE) {
    hold.end()
    return response
  }
  hold.sentBy(() => {})
  return { ...response, sent: hold }
}
