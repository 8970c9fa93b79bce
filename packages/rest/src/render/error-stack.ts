import { type EntiaError, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

/** One entry of `__ERROR`. */
export interface ErrorEntry {
  readonly message: string
  readonly componentSignature: string
  readonly errCode: number
}

/** Only the protocol's own numbers carry its component; what is ours or the application's says so. */
function componentOf(errCode: number): string {
  if (errCode >= 10_000) return 'app'
  return errCode >= 9_000 ? 'entia' : 'dbmg'
}

/** An error as the protocol lists it: the deepest cause first, the failure of the whole last. */
export function errorStack(error: EntiaError): readonly ErrorEntry[] {
  const entries: ErrorEntry[] = []
  if (isEntiaError(error.cause)) entries.push(...errorStack(error.cause))
  // A failed validation lists every rule that was broken, not only the first.
  if (isEntiaError(error, 'validationFailed'))
    for (const failure of error.details.failures) entries.push(...errorStack(failure))
  entries.push({
    message: error.message,
    componentSignature: componentOf(error.errCode),
    errCode: error.errCode,
  })
  return entries
}

/** What the host is told of a failure: the error at its bottom, which clients are not shown. */
export function originOf(error: unknown): unknown {
  return isEntiaError(error) && error.cause !== undefined ? originOf(error.cause) : error
}

/** What the world may know of an error that is ours: nothing but that it happened. */
export function publicError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return restError('internalError', { problem: 'The request was not carried out.' }, { cause: error })
}
