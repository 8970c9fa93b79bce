import { refuseOver } from '../request/limits.ts'
import { BAD_REQUEST } from './status.ts'

/** A rendered answer. */
export interface Reply {
  readonly status: number
  /** Headers beyond those of every answer. A content type here replaces that of JSON. */
  readonly headers: { readonly [name: string]: string }
  /** JSON text, or the bytes of an image or BLOB. */
  readonly body: string | Uint8Array
}

/** What a host reports while it sends a long answer. */
export interface SentAnswer {
  /** Call it first. `close` ends the connection of a client that takes nothing. */
  sentBy(close: () => void): void
  /** The client has taken a piece. */
  taken(): void
  /** The answer is sent, or its client has disconnected. */
  end(): void
}

/**
 * A response. Its body is rendered before the status line is written, so that a failure can still
 * be reported.
 */
export interface RestResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** JSON text, or the bytes of an image or BLOB. */
  readonly body: string | Uint8Array
  /**
   * In place of the body, which is then empty: text that arrives piece by piece. The sender must
   * end its iterator if the client disconnects. It may set `onEnd`, which is called when the server
   * ends the stream, also while the client takes nothing.
   */
  readonly stream?: AsyncIterable<string> & { onEnd?: () => void }
  /** Of a long body, for a host that reports how it is sent (`reportsSending` of its input). */
  readonly sent?: SentAnswer
}

/** Throws budgetExceeded for JSON longer than `maxCharacters`. */
export function serialize({ status, headers, body }: Reply, maxCharacters: number): RestResponse {
  if (typeof body === 'string' && body.length > maxCharacters)
    refuseTooLong(body.length, maxCharacters)
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': status >= BAD_REQUEST ? 'no-store' : 'private, no-cache',
  }
  return { status, headers: addHeaders(all, headers), body }
}

/**
 * Adds headers to an object and returns it, replacing those of the same name. Name by name:
 * spreading headers would create objects with hidden classes of their own, which are slow to read.
 */
export function addHeaders<V>(
  own: { [name: string]: V },
  more: { readonly [name: string]: V },
): { [name: string]: V } {
  for (const name of Object.keys(more)) own[name] = more[name]!
  return own
}

/** Throws budgetExceeded. */
export function refuseTooLong(characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return
  const limits = { maxAnswerCharacters: maxCharacters }
  refuseOver(characters, 'characters in the answer', 'maxAnswerCharacters', limits)
}

/** The part of Node's Buffer that is used if present: it counts bytes without encoding. */
interface ByteCounter {
  byteLength(text: string): number
}
const counter = (globalThis as { readonly Buffer?: ByteCounter }).Buffer

/** The length of a body in bytes. */
export function byteLength(body: string | Uint8Array): number {
  if (typeof body !== 'string') return body.length
  return counter === undefined ? new TextEncoder().encode(body).length : counter.byteLength(body)
}
