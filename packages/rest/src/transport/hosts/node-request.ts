import { type BodySource, USED_UP } from '../body/body-reader.ts'
import { jsonOfForm } from '../body/form-body.ts'
import { NodeBody } from '../body/node-body.ts'

/** What of a node:http request is used; express, koa, fastify and connect hand over the same object. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The address before a router took its own part off. */
  readonly originalUrl?: string | undefined
  readonly httpVersionMajor?: number
  readonly httpVersionMinor?: number
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly socket?: {
    readonly remoteAddress?: string | undefined
    readonly encrypted?: boolean
    readonly destroyed?: boolean
    /** The answer under way on the connection, as node:http keeps it. */
    readonly _httpMessage?: object | null
  } | null
  /** The client's address as the host knows it, behind a proxy that it trusts. */
  readonly ip?: string | undefined
  /** Whether the client speaks TLS, as the host knows it. */
  readonly secure?: boolean | undefined
  /** A body parser's result, when one ran before. */
  readonly body?: unknown
  readonly readableEnded?: boolean
  /** All of it has arrived, read or not. */
  readonly complete?: boolean
  readonly destroyed?: boolean
  /** The client has gone, or sent something that is no request any more. */
  readonly aborted?: boolean
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  resume(): unknown
  pause(): unknown
  destroy(): unknown
}

/**
 * The body of a request: what a parser made of it, or the stream where none ran. Some parsers leave an empty object on
 * requests that they did not read: such a stream has not ended.
 */
export function bodyOf(request: NodeRequest, parsed: unknown): BodySource {
  if (isBodiless(request)) return undefined
  if (parsed !== undefined && parsed !== null && (request.readableEnded === true || !isEmptyObject(parsed)))
    return undoForm(request, parsed)
  return request.readableEnded === true ? USED_UP : new NodeBody(request)
}

/** True when nothing was sent: an empty object on such a request is a parser's invention. */
function isBodiless({ headers, httpVersionMajor }: NodeRequest): boolean {
  const length = headers['content-length']
  if (headers['transfer-encoding'] !== undefined) return false
  return length === '0' || (length === undefined && httpVersionMajor === 1)
}

function undoForm({ headers }: NodeRequest, parsed: unknown): unknown {
  if (typeof parsed !== 'object' || parsed === null || ArrayBuffer.isView(parsed)) return parsed
  return jsonOfForm(parsed, String(headers['content-type'] ?? ''), Number(headers['content-length'] ?? -1)) ?? parsed
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && Object.keys(value).length === 0
}
