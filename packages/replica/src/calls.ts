import { checkArgument, isOfClient } from '@entia/client/internal'
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
import { dataClassOf, isEntity, isSelection, keyOf } from '@entia/core'
import { type ArgumentEntity, type BatchCall, storedKey } from '@entia/core/internal'
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

/**
 * The arguments of a function of a dataclass: JSON values, and entities of the replica's store. A
 * selection cannot be sent.
 */
export type CallArguments<M extends Model, N extends keyof M, K> = Sendable<
  ArgumentsOf<M[N]['functions'], K>
>
type Sendable<A extends readonly unknown[]> = {
  [I in keyof A]: 0 extends 1 & A[I] ? A[I] : A[I] extends AnySelected ? never : A[I]
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
   * moment. Nothing is shown here before its effects arrive. The function gets an entity that is an
   * argument as the server has it then. Rejects with a TypeError for a key or an argument that
   * cannot be sent.
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
  const sent = given.map((value, at) => {
    const refuse = (problem: string): never => {
      throw new TypeError(`Argument ${at + 1} of ${name} is ${problem}`)
    }
    if (isEntity(value)) return argumentOf(catalog, value) ?? refuse(OTHER_ENTITY)
    if (isSelection(value)) return refuse(SELECTION)
    if (isOfClient(value)) return refuse(OF_CLIENT)
    checkArgument(`Argument ${at + 1} of ${name}`, value)
    return value
  })
  const args = JSON.parse(JSON.stringify(sent), (member, value: unknown) => {
    // Stores do not keep it.
    if (member === '__proto__')
      throw new TypeError(`An argument of ${name} has a property called "__proto__".`)
    return value
  }) as unknown[]
  return { dataClass, key: stored, name, args }
}

const OTHER_ENTITY =
  'an entity of a dataclass that the replica does not have: pass its key, to a function that takes keys.'
const SELECTION =
  'a selection, which a replica cannot send: pass its keys(), to a function that takes keys.'
const OF_CLIENT =
  'what only the client can send: pass an entity of the store of the replica, or call the function through the client.'

/** An entity by its key, also one that waits for the server. Null for an unknown dataclass. */
function argumentOf({ byName }: AnyDataStore['catalog'], entity: object): ArgumentEntity | null {
  const { name } = dataClassOf(entity)
  const known = byName.has(name)
  return known ? { __ENTITY: true, __DATACLASS: name, __KEY: keyOf(entity) } : null
}
