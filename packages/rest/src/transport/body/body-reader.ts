import { EntiaError } from '@entia/core'
import type { Awaitable } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { RawBody } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import { type RequestHead, takesMedia } from '../../request/request.ts'
import type { BodyHold } from './body-budget.ts'
import { BodyPieces } from './body-pieces.ts'
import { NodeBody } from './node-body.ts'

/** The pieces of a body as hosts deliver them. */
type Chunks = AsyncIterable<Uint8Array | string> | ReadableStreamLike

/** The part of a web stream that is used, typed here so that no host's types are needed. */
export interface ReadableStreamLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | string | undefined }>
    cancel(reason?: unknown): Promise<void>
  }
}

/** Text, bytes, a stream of them, or a value that the host has parsed. */
export type BodySource = unknown

/**
 * A body that the host has consumed. It must not count as empty: without its body, a deletion may
 * reach further.
 */
export const USED_UP: BodySource = {
  [Symbol.asyncIterator]: (): never => {
    throw restError('bodyMalformed', {
      problem: 'the host has consumed it; run this handler first',
    })
  },
}

/** The largest body, and the option that sets it. */
export interface BodyBound {
  readonly maxBytes: number
  readonly option: string
}

/** The body of a request that has none. */
export const NO_BODY: RawBody = { kind: 'text', text: '', contentType: '' }

/**
 * Reads the body of a request; its limit depends on what the address expects. Throws what
 * `readBody` throws.
 */
export function readRequestBody(
  source: BodySource,
  head: RequestHead,
  header: (name: string) => string | null,
  limits: Limits,
  hold: BodyHold,
): Awaitable<RawBody> {
  const bound = takesMedia(head, header('content-type'))
    ? { maxBytes: limits.maxMediaBytes, option: 'limits.maxMediaBytes' }
    : { maxBytes: limits.maxBodyBytes, option: 'limits.maxBodyBytes' }
  return readBody(source, header, bound, hold)
}

/**
 * Reads a body to its end, within its limit and the budget of `hold`. Refuses a body as soon as it
 * is known to exceed them, and leaves the rest unread. Throws bodyTooLarge, serverBusy,
 * bodyMalformed for a truncated body.
 */
export function readBody(
  source: BodySource,
  header: (name: string) => string | null,
  bound: BodyBound,
  hold: BodyHold,
): Awaitable<RawBody> {
  const { maxBytes } = bound
  const contentType = header('content-type') ?? ''
  const encoding = header('content-encoding')
  if (encoding !== null && encoding !== '') refuseEncoding(encoding)
  if (Number(header('content-length') ?? 0) > maxBytes) throw tooLarge(bound)
  if (source === undefined || source === null) return { kind: 'text', text: '', contentType }
  if (typeof source === 'string') {
    // UTF-8 needs at most three bytes per UTF-16 code unit, so most texts need no counting.
    if (source.length * 3 > maxBytes && new TextEncoder().encode(source).length > maxBytes)
      throw tooLarge(bound)
    hold.take(source.length)
    return { kind: 'text', text: source, contentType }
  }
  if (source instanceof ArrayBuffer)
    return { kind: 'bytes', bytes: bounded(new Uint8Array(source), bound, hold), contentType }
  if (source instanceof Uint8Array)
    return { kind: 'bytes', bytes: bounded(source, bound, hold), contentType }
  const ofBytes = (bytes: Uint8Array): RawBody => ({ kind: 'bytes', bytes, contentType })
  if (source instanceof NodeBody)
    return source.read(maxBytes, () => tooLarge(bound), hold).then(ofBytes, cutOff)
  const chunks = chunksOf(source)
  if (chunks === null) return { kind: 'parsed', value: source }
  return collect(chunks, bound, hold).then(ofBytes, cutOff)
}

/** Nothing is decompressed: a small body must not become a large one. */
function refuseEncoding(encoding: string): void {
  if (encoding.toLowerCase() === 'identity') return
  throw restError('mediaTypeUnsupported', {
    encoding: encoding.slice(0, 40),
    remedy: 'Send the body as it is.',
  })
}

function tooLarge({ maxBytes, option }: BodyBound): EntiaError {
  return restError('bodyTooLarge', { limit: maxBytes, option })
}

function chunksOf(source: unknown): Chunks | null {
  if (typeof source !== 'object' || source === null) return null
  if (Symbol.asyncIterator in source) return source as AsyncIterable<Uint8Array | string>
  return 'getReader' in source && typeof source.getReader === 'function'
    ? (source as ReadableStreamLike)
    : null
}

/**
 * A refusal ends it even while a piece is awaited. A race per piece would retain memory for every
 * piece until the end.
 */
function collect(chunks: Chunks, bound: BodyBound, hold: BodyHold): Promise<Uint8Array> {
  const pieces = new BodyPieces()
  const stream = 'getReader' in chunks ? ofReader(chunks) : ofIterable(chunks)
  let isOver = false
  const readAll = async (): Promise<Uint8Array> => {
    for (;;) {
      const { done, value } = await stream.next()
      if (done === true || isOver) break
      if (value === undefined) continue
      const piece = typeof value === 'string' ? new TextEncoder().encode(value) : value
      pieces.add(piece)
      if (pieces.size > bound.maxBytes) throw tooLarge(bound)
      hold.take(piece.length)
    }
    return pieces.joined()
  }
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      isOver = true
      hold.refuse = null
      pieces.clear()
      stream.stop()
      reject(error)
    }
    hold.refuse = fail
    readAll().then((whole) => {
      hold.refuse = null
      resolve(whole)
    }, fail)
  })
}

function cutOff(cause: unknown): never {
  if (cause instanceof EntiaError) throw cause
  throw restError('bodyMalformed', { problem: 'it was cut off' }, { cause })
}

/**
 * A source of pieces that can be stopped. Stopping is not awaited: a teed stream is cancelled only
 * when every branch is.
 */
interface Pieces {
  next(): Promise<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | string | undefined
  }>
  stop(): void
}

function ofReader(stream: ReadableStreamLike): Pieces {
  const reader = stream.getReader()
  return { next: () => reader.read(), stop: () => void reader.cancel().catch(() => undefined) }
}

function ofIterable(chunks: AsyncIterable<Uint8Array | string>): Pieces {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    next: () => iterator.next(),
    stop: () => void iterator.return?.()?.catch(() => undefined),
  }
}

function bounded(bytes: Uint8Array, bound: BodyBound, hold: BodyHold): Uint8Array {
  if (bytes.length > bound.maxBytes) throw tooLarge(bound)
  hold.take(bytes.length)
  return bytes
}
