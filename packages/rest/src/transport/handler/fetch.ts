import type { Awaitable } from '../../engine/awaitable.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { NOT_MODIFIED } from '../../render/status.ts'
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
  } = await handleInput({
    method,
    url,
    headers,
    header: (name) => (name === 'host' ? host : headers.get(name)),
    context,
    body: request.bodyUsed ? USED_UP : request.body,
    isSecure: url.startsWith('https:'),
    signal,
  })
  if (stream !== undefined)
    return new Response(readableOf(stream), { status, headers: { ...answered } })
  const isBodiless = method === 'HEAD' || status === NOT_MODIFIED
  return new Response(isBodiless ? null : (body as ArrayBuffer | string), {
    status,
    headers: { ...answered },
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
