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
  /** Where its bytes are, from the server's root. */
  readonly uri: string
}
/** A related entity that was not asked for: its key. */
export interface RemoteReference {
  readonly key: string | number
}

/** A value as it arrives: media by their address, related entities by their key. */
export type Arrived<V> = V extends Media
  ? RemoteMedia
  : V extends EntityMarks
    ? RemoteReference
    : V extends readonly (infer E)[]
      ? readonly Arrived<E>[]
      : V extends object
        ? { readonly [K in keyof V]: Arrived<V[K]> }
        : V

/** An entity of a dataclass known by name at run time only. */
export interface AnyRemoteEntity extends EntityMarks {
  readonly [name: string]: Untyped
}

/**
 * A copy of an entity: stored, computed and alias values; to-one relations by the key of what they lead to. To-many relations are not in it: ask for them with
 * `select`, or with a query of their own.
 */
export type RemoteEntity<M extends Model, N extends keyof M> = string extends N | keyof M[N]
  ? AnyRemoteEntity
  : Omit<EntityMarks<KeyOf<AttributesOf<M, N>>>, keyof AttributesOf<M, N>> & {
      readonly [K in keyof AttributesOf<M, N> as AttributesOf<M, N>[K] extends RelatedEntitiesDefinition<string, string>
        ? never
        : K]: AttributesOf<M, N>[K] extends RelatedEntityDefinition<string, Untyped>
        ? RemoteReference | Extract<AttributeValue<M, N, K>, null>
        : Arrived<AttributeValue<M, N, K>>
    }

/** Who holds a lock, as the server knows it. */
export interface LockHolder {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** What became of a change of an entity. */
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

/** Somebody saved it since it was read; `current` is what it is now. */
export interface StampChanged<E> {
  readonly kind: 'stampChanged'
  readonly current: E
}
/** Another session holds its lock. */
export interface Locked {
  readonly kind: 'locked'
  readonly holder: LockHolder
}
/** There is no such entity (any more). */
export interface Absent {
  readonly kind: 'absent'
}
export interface RefusalEntry {
  readonly message: string
  readonly errCode: number
}
