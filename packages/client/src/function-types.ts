import type {
  ArgumentsOf,
  EntityMarks,
  Media,
  Model,
  Page,
  ResultOf,
  SelectionReader,
  SessionUser,
  Untyped,
} from '@entia/core'
import type { EntityArgument } from './function-argument.ts'
import type { RemoteEntitySet } from './remote-entity-set.ts'
import type { RemoteSelection } from './remote-selection.ts'
import type { RemoteEntity, RemoteMedia, RemoteReference } from './remote-types.ts'

/** A selection of the process, of any dataclass. */
type LocalSelection<N extends string = string> = SelectionReader<Untyped, N>

/**
 * The arguments of a function as callers of a client give them: an entity by `asArgument`, a
 * selection as a selection or entity set of the client, anything else as JSON.
 */
export type RemoteArguments<A extends readonly unknown[]> = {
  [I in keyof A]: RemoteArgument<A[I]>
}
type RemoteArgument<P> = 0 extends 1 & P
  ? Untyped
  : P extends LocalSelection<infer N>
    ? RemoteSelection<Untyped, N, Untyped>
    : P extends EntityMarks
      ? EntityArgument
      : P

/**
 * The result of a function as a client receives it: a selection as an entity set, an entity as a
 * copy, a reply with its own media type as a `Blob`, anything else as JSON.
 */
export type RemoteResult<M extends Model, R> = Settled<M, Awaited<R>>
type Settled<M extends Model, V> = 0 extends 1 & V
  ? Untyped
  : V extends LocalSelection<infer N>
    ? RemoteEntitySet<M, N>
    : V extends { readonly mediaType: string; readonly body: string | Uint8Array }
      ? Blob
      : V extends LoggedInLike
        ? unknown
        : Inside<M, V>
/** What `loggedIn` of the server returns; its `result` is of any type. */
interface LoggedInLike {
  readonly user: SessionUser
  readonly result: unknown
  readonly lifetimeSeconds: number | null
}

/** The arguments and the result of a function of a dataclass. */
export type CallArguments<M extends Model, N extends keyof M, K> = RemoteArguments<
  ArgumentsOf<M[N]['functions'], K>
>
export type CallResult<M extends Model, N extends keyof M, K> = RemoteResult<
  M,
  ResultOf<M[N]['functions'], K>
>

/** A value inside of a result. A selection is its first page. */
type Inside<M extends Model, V> = 0 extends 1 & V
  ? Untyped
  : V extends LocalSelection<infer N>
    ? Page<RemoteEntity<M, N>>
    : V extends EntityMarks
      ? CopyOf<V>
      : V extends readonly (infer E)[]
        ? readonly Inside<M, E>[]
        : V extends { toJSON(key?: never): infer J }
          ? J
          : V extends object
            ? { readonly [K in keyof V]: Inside<M, V[K]> }
            : V extends undefined
              ? null
              : V

/** The copy of an entity: without to-many relations, and with the key of to-one relations. */
type CopyOf<E> = {
  readonly [K in keyof E as E[K] extends LocalSelection ? never : K]: E[K] extends Media | null
    ? (E[K] extends null ? never : RemoteMedia) | Extract<E[K], null>
    : E[K] extends EntityMarks<infer Key> | null
      ? RemoteReference<Key> | Extract<E[K], null>
      : E[K]
}
