/** One of the errors that a response lists. */
export interface ErrorEntry {
  readonly message: string
  readonly componentSignature: string
  readonly errCode: number
}

/**
 * A request that the server refused or did not answer. The message is the deepest one that the
 * server gave. `status` is 0 if there was no response.
 */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** The HTTP status. */
  readonly status: number
  /**
   * Code of the deepest error: 1542 for a missing entity, 1802 for an expired entity set. Null if
   * there is none.
   */
  readonly errCode: number | null
  readonly errors: readonly ErrorEntry[]

  constructor(
    status: number,
    message: string,
    errors: readonly ErrorEntry[] = [],
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.errors = errors
    this.errCode = errors[0]?.errCode ?? null
  }
}
