import { type EntiaError, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

/** One entry of `__ERROR`. */
export interface ErrorEntry {
  readonly message: string
  readonly componentSignature: string
  readonly errCode: number
}

/** Only the protocol's numbers carry its component; Entia's and the application's carry theirs. */
function componentOf(errCode: number): string {
  if (errCode >= 10_000) return 'app'
  return errCode >= 9_000 ? 'entia' : 'dbmg'
}

/** The protocol's list for an error: the deepest cause first, the outermost error last. */
export const errorStack = ({ errors }: EntiaError): readonly ErrorEntry[] =>
  errors.map(({ message, errCode }) => ({
    message,
    componentSignature: componentOf(errCode),
    errCode,
  }))

/** The error to report to the host: the deepest cause, which clients do not see. */
export function originOf(error: unknown): unknown {
  return isEntiaError(error) && error.cause !== undefined ? originOf(error.cause) : error
}

/** The error to show to clients: for unexpected errors, only that one occurred. */
export function publicError(error: unknown): EntiaError {
  if (isEntiaError(error)) return error
  return restError(
    'internalError',
    { problem: 'The request was not carried out.' },
    { cause: error },
  )
}
