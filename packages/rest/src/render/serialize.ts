import { EntiaError } from '@entia/core'
import type { JsonReply } from './render.ts'

/** A reply as it goes out: its text is made before the status line is written, so a failure to make it can still be told. */
export interface RestResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Throws budgetExceeded for an answer longer than `maxCharacters`. */
export function serialize({ status, headers, text }: JsonReply, maxCharacters: number): RestResponse {
  if (text.length > maxCharacters)
    throw new EntiaError('budgetExceeded', {
      what: 'characters in the answer',
      limit: maxCharacters,
      option: 'limits.maxAnswerCharacters',
    })
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': status >= 400 ? 'no-store' : 'private, no-cache',
      ...headers,
    },
    body: text,
  }
}
