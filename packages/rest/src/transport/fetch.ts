import type { Awaitable } from '../door/awaitable.ts'
import type { RestResponse } from '../render/serialize.ts'
import { NOT_MODIFIED } from '../render/status.ts'
import { USED_UP } from './body-reader.ts'
import type { RestInput } from './rest-input.ts'

/** Answers a web request. The promise never rejects. */
export async function answerFetch(
  request: Request,
  handleInput: (input: RestInput) => Awaitable<RestResponse>,
): Promise<Response> {
  const { method, headers, signal } = request
  // A fragment is for the client alone; in a Request it may still be there.
  const url = request.url.split('#', 1)[0]!
  const host = headers.get('host') ?? /^[^:]+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  const {
    status,
    headers: answered,
    body,
  } = await handleInput({
    method,
    url,
    headers: { get: (name: string) => (name === 'host' ? host : headers.get(name)) },
    body: request.bodyUsed ? USED_UP : request.body,
    isSecure: url.startsWith('https:'),
    signal,
  })
  const isBodiless = method === 'HEAD' || status === NOT_MODIFIED
  return new Response(isBodiless ? null : (body as ArrayBuffer | string), { status, headers: { ...answered } })
}
