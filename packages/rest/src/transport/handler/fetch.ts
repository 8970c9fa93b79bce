import type { Awaitable } from '../../engine/awaitable.ts'
import { byteLength, type RestResponse, type SentAnswer } from '../../render/serialize.ts'
import { NOT_MODIFIED } from '../../render/status.ts'
import { PIECE, piecesOf } from '../body/answer-budget.ts'
import { USED_UP } from '../body/body-reader.ts'
import type { RestInput } from '../input/rest-input.ts'

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
  const {
    status,
    headers: answered,
    body,
    stream,
    sent,
  } = await handleInput({
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
  if (stream !== undefined)
    return new Response(readableOf(stream), { status, headers: { ...answered } })
  const isBodiless = method === 'HEAD' || status === NOT_MODIFIED
  if (!isBodiless && body.length > PIECE) {
    const length = { 'content-length': String(byteLength(body)) }
    return new Response(readableInPieces(body, sent), {
      status,
      headers: { ...answered, ...length },
    })
  }
  return new Response(isBodiless ? null : (body as ArrayBuffer | string), {
    status,
    headers: { ...answered },
  })
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
