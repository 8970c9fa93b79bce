import { EntiaError, type ErrorDetails } from '@entia/core'

/** What differs in the copy, beside the message. Without `cause` the copy has none. */
interface Changes {
  readonly details?: ErrorDetails[keyof ErrorDetails]
  readonly cause?: unknown
}

/** The same error with another message. Its code and number stay, and so does its status. */
export function reworded(
  error: EntiaError,
  message: string,
  { details = error.details, cause }: Changes = {},
): EntiaError {
  return new EntiaError(
    error.code,
    details,
    { cause },
    { errCode: error.errCode, message: () => message },
  )
}
