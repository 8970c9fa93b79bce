import { type BodySource, USED_UP } from './body-reader.ts'
import { jsonOfForm } from './form-body.ts'

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
  return request.readableEnded === true ? USED_UP : { [Symbol.asyncIterator]: () => chunksOf(request) }
}

/** True when nothing was sent: an empty object on such a request is a parser's invention. */
export function isBodiless({ headers, httpVersionMajor }: NodeRequest): boolean {
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

/** The chunks of a request. Leaving the loop early pauses it and keeps the connection, unlike its own iterator. */
async function* chunksOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let state: 'open' | 'ended' | 'failed' = request.aborted === true ? 'failed' : 'open'
  let reason: unknown
  let wake: () => void = () => undefined
  const onData = (chunk: unknown): void => {
    // A host that set an encoding hands over text.
    chunks.push(chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk)))
    wake()
  }
  const onEnd = (): void => {
    state = 'ended'
    wake()
  }
  const onFailure = (why?: unknown): void => {
    if (state === 'open') state = 'failed'
    reason ??= why
    wake()
  }
  const listeners = [
    ['data', onData],
    ['end', onEnd],
    ['aborted', onFailure],
    ['error', onFailure],
    ['close', onFailure],
  ] as const
  for (const [event, listener] of listeners) request.on(event, listener)
  try {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk !== undefined) yield chunk
      else if ((state as string) === 'ended') return
      else if ((state as string) === 'failed') throw reason ?? new Error('The request was cut off.')
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    request.pause()
    for (const [event, listener] of listeners) request.off(event, listener)
  }
}
