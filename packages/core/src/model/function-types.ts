import type { Untyped } from './definition.ts'
import type { Entity, HookDraft } from './entity-types.ts'
import type { Selection } from './selection-types.ts'
import type { Session } from './session-types.ts'
import type { AnyDataStore } from './store-types.ts'
import type { DataClassTable } from './table-types.ts'
import type { LocalModel } from './value-types.ts'

interface FunctionOn<On, C> {
  readonly on: On
  readonly run: (context: C, ...args: never[]) => unknown
  /** Callable through adapters. */
  readonly exposed?: boolean
  /** Can be called by GET: for functions that change nothing. */
  readonly onHttpGet?: boolean
}

/**
 * The first argument of a class function; the caller's arguments follow. `session` is null outside
 * of a session. `S` is the type of the store. Annotate the parameter to give it the type of your
 * store: `run: ({ store }: { store: HrStore }): number => …`.
 */
export interface DataClassContext<N extends string, A, S = AnyDataStore> {
  readonly dataClass: DataClassTable<LocalModel<N, A>, N>
  readonly store: S
  readonly session: Session | null
}
export interface SelectionContext<N extends string, A, S = AnyDataStore>
  extends DataClassContext<N, A, S> {
  readonly selection: Selection<LocalModel<N, A>, N>
}
export interface EntityContext<N extends string, A, S = AnyDataStore>
  extends DataClassContext<N, A, S> {
  readonly entity: Entity<LocalModel<N, A>, N>
}

/**
 * The definition of a class function in `defineDataClass`. Annotate the parameters after the
 * context.
 */
export type ClassFunctionOf<N extends string, A, S = AnyDataStore> =
  | FunctionOn<'dataClass', DataClassContext<N, A, S>>
  | FunctionOn<'selection', SelectionContext<N, A, S>>
  | FunctionOn<'entity', EntityContext<N, A, S>>

/**
 * `validateSave` and `validateRemove` return one, or a list of them, to refuse. Codes from 10000
 * are for applications.
 */
export interface HookRefusal {
  readonly errCode: number
  readonly message: string
  /** The name of the attribute that the refusal is about, for `details.attribute` of its error. */
  readonly attribute?: string | undefined
}
/** What `validateSave` and `validateRemove` return; an empty list refuses nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may end without a return
export type HookAnswer = HookRefusal | readonly HookRefusal[] | null | undefined | void
export interface SaveContext<N extends string, A, S = AnyDataStore> {
  /** The stored entity before the save; null for a new one. */
  readonly before: Entity<LocalModel<N, A>, N> | null
  readonly session: Session | null
  /** Writes through it are part of the transaction. */
  readonly store: S
}
export interface RemoveContext<S = AnyDataStore> {
  readonly session: Session | null
  /** Writes through it are part of the transaction. */
  readonly store: S
}

/**
 * Hooks of a dataclass. All are synchronous: a returned promise is refused. Annotate the context to
 * give it the type of your store:
 * `validateSave: (entity, { store }: { store: HrStore }): HookRefusal | undefined => …`. The
 * annotations are needed because the model of the store contains the dataclass that is being
 * defined.
 */
export interface HooksOf<N extends string, A, S = AnyDataStore> {
  /** Sets values of a new entity before the given values are set. */
  readonly init?: (draft: HookDraft<LocalModel<N, A>, N>) => void
  /** Can change the values that are saved. */
  readonly beforeSave?: (
    draft: HookDraft<LocalModel<N, A>, N>,
    context: SaveContext<N, A, S>,
  ) => unknown
  readonly validateSave?: (
    entity: Entity<LocalModel<N, A>, N>,
    context: SaveContext<N, A, S>,
  ) => HookAnswer
  readonly validateRemove?: (
    entity: Entity<LocalModel<N, A>, N>,
    context: RemoveContext<S>,
  ) => HookAnswer
  /** Runs after the commit. Errors are reported and undo nothing. */
  readonly afterSave?: (
    entity: Entity<LocalModel<N, A>, N>,
    context: SaveContext<N, A, S>,
  ) => unknown
  readonly afterRemove?: (entity: Entity<LocalModel<N, A>, N>, context: RemoveContext<S>) => unknown
}

type IsUntyped<F> = 0 extends 1 & F ? true : false
type RunOf<D> = D extends { readonly run: infer R } ? R : never

/** Names of the functions of a class that work on `On`; any name if the class is not known. */
export type FunctionName<F, On> =
  IsUntyped<F> extends true
    ? string
    : { [K in keyof F]: F[K] extends { readonly on: On } ? K : never }[keyof F] & string
/** Names of functions of a store or singleton. */
export type PlainFunctionName<F> = IsUntyped<F> extends true ? string : keyof F & string
/** The arguments after the context. */
export type ArgumentsOf<F, K> =
  IsUntyped<F> extends true
    ? readonly unknown[]
    : K extends keyof F
      ? RunOf<F[K]> extends (context: never, ...args: infer P) => unknown
        ? P
        : never
      : never
export type ResultOf<F, K> =
  IsUntyped<F> extends true
    ? Untyped
    : K extends keyof F
      ? RunOf<F[K]> extends (context: never, ...args: never[]) => infer R
        ? R
        : never
      : never
