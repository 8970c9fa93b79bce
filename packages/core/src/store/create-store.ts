import type { ReadingLimits } from '../execute/time-slices.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { AnyDataClass, Functions, Singletons } from '../model/definition.ts'
import type {
  EntitySetLimits,
  LockLimits,
  SessionLimits,
  UploadLimits,
} from '../model/session-types.ts'
import type {
  CheckedClasses,
  HistoryOptions,
  KeptTextOptions,
  ModelOf,
  DataStore as PublicDataStore,
  SizeOptions,
  StoreFunctionOf,
} from '../model/store-types.ts'
import type { KernelModelOf, KernelStore } from '../model/value-types.ts'
import type { Clock, Ids } from '../ports.ts'
import { aggregates, grouping } from './capability/aggregates.ts'
import { bulkWrites } from './capability/bulk-writes.ts'
import { indexes } from './capability/indexes.ts'
import { liveQueries } from './capability/live-queries.ts'
import { persistence, persistenceOf } from './capability/persistence.ts'
import { server } from './capability/server.ts'
import { typedQueries } from './capability/typed-queries.ts'
import { views } from './capability/views.ts'
import { CheckedDump } from './dump/read-dump.ts'
import type { Capability, GivenOptions } from './kernel/capability.ts'
import { DataStore } from './kernel/data-store.ts'

/**
 * What a store with chosen capabilities is made of. The options of other capabilities are refused.
 */
export interface StoreOptions<T, F, S, C extends string> extends DataStoreOptions<T, F, S> {
  /** What the store can do beside reading and writing entities; nothing by default. */
  readonly capabilities?: readonly Capability<C>[]
}

/**
 * Creates a store that has only the capabilities it is given, so that bundlers omit the others.
 * Throws `modelInvalid` for a wrong model, and `argumentInvalid` for wrong options.
 *
 * @example
 * ```ts
 * import { aggregates } from '@entia/core/kernel'
 * const small = createStore({ name: 'small', dataClasses, capabilities: [aggregates] })
 * small.Company.insert({ name: 'Acme' }).key // → 1
 * ```
 */
export function createStore<
  const T extends readonly AnyDataClass[],
  const C extends string = never,
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(given: StoreOptions<T & CheckedClasses<T>, F, S, C>): KernelStore<KernelModelOf<T, C>, C, F, S> {
  const { capabilities = [], ...options } = given ?? {}
  // The capabilities have added their members to the class of the kernel's store.
  return DataStore.create(options, capabilities) as DataStore &
    KernelStore<KernelModelOf<T, C>, C, F, S>
}

/** Everything that a store can do: those of `createDataStore`. */
export const ALL_CAPABILITIES = [
  indexes,
  server,
  bulkWrites,
  typedQueries,
  aggregates,
  grouping,
  liveQueries,
  views,
  persistence,
] as const

/** The capabilities have added their members to the class of the kernel's store. */
const createWhole = (options: GivenOptions, name?: string): DataStore & PublicDataStore =>
  DataStore.create(options, ALL_CAPABILITIES, name) as DataStore & PublicDataStore

/**
 * Creates a store with every capability. The model is checked as a whole; a wrong one is refused
 * with `modelInvalid`, naming class, attribute and remedy. `clock` and `ids` are for tests that
 * want time and ids of their own.
 *
 * @example
 * ```ts
 * const shop = createDataStore({ name: 'shop', dataClasses: [Company, Employee] })
 * shop.Company.insert({ name: 'Acme' }).key // → 1
 * ```
 */
export const createDataStore: CreateDataStore = (options: DataStoreOptions) => createWhole(options)

/** As `openDump`, with the bytes in one piece or several. */
export function openPieces(
  bytes: Uint8Array | Iterable<Uint8Array>,
  options: OpenDumpOptions,
): PublicDataStore {
  const dump = new CheckedDump(bytes)
  const store = createWhole(options, dump.name)
  persistenceOf(store).replace(dump)
  return store
}

/**
 * Creates a store from the bytes of `dump()`: every record, stamp, timestamp and sequence, in the
 * same record order. Dataclasses are given as to `createDataStore`; they must be those of the dump.
 * Throws `dumpInvalid`, and then there is no store.
 *
 * @example
 * ```ts
 * const copy = openDump(store.dump(), { name: 'hr', dataClasses })
 * copy.Employee.count // → 2
 * ```
 */
export const openDump: OpenDump = openPieces

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
export type OpenDumpOptions<T = readonly AnyDataClass[], F = Functions, S = Singletons> = Nameable<
  DataStoreOptions<T, F, S>
>
type Nameable<O> = Omit<O, 'name'> & { readonly name?: string }

type StoreFunctions<T extends readonly AnyDataClass[]> = {
  readonly [name: string]: StoreFunctionOf<ModelOf<T>>
}

/** Options that are checked against the model that they define. */
type Checked<T extends readonly AnyDataClass[], F, S> = DataStoreOptions<
  T & CheckedClasses<T>,
  F & StoreFunctions<NoInfer<T>>,
  S & { readonly [name: string]: StoreFunctions<NoInfer<T>> }
>
/**
 * The signature of `createDataStore`: the types of all dataclasses together are inferred from their
 * definitions.
 */
export type CreateDataStore = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  options: Checked<T, F, S>,
) => PublicDataStore<ModelOf<T>, F, S>

/** The signature of `openDump`. */
export type OpenDump = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  bytes: Uint8Array,
  options: Nameable<Checked<T, F, S>>,
) => PublicDataStore<ModelOf<T>, F, S>

/** The signature of `openDumpFile`. */
export type OpenDumpFile = <
  const T extends readonly AnyDataClass[],
  const F extends Functions = Record<never, never>,
  const S extends Singletons = Record<never, never>,
>(
  path: string,
  options: Nameable<Checked<T, F, S>>,
) => Promise<PublicDataStore<ModelOf<T>, F, S>>
