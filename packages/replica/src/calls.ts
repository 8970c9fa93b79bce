import type {
  AnyDataStore,
  ArgumentsOf,
  AttributesOf,
  EntityMarks,
  FunctionName,
  KeyOf,
  Model,
  ResultOf,
  SelectionReader,
  Untyped,
} from '@entia/core'
import { isEntity, isSelection } from '@entia/core'
import { type BatchCall, storedKey } from '@entia/core/internal'
import type { Outcome } from './outcomes.ts'

/** A call of a function that is on its way to the server. */
export interface Called<R> {
  /** Identifies it among `waiting` and `problems`. */
  readonly number: number
  /** Resolves when the server has decided, also if that takes days. It does not reject. */
  readonly outcome: Promise<CallOutcome<R>>
}

/** What became of a call. `result` is what the function has returned. */
export type CallOutcome<R> =
  | (Extract<Outcome, { kind: 'applied' }> & { readonly result: R })
  | Extract<Outcome, { kind: 'problem' }>

type AnySelected = SelectionReader<Untyped, string>

/** The arguments of a function of a dataclass: JSON values, neither entities nor selections. */
export type CallArguments<M extends Model, N extends keyof M, K> = Sendable<
  ArgumentsOf<M[N]['functions'], K>
>
type Sendable<A extends readonly unknown[]> = {
  [I in keyof A]: 0 extends 1 & A[I] ? A[I] : A[I] extends EntityMarks | AnySelected ? never : A[I]
}

/** The result of a function as JSON: an entity as its key, a selection as its keys. */
export type CallResult<M extends Model, N extends keyof M, K> = Sent<
  M,
  Awaited<ResultOf<M[N]['functions'], K>>
>
type Sent<M extends Model, V> = 0 extends 1 & V
  ? Untyped
  : V extends SelectionReader<Untyped, infer N extends string>
    ? readonly KeyOf<AttributesOf<M, N>>[]
    : V extends EntityMarks<infer Key>
      ? Key
      : V extends readonly (infer E)[]
        ? readonly Sent<M, E>[]
        : V extends { toJSON(key?: never): infer J }
          ? J
          : V extends object
            ? { readonly [P in keyof V]: Sent<M, V[P]> }
            : V extends undefined
              ? null
              : V

/** The functions of the server that a replica calls. */
export interface ReplicaCalls<M extends Model> {
  /**
   * Calls a function of the server that works on one entity, given by its key. It is kept as a
   * transaction is, and decided once, in its place in the order, with the permissions of that
   * moment. Nothing is shown here before its effects arrive. Rejects with a TypeError for a key or
   * an argument that cannot be sent.
   *
   * @example
   * ```ts
   * const raise = await replica.callOn('Employee', ada.ID, 'raise', 10)
   * const outcome = await raise.outcome
   * outcome.kind // → 'applied'
   * ```
   */
  callOn<N extends keyof M & string, K extends FunctionName<M[N]['functions'], 'entity'>>(
    dataClass: N,
    key: KeyOf<AttributesOf<M, N>>,
    name: K,
    ...args: CallArguments<M, N, K>
  ): Promise<Called<CallResult<M, N, K>>>
  /** As `callOn`, for a function that works on the dataclass. */
  call<N extends keyof M & string, K extends FunctionName<M[N]['functions'], 'dataClass'>>(
    dataClass: N,
    name: K,
    ...args: CallArguments<M, N, K>
  ): Promise<Called<CallResult<M, N, K>>>
}

/**
 * A call as it is kept. Throws a TypeError for a name, a key or an argument that cannot be sent.
 */
export function callOf(
  { catalog }: AnyDataStore,
  dataClass: string,
  key: unknown,
  name: unknown,
  given: readonly unknown[],
): BatchCall {
  const model = catalog.byName.get(dataClass)
  if (model === undefined)
    throw new TypeError(`The replica has no dataclass "${String(dataClass).slice(0, 100)}".`)
  if (typeof name !== 'string') throw new TypeError('The name of a function is a string.')
  const stored = key === null ? null : storedKey(model, key as string)
  if (key !== null && stored === null)
    throw new TypeError(`${model.name} has no such key: pass the key of the entity.`)
  for (const [at, value] of given.entries())
    if (isEntity(value) || isSelection(value))
      throw new TypeError(
        `Argument ${at + 1} of ${name} is ${isEntity(value) ? 'an entity: pass its key' : 'a selection: pass its keys'}.`,
      )
  const args = JSON.parse(JSON.stringify(given), (member, value: unknown) => {
    // Stores do not keep it.
    if (member === '__proto__')
      throw new TypeError(`An argument of ${name} has a property called "__proto__".`)
    return value
  }) as unknown[]
  return { dataClass, key: stored, name, args }
}
