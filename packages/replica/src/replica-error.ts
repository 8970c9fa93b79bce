/** What a replica refuses. */
export type ReplicaErrorCode =
  /** A query asks for more than the shapes hold. */
  | 'notReplicated'
  /** A new entity has no key that is final: no whole number is leased. */
  | 'keysUsedUp'
  /** The server leases no keys, for example without the permission to create entities. */
  | 'leaseRefused'
  /** A change was not made by `replica.transact`. */
  | 'notByTransact'
  /** The server, or the tab with the stream, has other definitions than this replica. */
  | 'modelDiffers'
  /** What is here belongs to another user, whose changes wait. */
  | 'anotherUser'
  /** Changes wait for the server. */
  | 'batchesWait'

/** An error of a replica itself. The message says what is wrong and what to do. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError'
  readonly code: ReplicaErrorCode

  constructor(code: ReplicaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Why a tab cannot follow the one with the stream. */
export const heldByOther = (options?: ErrorOptions): ReplicaError =>
  new ReplicaError(
    'modelDiffers',
    'Another tab holds this replica with other definitions, as before or after an update of the page. Reload both tabs, or close the other one.',
    options,
  )
