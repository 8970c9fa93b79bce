/// <reference lib="esnext.disposable" preserve="true" />
import type { Catalog } from './catalog.ts'
import type {
  AnyDataClass,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  Untyped,
} from './definition.ts'
import type { ArgumentsOf, PlainFunctionName, ResultOf } from './function-types.ts'
import type { StoreMember } from './names.ts'
import type { EntitySets, Locks, Session, Sessions, Uploads } from './session-types.ts'
import type { DataClassTable } from './table-types.ts'
import type { Model, Names } from './value-types.ts'
import type { PastStore, View, ViewOptions } from './view-types.ts'

/**
 * The model of a list of dataclasses. An interface can extend it, to give a model a short name in
 * editors and messages: `interface Hr extends ModelOf<[typeof Company, typeof Employee]> {}`.
 */
export type ModelOf<T extends readonly AnyDataClass[]> = {
  readonly [N in keyof Shapes<T>]: Shapes<T>[N]
}
/**
 * `ModelOf` copies it because the compiler computes the keys of a mapped type with `as` at each
 * use.
 */
type Shapes<T extends readonly AnyDataClass[]> = {
  readonly [C in T[number] as C['name']]: {
    readonly attributes: C['attributes']
    readonly functions: C['options'] extends { readonly functions?: infer F } ? F : never
  }
}

type Targets<A> = {
  [K in keyof A]: A[K] extends
    | RelatedEntityDefinition<infer T, Untyped>
    | RelatedEntitiesDefinition<infer T, string>
    ? T
    : never
}[keyof A]
type MissingTarget<T extends readonly AnyDataClass[]> = Exclude<
  { [I in keyof T]: Targets<T[I]['attributes']> }[number],
  T[number]['name']
>
/** Messages for to-many relations whose inverse is not a to-one relation that leads back. */
type WrongInverse<T extends readonly AnyDataClass[], C = T[number]> = C extends AnyDataClass
  ? {
      [K in keyof C['attributes']]: C['attributes'][K] extends RelatedEntitiesDefinition<
        infer To,
        infer I
      >
        ? I extends InverseName<Extract<T[number], { readonly name: To }>['attributes'], C['name']>
          ? never
          : `"${I}" of "${To}" is not a relation to "${C['name']}": "${K & string}" of "${C['name']}" names it as its inverse`
        : never
    }[keyof C['attributes']]
  : never
/** The to-one relations that lead to a dataclass; any name if the attributes are not known. */
type InverseName<A, N> = string extends keyof A
  ? string
  : {
      [K in keyof A]: A[K] extends RelatedEntityDefinition<infer T, Untyped>
        ? N extends T
          ? K
          : never
        : never
    }[keyof A]
/**
 * The list itself, or a message about its error. Lists without literal names are checked at run
 * time only.
 */
export type CheckedClasses<T extends readonly AnyDataClass[]> = string extends T[number]['name']
  ? T
  : [MissingTarget<T>] extends [never]
    ? [T[number]['name'] & StoreMember] extends [never]
      ? [WrongInverse<T>] extends [never]
        ? T
        : WrongInverse<T>
      : `dataclass "${T[number]['name'] & StoreMember}" has the name of a store member`
    : `dataclass "${MissingTarget<T> & string}" is named by a relation but not in dataClasses`

/** All dataclasses by name. */
export type Tables<M extends Model> = { readonly [N in keyof M]: DataClassTable<M, N> }

/** Dataclasses by a name that is not known until the program runs. */
export interface DynamicTables<M extends Model> {
  /** Throws `dataClassNotFound`. */
  dataClass<N extends keyof M & string>(
    name: N,
  ): DataClassTable<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassTable<Untyped, string>
}

/**
 * The argument of the body of a transaction. Writes through the store itself are part of the same
 * transaction.
 */
export type Transaction<M extends Model> = Tables<M> & DynamicTables<M>

/** A state that `restore` returns to. It pins the history until it is disposed. */
export interface Snapshot extends Disposable {
  /** The global stamp of the state; after a restore, the global stamp of the restore. */
  readonly globalStamp: number
  dispose(): void
}

/**
 * The change of one record. Values are as in entities. `before` is null for an insertion, `after`
 * for a removal. Of an update over PostgreSQL both have the changed attributes only.
 */
export interface RecordChange {
  readonly globalStamp: number
  readonly dataClass: string
  readonly key: string | number
  readonly kind: 'insert' | 'update' | 'remove'
  readonly before: { readonly [attribute: string]: unknown } | null
  readonly after: { readonly [attribute: string]: unknown } | null
}
/** A commit, as listeners get it. */
export interface CommitNotice {
  readonly globalStamp: number
  readonly changes: readonly RecordChange[]
}

/** A read that runs in time slices. */
export interface Reading<R> {
  /**
   * Runs a time slice of about `reading.turnMilliseconds`; true when the read is finished. After a
   * write it starts from the beginning. Throws `budgetExceeded` above the store's options
   * `reading`, and what the body throws.
   */
  advance(): boolean
  /**
   * The result of the body, as of the last time slice. Throws `argumentInvalid` before the read is
   * finished.
   */
  readonly value: R
}

/** Functions of a singleton. */
export interface Singleton<F> {
  call<K extends PlainFunctionName<F>>(name: K, ...args: ArgumentsOf<F, K>): ResultOf<F, K>
}

/** Counters for monitoring. Reading one is cheap. */
export interface StoreFigures {
  /** Since the store was created, by its clock. */
  readonly uptimeMilliseconds: number
  /** The number of commits in the history, and their approximate size. */
  readonly historyCommits: number
  readonly historyBytes: number
  /** The size of the rendered-row cache. */
  readonly keptTextCharacters: number
  /**
   * How many filter texts were parsed because the cache did not have them. Views that hide names or
   * rows are not counted.
   */
  readonly filtersCompiled: number
}

// `DataStore` is assembled from one interface per capability, as `Selection` is. `StoreCore` is the
// part that every store has.

/**
 * Identity, transactions and notifications. `T` is what the body of a transaction writes through.
 */
export interface StoreCore<T> extends Disposable {
  readonly name: string
  /** 32 hexadecimal digits, new for each store instance. They are drawn at the first read. */
  readonly id: string
  readonly catalog: Catalog
  /** One more for each transaction that changed something; never goes back. */
  readonly globalStamp: number

  /**
   * All or nothing; reads inside it include its own writes. Synchronous: a returned promise is
   * refused.
   */
  transact<R>(body: (tx: T) => R extends PromiseLike<unknown> ? never : R): R
  /** Calls back after each commit; returns a function that stops this. */
  on(event: 'commit', listener: (commit: CommitNotice) => void): () => void
  /** Calls back with the errors that listeners and after-hooks throw. These errors undo nothing. */
  on(event: 'error', listener: (error: unknown) => void): () => void
  close(): void
}

/** The store as one reader may see it. */
export interface StoreViews<M extends Model> {
  /** Throws `dataClassNotFound`, and the errors of filters for wrong `rows`. */
  view(options?: ViewOptions<M>): View<M>
}

/** Reads in time slices. */
export interface StoreReadings {
  /**
   * A read in time slices: for reads that may be long, so that other work need not wait for them.
   * It starts with the first `advance`. Each slice runs `body` again and reuses what earlier slices
   * found. `body` may only read, except in its last step. Throws `notInTransaction` inside a
   * transaction.
   */
  reading<R>(body: () => R extends PromiseLike<unknown> ? never : R): Reading<R>
}

/** Snapshots. */
export interface StoreSnapshots {
  snapshot(): Snapshot
  /**
   * Undoes all changes since, as one commit. Entity sets and locks created since end, and those
   * that ended since stay ended. Sessions and uploads are not touched, and locks do not refuse it.
   */
  restore(snapshot: Snapshot): void
}

/** Reads of older global stamps. */
export interface StorePast<M extends Model> {
  /**
   * The whole store as it was at a global stamp, read only. Only the store itself has a past; a
   * view does not. Throws `historyTrimmed` beyond the history kept, and `argumentInvalid` for a
   * number that was never a global stamp.
   */
  at(globalStamp: number): PastStore<M>
  /**
   * The changes after a global stamp, record by record: applied in that order to a copy of that
   * time, they give the present. Values only, without stamps and record order. Throws as `at` does.
   */
  changes(options: { readonly since: number }): readonly RecordChange[]
}

/** The store as bytes. */
export interface StoreDumps {
  /** Canonical bytes: equal states give equal bytes. */
  dump(): Uint8Array
}

/** Self-checks. */
export interface StoreVerification {
  /**
   * Rebuilds all derived structures and compares; throws naming the first broken invariant. Cost:
   * O(data).
   */
  verify(): void
}

/** What a store keeps for the sessions of an adapter. */
export interface StoreServerState {
  readonly entitySets: EntitySets
  readonly sessions: Sessions
  readonly locks: Locks
  readonly uploads: Uploads
  /**
   * Runs `body` as the session: it can write the entities that the session has locked, and hooks
   * and functions get the session. Of nested calls only the innermost counts; null means no
   * session. Synchronous: a returned promise is refused.
   */
  as<R>(session: Session | null, body: () => R extends PromiseLike<unknown> ? never : R): R
}

/** Functions of the store and its singletons. */
export interface StoreFunctions<F, S> {
  call<K extends PlainFunctionName<F>>(name: K, ...args: ArgumentsOf<F, K>): ResultOf<F, K>
  singleton<K extends PlainFunctionName<S>>(name: K): Singleton<K extends keyof S ? S[K] : Untyped>
}

/** All that a store has beside its dataclasses. */
export interface StoreMembers<M extends Model, F, S>
  extends StoreCore<Transaction<M>>,
    DynamicTables<M>,
    StoreViews<M>,
    StoreReadings,
    StoreSnapshots,
    StorePast<M>,
    StoreDumps,
    StoreVerification,
    StoreServerState,
    StoreFunctions<F, S> {
  readonly figures: StoreFigures
}

/** A store: its dataclasses by name, and the members that every store has. */
export type DataStore<M extends Model = Untyped, F = Untyped, S = Untyped> = Tables<M> &
  StoreMembers<M, F, S>
/** A store of any model, whose dataclasses you get by `dataClass(name)`. */
export type AnyDataStore = StoreMembers<Untyped, Untyped, Untyped>

/** The first argument of functions of the store and of singletons. */
export interface StoreContext<M extends Model> {
  readonly store: DataStore<M>
  readonly session: Session | null
}
export interface StoreFunctionOf<M extends Model> {
  readonly exposed?: boolean
  readonly onHttpGet?: boolean
  readonly run: (context: StoreContext<M>, ...args: never[]) => unknown
}

/** Limits of the rendered-row cache. */
export interface KeptTextOptions {
  /** For each dataclass. 4 Mi by default; 0 switches the cache off. */
  readonly characters?: number
}

/**
 * Limits of the size of entities and commits, in bytes of JSON in UTF-8 as dumps and journals have
 * them.
 */
export interface SizeOptions {
  /** 256 000 000 by default, and at most. */
  readonly entityBytes?: number
  /** 2 000 000 000 by default, and at most. */
  readonly commitBytes?: number
}

/** Limits of the history that is kept for reads of the past, restores and changes. */
export interface HistoryOptions {
  /** 10 000 by default. */
  readonly commits?: number
  /** 16 MiB by default. */
  readonly bytes?: number
}
