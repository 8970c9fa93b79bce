import { restError } from '../../errors/rest-error.ts'
import { byteLength, type RestResponse } from '../../render/serialize.ts'
import type { RestHandler } from '../handler/rest-handler.ts'
import { isWithin } from '../input/request-origin.ts'
import { checkHandler } from './mounting.ts'
import { handleInOrder } from './node-input.ts'
import { bodyOf, type NodeRequest } from './node-request.ts'
import {
  joinedHeaders,
  type NodeResponse,
  needsSend,
  send,
  streamInPieces,
} from './node-response.ts'

/** The part of a fastify request that is used. */
export interface FastifyRequest {
  readonly raw: NodeRequest
  readonly body?: unknown
  readonly ip: string
  readonly protocol: string
}

export interface FastifyReply {
  readonly raw: NodeResponse
  code(status: number): unknown
  headers(headers: { [name: string]: string | string[] }): unknown
  getHeader(name: string): number | string | string[] | undefined
  getHeaders(): { readonly [name: string]: number | string | string[] | undefined }
  hijack(): unknown
  send(body?: Uint8Array | object | string): unknown
}

/** The part of a fastify instance that is used. */
export interface FastifyInstance {
  readonly prefix: string
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    parser: (
      request: unknown,
      payload: unknown,
      done: (error: Error | null, body?: unknown) => void,
    ) => void,
  ): unknown
  setErrorHandler(
    handler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown,
  ): unknown
  all(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown
}

/**
 * fastify 5: `app.register(toFastifyPlugin(rest))`, or with a prefix:
 * `app.register(toFastifyPlugin(rest), { prefix: '/api' })`.
 *
 * It handles the routes of its base path only. Parsers of the application do not touch its bodies,
 * and `bodyLimit` does not apply: the limits of the handler do.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify'
 * await Fastify().register(toFastifyPlugin(rest))
 * ```
 */
export function toFastifyPlugin(
  rest: RestHandler,
): (instance: FastifyInstance, options: unknown) => Promise<void> {
  checkHandler(rest)
  return async (instance) => {
    const prefix = instance.prefix.replace(/\/+$/, '')
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const url = request.raw.url ?? '/'
      return put(
        request,
        reply,
        await handleInOrder(rest, request.raw, reply.raw, {
          method: request.raw.method ?? 'GET',
          url,
          mountPath: mountPathOf(url, prefix, basesOf(rest)),
          body: isOwnStream(request) ? bodyOf(request.raw, undefined) : request.body,
          remoteAddress: request.ip,
          isSecure: request.protocol === 'https',
          context: request,
        }),
      )
    }
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    instance.setErrorHandler((error, request, reply) => {
      if (!isForeignMediaType(error)) throw error
      const mediaType = String(request.raw.headers['content-type']).slice(0, 40)
      return put(request, reply, rest.answerError(restError('mediaTypeUnsupported', { mediaType })))
    })
    for (const base of basesOf(rest)) {
      const path = isWithin(prefix, base) ? base.slice(prefix.length) : base
      instance.all(prefix + path === '' ? '/' : path, answer)
      instance.all(`${path}/*`, answer)
    }
  }
}

/** The paths that addresses of both interfaces start with. */
function basesOf({ basePath, plain }: RestHandler): readonly string[] {
  const segments = plain?.segments ?? []
  return [basePath, ...segments.map((segment) => `${plain?.basePath}/${segment}`)]
}

/** A hook of the application may have replaced the request's stream. */
function isOwnStream({ raw, body }: FastifyRequest): boolean {
  return body === undefined || body === null || body === raw
}

/** The actual path of the prefix, whose segments may be parameters. */
function mountPathOf(url: string, prefix: string, bases: readonly string[]): string {
  if (prefix === '' || bases.some((base) => base !== '' && isWithin(base, url))) return ''
  return url.split('?', 1)[0]!.split('/').slice(0, prefix.split('/').length).join('/')
}

/** Fastify refuses malformed content types before it calls a parser. */
function isForeignMediaType(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
  )
}

function put(request: FastifyRequest, reply: FastifyReply, answer: RestResponse): unknown {
  const joined = joinedHeaders(answer, (name) =>
    name === 'vary' ? reply.getHeader(name) : undefined,
  )
  if (needsSend(answer, request.raw)) {
    const own = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])
    reply.hijack()
    send(request.raw, reply.raw, {
      ...answer,
      headers: { ...Object.fromEntries(own), ...answer.headers },
    })
    return reply
  }
  const { status, headers, body, sent } = answer
  reply.code(status)
  // Fastify itself appends cookies to those that are set.
  reply.headers({ ...headers, ...joined })
  if (sent !== undefined) {
    reply.headers({ 'content-length': String(byteLength(body)) })
    reply.send(streamInPieces(reply.raw, body, sent))
    return reply
  }
  // Bytes are sent as they are; text might pass through a serializer of the application.
  reply.send(
    byteLength(body) === 0
      ? undefined
      : typeof body === 'string'
        ? new TextEncoder().encode(body)
        : body,
  )
  return reply
}
