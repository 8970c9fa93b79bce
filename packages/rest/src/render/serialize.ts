import { overLimit } from '../request/limits.ts'
import type { Reply } from './render.ts'
import { BAD_REQUEST } from './status.ts'

/** A reply as it goes out: its body is made before the status line is written, so a failure to make it can still be told. */
export interface RestResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** JSON text; bytes for the content of an image or BLOB. */
  readonly body: string | Uint8Array
  /** In the place of the body, which is empty then: text that comes bit by bit. Whoever sends it ends its iterator when the client has gone. */
  readonly stream?: AsyncIterable<string>
}

/** Throws budgetExceeded for an answer in JSON longer than `maxCharacters`. */
export function serialize({ status, headers, body }: Reply, maxCharacters: number): RestResponse {
  if (typeof body === 'string') refuseTooLong(body.length, maxCharacters)
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': status >= BAD_REQUEST ? 'no-store' : 'private, no-cache',
  }
  return { status, headers: addHeaders(all, headers), body }
}

/**
 * Adds headers to an object of one's own, and returns it; those of a name that it has replace them. Name by name: a spread of
 * headers leads to an object whose layout nobody shares, and whatever reads it takes the slow way.
 */
export function addHeaders<V>(own: { [name: string]: V }, more: { readonly [name: string]: V }): { [name: string]: V } {
  for (const name of Object.keys(more)) own[name] = more[name]!
  return own
}

/** Throws budgetExceeded. */
export function refuseTooLong(characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return
  throw overLimit('characters in the answer', 'maxAnswerCharacters', maxCharacters)
}

/** What of Node's Buffer is used where there is one: it counts without encoding. */
interface ByteCounter {
  byteLength(text: string): number
}
const counter = (globalThis as { readonly Buffer?: ByteCounter }).Buffer

/** Length of a body in bytes. */
export function byteLength(body: string | Uint8Array): number {
  if (typeof body !== 'string') return body.length
  return counter === undefined ? new TextEncoder().encode(body).length : counter.byteLength(body)
}
