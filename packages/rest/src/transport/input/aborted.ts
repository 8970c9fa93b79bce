import { isEntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import type { RestInput } from './rest-input.ts'

/** True when the client has gone, or the rest of its request will never come. */
export const isAborted = (input: RestInput): boolean => (input.isAborted ?? input.signal?.aborted) === true

/** A client that has gone before the engine was entered gets nothing done. */
export function refuseAborted(input: RestInput): void {
  if (!isAborted(input)) return
  const reason: unknown = input.signal?.reason
  if (isEntiaError(reason)) throw reason
  throw restError('bodyMalformed', { problem: 'the request was aborted' })
}
