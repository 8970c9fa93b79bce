import type {
  AttributesOf,
  AttributeValue,
  EntityMarks,
  KeyOf,
  Media,
  Model,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  Untyped,
} from '@entia/core'

/** An image or BLOB on the server. */
export interface RemoteMedia {
  /** The address of its bytes, from the server's root. */
  readonly uri: string
}
/** A related entity that was not expanded: its key. */
export interface RemoteReference {
  readonly key: string | number
}

/**
 * The type of a value as the client receives it: media by their address, related entities by their
 * key.
 */
export type Arrived<V> = V extends Media
  ? RemoteMedia
  : V extends EntityMarks
    ? RemoteReference
    : V extends readonly (infer E)[]
      ? readonly Arrived<E>[]
      : V extends object
        ? { readonly [K in keyof V]: Arrived<V[K]> }
        : V

/** An entity of a dataclass whose name is known only at run time. */
export interface AnyRemoteEntity extends EntityMarks {
  readonly [name: string]: Untyped
}

/**
 * A copy of an entity: stored, computed and alias values, and to-one relations as the related key.
 * To-many relations are left out: read them with `select`, or with a query of their own.
 */
export type RemoteEntity<M extends Model, N extends keyof M> = string extends
  | N
  | keyof AttributesOf<M, N>
  ? AnyRemoteEntity
  : Omit<EntityMarks<KeyOf<AttributesOf<M, N>>>, keyof AttributesOf<M, N>> & {
      readonly [K in keyof AttributesOf<M, N> as AttributesOf<
        M,
        N
      >[K] extends RelatedEntitiesDefinition<string, string>
        ? never
        : K]: AttributesOf<M, N>[K] extends RelatedEntityDefinition<string, Untyped>
        ? RemoteReference | Extract<AttributeValue<M, N, K>, null>
        : Arrived<AttributeValue<M, N, K>>
    }

/** The holder of a lock, as the server knows it. */
export interface LockHolder {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** The result of changing an entity. */
export type SaveOutcome<E> =
  | { readonly kind: 'saved'; readonly entity: E }
  | StampChanged<E>
  | Locked
  | Absent
  | { readonly kind: 'refused'; readonly message: string; readonly errors: readonly RefusalEntry[] }
export type RemoveOutcome =
  | { readonly kind: 'removed' }
  | Locked
  | Absent
  | { readonly kind: 'refused'; readonly message: string }
export type LockOutcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'alreadyLocked'; readonly holder: LockHolder }
  | Absent

/** The entity was saved since it was read; `current` is its state now. */
export interface StampChanged<E> {
  readonly kind: 'stampChanged'
  readonly current: E
}
/** Another session holds the lock. */
export interface Locked {
  readonly kind: 'locked'
  readonly holder: LockHolder
}
/** The entity does not exist, or no longer exists. */
export interface Absent {
  readonly kind: 'absent'
}
export interface RefusalEntry {
  readonly message: string
  readonly errCode: number
}
