import type { Media } from '../value/types.ts'
import type { AsyncEntitySet, AsyncStore, EntitySetId, Page } from './async-store-types.ts'
import type { RelatedEntitiesDefinition, RelatedEntityDefinition, Untyped } from './definition.ts'
import type { EntityMarks, NewEntity, Patch } from './entity-types.ts'
import type { ArgumentsOf, ResultOf } from './function-types.ts'
import type { SelectionReader } from './selection-types.ts'
import type { Session } from './session-types.ts'
import type { CommitNotice } from './store-types.ts'
import type { LoadOptions, LoadResult } from './table-types.ts'
import type { AttributesOf, AttributeValue, KeyName, KeyOf, Model, Names } from './value-types.ts'

// What asynchronous stores exchange: values, arguments and results of functions, and what only a
// store in the process offers. Types only.

/** A selection of the process, of any dataclass. */
type LocalSelection<N extends string = string> = SelectionReader<Untyped, N>

/** An entity as the argument of a function. Created by `asArgument` of its dataclass. */
export interface EntityArgument {
  readonly kind: 'entityArgument'
  /** The name of the dataclass. */
  readonly dataClass: string
}

/** A selection as the argument of a function: every selection of an asynchronous store. */
export interface SelectionArgument<N> {
  readonly dataClass: N & string
  entitySet(options?: { readonly lifetimeSeconds?: number }): Promise<EntitySetId<N>>
}

/**
 * The arguments of a function as callers of an asynchronous store give them: an entity by
 * `asArgument`, a selection as a selection or entity set of the same store, anything else as JSON.
 */
export type AsyncArguments<A extends readonly unknown[]> = {
  [I in keyof A]: AsyncArgument<A[I]>
}
type AsyncArgument<P> = 0 extends 1 & P
  ? Untyped
  : P extends LocalSelection<infer N>
    ? SelectionArgument<N>
    : P extends EntityMarks
      ? EntityArgument
      : P

/**
 * The result of a function of an asynchronous store: a selection as an entity set, an entity as a
 * copy, a reply with its own media type as a `Blob`, anything else as JSON. `B` is the type of
 * images and BLOBs.
 */
export type AsyncResult<M extends Model, R, B = AsyncMedia> = Settled<M, Awaited<R>, B>
type Settled<M extends Model, V, B> = 0 extends 1 & V
  ? Untyped
  : V extends LocalSelection<infer N>
    ? AsyncEntitySet<M, N>
    : V extends OwnReply
      ? Blob
      : V extends LoggedInLike
        ? unknown
        : ResultPart<M, V, B>

/** What `outgoing` of `@entia/rest` returns. */
export interface OwnReply {
  readonly mediaType: string
  readonly body: string | Uint8Array
}
/** What `loggedIn` of `@entia/rest` returns; its `result` is of any type. */
export interface LoggedInLike {
  readonly user: { readonly ID: string; readonly userName: string }
  readonly result: unknown
  readonly lifetimeSeconds: number | null
}

/** A value inside of a result. A selection is its first page. */
export type ResultPart<M extends Model, V, B = AsyncMedia> = 0 extends 1 & V
  ? Untyped
  : V extends LocalSelection<infer N>
    ? Page<AsyncEntity<M, N, B>>
    : V extends EntityMarks
      ? CopyOf<V, B>
      : V extends readonly (infer E)[]
        ? readonly ResultPart<M, E, B>[]
        : V extends { toJSON(key?: never): infer J }
          ? J
          : V extends object
            ? { readonly [K in keyof V]: ResultPart<M, V[K], B> }
            : V extends undefined
              ? null
              : V

/** The copy of an entity: without to-many relations, and with the key of to-one relations. */
type CopyOf<E, B> = {
  readonly [K in keyof E as E[K] extends LocalSelection ? never : K]: E[K] extends Media | null
    ? (E[K] extends null ? never : B) | Extract<E[K], null>
    : E[K] extends EntityMarks<infer Key> | null
      ? EntityReference<Key> | Extract<E[K], null>
      : E[K]
}

/** The arguments of a function of a dataclass. */
export type ClassCallArguments<M extends Model, N extends keyof M, K> = AsyncArguments<
  ArgumentsOf<M[N]['functions'], K>
>
/** The result of a function of a dataclass. */
export type ClassCallResult<M extends Model, N extends keyof M, K> = AsyncResult<
  M,
  ResultOf<M[N]['functions'], K>
>

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

// What an asynchronous store offers only where the data is. Types only.

/** Which commits to read. */
export interface ChangesOptions {
  /** The global stamp after which the commits begin. */
  readonly since: number
  /** Ends the iteration: the next read rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** How many rows are loaded. */
export interface AsyncLoadOptions extends LoadOptions {
  /**
   * Commits after each so many rows: for more rows than fit into memory, or into one commit of a
   * database. A refusal then keeps the rows of earlier commits, and relations lead to rows of the
   * same commit or earlier ones. Unless given, all rows are one commit.
   */
  readonly rowsPerCommit?: number
}

/** The members of every asynchronous store in the process, in memory or over a database. */
export interface LocalAsyncMembers<M extends Model, F, S> {
  /** The same store, which writes and locks as the session; null writes without a session. */
  as(session: Session | null): AsyncStore<M, F, S>
  /**
   * Inserts many entities in one commit, or in several by `rowsPerCommit`. Rows of a commit may
   * refer to each other, and a refusal loads none of them.
   */
  load<N extends keyof M & string>(
    dataClass: N,
    rows: Iterable<NewEntity<M, N>> | AsyncIterable<NewEntity<M, N>>,
    options?: AsyncLoadOptions,
  ): Promise<LoadResult>
  /**
   * The commits after a global stamp, in order, then each new one: none is repeated or skipped.
   * Ends with `close`. Rejects with `historyTrimmed` if the store no longer keeps the next commit.
   */
  changes(options: ChangesOptions): AsyncIterable<CommitNotice>
  close(): Promise<void>
}
/** An asynchronous store in the process. */
export type InProcessAsyncStore<
  M extends Model,
  F = Record<never, never>,
  S = Record<never, never>,
> = AsyncStore<M, F, S> & LocalAsyncMembers<M, F, S>

/** How a transaction of a store over a database runs. */
export interface AsyncTransactOptions {
  /**
   * How often the body runs again after a conflict with another transaction; 0 by default. A body
   * with effects outside of the store must not run again.
   */
  readonly retries?: number
  /**
   * `gate`, the default, refuses a commit whose decisions another commit has changed;
   * `serializable` leaves that to the database.
   */
  readonly isolation?: 'gate' | 'serializable'
}
/**
 * An asynchronous store in the process whose transactions may wait. A store in memory has none: its
 * transactions are synchronous, so that no other code sees their state. Use `saveAll`, or
 * `transact` of the store itself.
 */
export type LocalAsyncStore<
  M extends Model,
  F = Record<never, never>,
  S = Record<never, never>,
> = InProcessAsyncStore<M, F, S> & {
  /**
   * Commits all writes of `tx`, or none if the body rejects. Reads of `tx` include its writes.
   * `tx` works until the body settles. The body must not call `transact`: it is refused.
   */
  transact<R>(
    body: (tx: AsyncStore<M, F, S>) => Promise<R>,
    options?: AsyncTransactOptions,
  ): Promise<R>
}
