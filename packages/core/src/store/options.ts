import type { ReadingLimits } from '../execute/time-slices.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { AnyDataClass, FunctionDefinition } from '../model/definition.ts'
import type {
  EntitySetLimits,
  LockLimits,
  SessionLimits,
  UploadLimits,
} from '../model/session-types.ts'
import type {
  CheckedClasses,
  DataStore,
  HistoryOptions,
  KeptTextOptions,
  ModelOf,
  SizeOptions,
  StoreFunctionOf,
} from '../model/store-types.ts'
import type { Clock, Ids } from '../ports.ts'

type Functions = { readonly [name: string]: FunctionDefinition }
type Singletons = { readonly [name: string]: Functions }

/** What a store is made of. */
export interface DataStoreOptions<T = readonly AnyDataClass[], F = Functions, S = Singletons> {
  readonly name: string
  readonly dataClasses: T
  /** Functions of the store. */
  readonly functions?: F
  /** Functions of singletons, by singleton. */
  readonly singletons?: S
  readonly clock?: Clock
  readonly ids?: Ids
  readonly history?: HistoryOptions
  readonly keptTexts?: KeptTextOptions
  /** How large entities and commits may be. */
  readonly sizes?: SizeOptions
  /** How large a filter may be; those not given keep their defaults. */
  readonly limits?: Partial<FilterLimits>
  /** Limits of reads in time slices; see `reading`. */
  readonly reading?: Partial<ReadingLimits>
  readonly sessions?: SessionLimits
  readonly locks?: LockLimits
  readonly entitySets?: EntitySetLimits
  readonly uploads?: UploadLimits
}

/** What a store made from a dump is given; the name is the dump's. */
export type OpenDumpOptions<T = readonly AnyDataClass[], F = Functions, S = Singletons> = Omit<
  DataStoreOptions<T, F, S>,
  'name'
> & { readonly name?: string }

type StoreFunctions<T extends readonly AnyDataClass[]> = {
  readonly [name: string]: StoreFunctionOf<ModelOf<T>>
}

/**
 * The signature of `createDataStore`: the types of all dataclasses together are inferred from their
 * definitions.
 */
export type CreateDataStore = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  options: DataStoreOptions<
    T & CheckedClasses<T>,
    F & StoreFunctions<NoInfer<T>>,
    S & { readonly [name: string]: StoreFunctions<NoInfer<T>> }
  >,
) => DataStore<ModelOf<T>, F, S>

/** The signature of `openDump`. */
export type OpenDump = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  bytes: Uint8Array,
  options: OpenDumpOptions<
    T & CheckedClasses<T>,
    F & StoreFunctions<NoInfer<T>>,
    S & { readonly [name: string]: StoreFunctions<NoInfer<T>> }
  >,
) => DataStore<ModelOf<T>, F, S>

/** The signature of `openDumpFile`. */
export type OpenDumpFile = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  path: string,
  options: OpenDumpOptions<
    T & CheckedClasses<T>,
    F & StoreFunctions<NoInfer<T>>,
    S & { readonly [name: string]: StoreFunctions<NoInfer<T>> }
  >,
) => Promise<DataStore<ModelOf<T>, F, S>>
