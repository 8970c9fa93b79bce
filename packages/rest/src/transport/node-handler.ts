import { byteLength } from '../render/serialize.ts'
import type { RestHandler } from './rest-handler.ts'

/** What of a node:http request is used; express, connect and others hand over the same object with more on it. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The address before a router took its own part off. */
  readonly originalUrl?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly socket?: { readonly remoteAddress?: string | undefined } | null
  /** A body parser's result, when one ran before. */
  readonly body?: unknown
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  resume(): unknown
  pause(): unknown
  destroy(): unknown
}

export interface NodeResponse {
  readonly headersSent: boolean
  readonly destroyed?: boolean
  writeHead(status: number, headers: { readonly [name: string]: string | number }): unknown
  write(body: string | Uint8Array): unknown
  end(body?: string | Uint8Array): unknown
}

/** A body beyond the limit is discarded up to this much, so that its sender can read why before the connection ends. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024
const MAX_DISCARDING_MILLISECONDS = 2000

/** node:http, and with it express and connect. Failures of the host's own streams go to `next` where there is one. */
export function toNodeHandler(
  rest: RestHandler,
): (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const abort = new AbortController()
      request.on('aborted', () => abort.abort())
      const answer = await rest.handle({
        method: request.method ?? 'GET',
        url: request.originalUrl ?? request.url ?? '/',
        headers: request.headers,
        body: bodyOf(request),
        ...(request.socket?.remoteAddress === undefined ? {} : { remoteAddress: request.socket.remoteAddress }),
        signal: abort.signal,
      })
      send(request, response, answer)
    } catch (error) {
      if (next === undefined) throw error
      next(error)
    }
  }
}

function send(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, body }: { readonly status: number; readonly headers: object; readonly body: string | Uint8Array },
): void {
  if (response.destroyed === true || response.headersSent) return
  const isCut = status === 413
  response.writeHead(status, {
    'content-length': byteLength(body),
    // An answer to HEAD says how long the body would have been.
    ...headers,
    ...(isCut ? { connection: 'close' } : {}),
  })
  if (!isCut) {
    response.end(body)
    return
  }
  // Ending now would reset the connection under a client that is still sending, and the answer would be lost.
  response.write(body)
  discard(request, () => response.end())
}

function discard(request: NodeRequest, done: () => void): void {
  let discarded = 0
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    done()
  }
  const timer = setTimeout(finish, MAX_DISCARDING_MILLISECONDS)
  request.on('data', (chunk) => {
    discarded += chunk instanceof Uint8Array ? chunk.length : 0
    if (discarded > MAX_DISCARDED_BYTES) finish()
  })
  for (const event of ['end', 'close', 'error']) request.on(event, finish)
  request.resume()
}

/**
 * A parser's result, or the stream where none ran. Some parsers leave an empty object on requests that they did not
 * read: such a stream has not ended.
 */
function bodyOf(request: NodeRequest): unknown {
  const { body } = request
  if (body !== undefined && (request.readableEnded === true || !isEmptyObject(body))) return body
  if (request.readableEnded === true) return undefined
  return { [Symbol.asyncIterator]: () => chunksOf(request) }
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && Object.keys(value).length === 0
}

/** The chunks of a request. Leaving the loop early pauses it and keeps the connection, unlike its own iterator. */
async function* chunksOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let state: 'open' | 'ended' | 'failed' = 'open'
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
  const onFailure = (): void => {
    if (state === 'open') state = 'failed'
    wake()
  }
  const listeners = [
    ['data', onData],
    ['end', onEnd],
    ['error', onFailure],
    ['close', onFailure],
  ] as const
  for (const [event, listener] of listeners) request.on(event, listener)
  try {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk !== undefined) yield chunk
      else if ((state as string) === 'ended') return
      else if ((state as string) === 'failed') throw new Error('The request was cut off.')
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
