import type {
  ArgumentsOf,
  AsyncArguments,
  LoggedInLike,
  Model,
  OwnReply,
  ResultOf,
  ResultPart,
  SelectionReader,
  Untyped,
} from '@entia/core'
import type { RemoteEntitySet } from './remote-entity-set.ts'
import type { RemoteMedia } from './remote-types.ts'

/** The arguments of a function, as for any asynchronous store. */
export type RemoteArguments<A extends readonly unknown[]> = AsyncArguments<A>

/**
 * The result of a function as a client receives it: a selection as an entity set of the client,
 * anything else as from any asynchronous store.
 */
export type RemoteResult<M extends Model, R> = Settled<M, Awaited<R>, RemoteMedia>
type Settled<M extends Model, V, B> = 0 extends 1 & V
  ? Untyped
  : V extends SelectionReader<Untyped, infer N extends string>
    ? RemoteEntitySet<M, N>
    : V extends OwnReply
      ? Blob
      : V extends LoggedInLike
        ? unknown
        : ResultPart<M, V, B>

/** The arguments and the result of a function of a dataclass. */
export type CallArguments<M extends Model, N extends keyof M, K> = RemoteArguments<
  ArgumentsOf<M[N]['functions'], K>
>
export type CallResult<M extends Model, N extends keyof M, K> = RemoteResult<
  M,
  ResultOf<M[N]['functions'], K>
>
