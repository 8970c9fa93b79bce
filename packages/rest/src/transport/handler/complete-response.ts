import { type Awaitable, isPromise } from '../../engine/awaitable.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { byteLength } from '../../render/serialize.ts'
import { NOT_MODIFIED } from '../../render/status.ts'
import type { Limits } from '../../request/limits.ts'
import type { RequestHead } from '../../request/request.ts'
import { type AnswerHold, PIECE } from '../body/answer-budget.ts'
import type { RestInput } from '../input/rest-input.ts'
import { streamed } from '../live/live-streams.ts'
import type { CookieSession } from '../session/cookie-session.ts'
import type { IdentifiedSession } from '../session/identified-session.ts'

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
 * response to HEAD has the length of the body and no body.
 */
export function completed(
  response: RestResponse,
  method: string,
  cookie: Headers | null,
  cors: Headers | null,
): RestResponse {
  const { status, headers: own, body, stream } = response
  const headers = cookie === null && cors === null ? own : { ...own, ...cookie, ...cors }
  if (stream !== undefined) return streamed({ status, headers, body, stream }, method)
  if (method.toUpperCase() !== 'HEAD' || status === NOT_MODIFIED)
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
