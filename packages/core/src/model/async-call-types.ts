import type { Media } from '../value/types.ts'
import type { AsyncEntitySet, EntitySetId, Page } from './async-store-types.ts'
import type { AsyncEntity, AsyncMedia, EntityReference } from './async-values.ts'
import type { Untyped } from './definition.ts'
import type { EntityMarks } from './entity-types.ts'
import type { ArgumentsOf, ResultOf } from './function-types.ts'
import type { SelectionReader } from './selection-types.ts'
import type { Model } from './value-types.ts'

// Functions of an asynchronous store: their arguments and results. Types only.

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
