import { type BodySource, USED_UP } from '../body/body-reader.ts'
import { jsonOfForm } from '../body/form-body.ts'
import { NodeBody } from '../body/node-body.ts'

/**
 * The part of a node:http request that is used; express, koa, fastify and connect use the same
 * object.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The address before a router removed its prefix. */
  readonly originalUrl?: string | undefined
  readonly httpVersionMajor?: number
  readonly httpVersionMinor?: number
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly socket?: {
    readonly remoteAddress?: string | undefined
    readonly encrypted?: boolean
    readonly destroyed?: boolean
    /** The answer in progress on the connection, as node:http keeps it. */
    readonly _httpMessage?: object | null
  } | null
  /** The client's address as the host knows it, behind a trusted proxy. */
  readonly ip?: string | undefined
  /** Whether the client uses TLS, as the host knows it. */
  readonly secure?: boolean | undefined
  /** The result of a body parser that ran before. */
  readonly body?: unknown
  readonly readableEnded?: boolean
  /** True if the whole request has arrived, read or not. */
  readonly complete?: boolean
  readonly destroyed?: boolean
  /** True if the client has disconnected, or sent malformed bytes. */
  readonly aborted?: boolean
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  resume(): unknown
  pause(): unknown
  destroy(): unknown
}

/**
 * The body of a request: the result of a parser, or the stream if none ran. Some parsers set an
 * empty object on requests that they did not read; such a stream has not ended.
 */
export function bodyOf(request: NodeRequest, parsed: unknown): BodySource {
  if (isBodiless(request)) return undefined
  if (
    parsed !== undefined &&
    parsed !== null &&
    (request.readableEnded === true || !isEmptyObject(parsed))
  )
    return undoForm(request, parsed)
  return request.readableEnded === true ? USED_UP : new NodeBody(request)
}

/** True if there is no body; a parser's empty object then means nothing. */
function isBodiless({ headers, httpVersionMajor }: NodeRequest): boolean {
  const length = headers['content-length']
  if (headers['transfer-encoding'] !== undefined) return false
  return length === '0' || (length === undefined && httpVersionMajor === 1)
}

function undoForm({ headers }: NodeRequest, parsed: unknown): unknown {
  if (typeof parsed !== 'object' || parsed === null || ArrayBuffer.isView(parsed)) return parsed
  return (
    jsonOfForm(
      parsed,
      String(headers['content-type'] ?? ''),
      Number(headers['content-length'] ?? -1),
    ) ?? parsed
  )
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !ArrayBuffer.isView(value) &&
    Object.keys(value).length === 0
  )
}
