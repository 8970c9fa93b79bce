import { byteLength, type RestResponse } from '../../render/serialize.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import { checkHandler, placeOf } from './mounting.ts'
import { handleInOrder } from './node-input.ts'
import { bodyOf, type NodeRequest } from './node-request.ts'
import {
  joinedHeaders,
  type NodeResponse,
  needsSend,
  send,
  streamInPieces,
} from './node-response.ts'

/** The part of a koa context that is used. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly res: NodeResponse
  /** The result of a body parser: the value and, with most parsers, its text. */
  readonly request: { readonly body?: unknown; readonly rawBody?: unknown }
  readonly method: string
  readonly url: string
  readonly originalUrl: string
  readonly ip: string
  readonly secure: boolean
  status: number
  body: unknown
  respond?: boolean | undefined
  set(headers: { [name: string]: string | string[] }): unknown
}

/**
 * koa 2 and 3: `app.use(toKoaMiddleware(rest))`, with or without a body parser before it.
 *
 * Addresses outside the base path are passed to the next middleware. The answer is set on the
 * context, so that outer middleware sees it.
 *
 * @example
 * ```ts
 * import Koa from 'koa'
 * new Koa().use(toKoaMiddleware(rest)).listen(8080)
 * ```
 */
export function toKoaMiddleware(
  rest: RestHandler,
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  checkHandler(rest)
  return async (context, next) => {
    const { req, res, request } = context
    const place = placeOf(rest, context.url, context.originalUrl)
    if (place === null) {
      await next()
      return
    }
    let answer: RestResponse
    try {
      answer = await handleInOrder(rest, req, res, {
        method: context.method,
        ...place,
        body: bodyOf(req, typeof request.rawBody === 'string' ? request.rawBody : request.body),
        remoteAddress: context.ip,
        isSecure: context.secure,
        context,
      })
    } catch (error) {
      answer = rest.answerError(error)
    }
    if (needsSend(answer, req)) {
      context.respond = false
      send(req, res, answer)
    } else put(context, answer)
  }
}

/** The body is set first: koa derives headers from it, which ours replace. */
function put(context: KoaContext, answer: RestResponse): void {
  const { status, headers, body } = answer
  context.status = status
  const { sent } = answer
  const length = sent === undefined ? {} : { 'content-length': String(byteLength(body)) }
  if (sent !== undefined) context.body = streamInPieces(context.res, body, sent)
  else
    context.body =
      typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  context.set({
    ...length,
    ...headers,
    ...joinedHeaders(answer, (name) => context.res.getHeader?.(name)),
  })
}
