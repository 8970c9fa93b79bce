import type { ErrorEntry as CoreEntry, StoreError } from '@entia/core'

/** One of the errors that a response lists. */
export interface ErrorEntry extends CoreEntry {
  readonly componentSignature: string
}

/**
 * Errors in which the server wraps those of its store: of saves and removals, of an entity that
 * cannot be loaded, and of lists of attributes, expansions and orders.
 */
const WRAPPERS: ReadonlySet<number> = new Set([1046, 1517, 1518, 1534, 1543, 1804, 1805, 1810])

/** The error that the store threw: the outermost one that the server did not add. */
export const storeEntry = (errors: readonly ErrorEntry[]): ErrorEntry | undefined =>
  errors.filter(({ errCode }) => !WRAPPERS.has(errCode)).at(-1) ?? errors[0]

/**
 * A request that the server refused or did not answer. Message and `errCode` are those of the error
 * that the server's store threw, as in the process: a refused filter shows its text and the place.
 */
export class RemoteError extends Error implements StoreError {
  override readonly name = 'RemoteError'
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** 1542 for a missing entity, 1802 for an expired entity set. Null if there is none. */
  readonly errCode: number | null
  /** All errors of the response, the deepest cause first. */
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
    this.errCode = storeEntry(errors)?.errCode ?? null
  }
}

/** Statuses worth another attempt: no answer, too many requests, or a server that is starting. */
const RETRY_STATUSES: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])
export const isUnavailable = (status: number): boolean => RETRY_STATUSES.has(status)
