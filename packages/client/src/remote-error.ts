/** One of the errors that an answer lists. */
export interface ErrorEntry {
  readonly message: string
  readonly componentSignature: string
  readonly errCode: number
}

/**
 * A request that was refused, or could not be answered. The message is the deepest one the server gave; `status` is 0 where there was no answer.
 */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** Of HTTP. */
  readonly status: number
  /** Of the deepest error: 1542 for an entity that is not there, 1802 for an entity set that is gone. Null where the answer names none. */
  readonly errCode: number | null
  readonly errors: readonly ErrorEntry[]

  constructor(status: number, message: string, errors: readonly ErrorEntry[] = [], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.errors = errors
    this.errCode = errors[0]?.errCode ?? null
  }
}
