import type { Media } from '../value/types.ts'
import type { RelatedEntitiesDefinition, RelatedEntityDefinition, Untyped } from './definition.ts'
import type { EntityMarks, NewEntity, Patch } from './entity-types.ts'
import type { AttributesOf, AttributeValue, KeyName, KeyOf, Model, Names } from './value-types.ts'

// The values of an asynchronous store, wherever it is: plain copies. Types only.

/** An image or BLOB whose bytes are read on demand. */
export interface AsyncMedia {
  /** Undefined where it is not known before the bytes are read. */
  readonly mediaType?: string
  /** A copy of the bytes. */
  bytes(): Promise<Uint8Array>
}

/** A related entity that was not expanded: its key. */
export interface EntityReference<K = string | number> {
  readonly key: K
}

declare const keyType: unique symbol
/** Carries the type of the key for `keyOf`. It has no value. */
export interface Keyed<K> {
  readonly [keyType]?: K
}

/** The type of a value as an asynchronous store returns it: copies, with media of the type `B`. */
export type Arrived<V, B = AsyncMedia> = V extends Media
  ? B
  : V extends EntityMarks<infer K>
    ? EntityReference<K>
    : V extends readonly (infer E)[]
      ? readonly Arrived<E, B>[]
      : V extends object
        ? { readonly [K in keyof V]: Arrived<V[K], B> }
        : V

/** An entity of a dataclass whose name is known only at run time. */
export interface AnyAsyncEntity extends EntityMarks {
  readonly [name: string]: Untyped
}

/**
 * A copy of an entity: stored, computed and alias values, and to-one relations as the related key.
 * To-many relations are left out: read them with `select`, or with a query of their own. `B` is the
 * type of images and BLOBs.
 */
export type AsyncEntity<M extends Model, N extends keyof M, B = AsyncMedia> =
  string extends Names<M, N>
    ? AnyAsyncEntity
    : Keyed<KeyOf<AttributesOf<M, N>>> &
        Omit<EntityMarks<KeyOf<AttributesOf<M, N>>>, keyof AttributesOf<M, N>> & {
          readonly [K in keyof AttributesOf<M, N> as AttributesOf<
            M,
            N
          >[K] extends RelatedEntitiesDefinition<string, string>
            ? never
            : K]: AsyncValue<M, N, K, B>
        }

/** The value of an attribute in a copy of an entity. */
type AsyncValue<M extends Model, N extends keyof M, K extends keyof AttributesOf<M, N>, B> =
  AttributesOf<M, N>[K] extends RelatedEntityDefinition<infer T, Untyped>
    ? EntityReference<RelatedKey<M, T>> | Extract<AttributeValue<M, N, K>, null>
    : Arrived<AttributeValue<M, N, K>, B>
type RelatedKey<M extends Model, T> = T extends keyof M
  ? KeyOf<AttributesOf<M, T>>
  : string | number

/** Adds to the values that a save takes each value as it was read, and copies of entities. */
type OrAsRead<M extends Model, N extends keyof M, P> = {
  readonly [K in keyof P]:
    | P[K]
    | (K extends keyof AttributesOf<M, N>
        ? AsyncValue<M, N, K, AsyncMedia> | RelatedCopy<M, AttributesOf<M, N>[K]>
        : never)
}
type RelatedCopy<M extends Model, D> =
  D extends RelatedEntityDefinition<infer T, Untyped>
    ? T extends keyof M
      ? AsyncEntity<M, T>
      : never
    : never
/**
 * Values to change, by attribute, as core takes them. Values of a copy are also taken: relations as
 * `{ key }` or as the copy of an entity, and images and BLOBs.
 */
export type AsyncPatch<M extends Model, N extends keyof M> =
  string extends Names<M, N> ? Patch<M, N> : OrAsRead<M, N, Patch<M, N>>
/** Values of a new entity, as in `AsyncPatch`. */
export type NewAsyncEntity<M extends Model, N extends keyof M> =
  string extends Names<M, N> ? NewEntity<M, N> : OrAsRead<M, N, NewEntity<M, N>>

/** An entity as it was read, which makes the write conditional on its stamp; or a key alone. */
export type EntityOrKey<M extends Model, N extends keyof M> =
  | KeyOf<AttributesOf<M, N>>
  | { readonly key: KeyOf<AttributesOf<M, N>>; readonly stamp?: number }
  | AsyncEntity<M, N>

/**
 * One of many changes. If an attribute is called `key` or `stamp`, `__KEY` and `__STAMP` identify
 * the entity.
 */
export type AsyncChange<M extends Model, N extends keyof M> = AsyncPatch<M, N> &
  Omit<
    { readonly key?: KeyOf<AttributesOf<M, N>>; readonly stamp?: number },
    string extends Names<M, N> ? never : keyof AttributesOf<M, N>
  > & {
    readonly [K in KeyName<AttributesOf<M, N>>]?: KeyOf<AttributesOf<M, N>>
  } & {
    readonly __KEY?: KeyOf<AttributesOf<M, N>>
    readonly __STAMP?: number
  }
