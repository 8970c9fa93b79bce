import type {
  AnyAsyncEntity,
  AsyncEntity,
  AsyncMedia,
  EntityReference,
  HoldOutcome,
  Model,
} from '@entia/core'

// The types of `AsyncStore`, with images and BLOBs that have an address.

/** An image or BLOB on the server. */
export interface RemoteMedia extends AsyncMedia {
  /** The address of its bytes, from the server's root. */
  readonly uri: string
}
/** A related entity that was not expanded: its key. */
export type RemoteReference<K = string | number> = EntityReference<K>
/** An entity of a dataclass whose name is known only at run time. */
export type AnyRemoteEntity = AnyAsyncEntity
/**
 * A copy of an entity: stored, computed and alias values, and to-one relations as the related key.
 * To-many relations are left out: read them with `select`, or with a query of their own.
 */
export type RemoteEntity<M extends Model, N extends keyof M> = AsyncEntity<M, N, RemoteMedia>
export type LockOutcome = HoldOutcome
