import type { AnyDataClass } from './definition.ts'
import type { SelectionGroups } from './group-types.ts'
import type {
  SelectionAggregates,
  SelectionConditions,
  SelectionCore,
  SelectionFunctions,
  SelectionLive,
  SelectionPlans,
  SelectionProjections,
  SelectionSearch,
  SelectionTexts,
  SelectionWrites,
} from './selection-types.ts'
import type {
  ModelOf,
  StoreCore,
  StoreDumps,
  StoreFigures,
  StoreFunctions,
  StorePast,
  StoreReadings,
  StoreServerState,
  StoreSnapshots,
  StoreVerification,
  StoreViews,
} from './store-types.ts'
import type {
  DataClassConditions,
  DataClassCore,
  DataClassFunctions,
  DataClassIndexes,
  DataClassLoads,
  DataClassPlans,
  DataClassSearch,
  DataClassTexts,
  DataClassWrites,
} from './table-types.ts'
import type { Model } from './value-types.ts'

/** What each capability adds to selections. */
interface SelectionParts<M extends Model, N extends keyof M> {
  readonly aggregates: SelectionAggregates<M, N>
  readonly typedQueries: SelectionConditions<M, N>
  readonly grouping: SelectionGroups<M, N>
  readonly projections: SelectionProjections<M, N>
  readonly texts: SelectionTexts
  readonly explaining: SelectionPlans
  readonly indexes: SelectionSearch
  readonly liveQueries: SelectionLive<M, N>
  readonly functions: SelectionFunctions<M, N>
}
/** What each capability adds to dataclasses. */
interface DataClassParts<M extends Model, N extends keyof M, S> {
  readonly bulkWrites: DataClassLoads<M, N>
  readonly indexes: DataClassIndexes<M, N> & DataClassSearch<S>
  readonly texts: DataClassTexts<M, N>
  readonly explaining: DataClassPlans<N & string>
  readonly typedQueries: DataClassConditions<M, N, S>
  readonly functions: DataClassFunctions<M, N>
}
/** What each capability adds to the store. */
interface StoreParts<M extends Model, F, S> {
  readonly views: StoreViews<M>
  readonly past: StorePast<M>
  readonly snapshots: StoreSnapshots
  readonly dumps: StoreDumps
  readonly verifying: StoreVerification
  readonly serverState: StoreServerState
  readonly functions: StoreFunctions<F, S>
  readonly slicedReads: StoreReadings
  readonly observing: { readonly figures: StoreFigures }
}

/** The parts of some capabilities together; `unknown` for none. */
type Together<P, C> = (C extends keyof P ? (part: P[C]) => void : (part: unknown) => void) extends (
  part: infer I,
) => void
  ? I
  : never

/**
 * The dataclasses of a store that has some capabilities: what their relations lead to has these and
 * no others.
 */
export type KernelModelOf<T extends readonly AnyDataClass[], C extends string> = {
  readonly [N in keyof ModelOf<T>]: ModelOf<T>[N] & { readonly capabilities: C }
}

/** A selection with the methods of some capabilities. */
export type KernelSelection<M extends Model, N extends keyof M, C extends string> = SelectionCore<
  M,
  N
> &
  SelectionWrites &
  Together<SelectionParts<M, N>, C>

/** One dataclass of a store with some capabilities. */
export type KernelDataClass<M extends Model, N extends keyof M, C extends string> = DataClassCore<
  M,
  N,
  KernelSelection<M, N, C>
> &
  DataClassWrites<M, N> &
  Together<DataClassParts<M, N, KernelSelection<M, N, C>>, C>

/** Its dataclasses by name. */
export type KernelTables<M extends Model, C extends string> = {
  readonly [N in keyof M]: KernelDataClass<M, N, C>
}

/** A store with some capabilities: its dataclasses by name, and their methods. */
export type KernelStore<M extends Model, C extends string, F, S> = KernelTables<M, C> &
  StoreCore<KernelTables<M, C>> &
  Together<StoreParts<M, F, S>, C> & {
    /** For names that are known at run time only. Throws `dataClassNotFound`. */
    dataClass<N extends keyof M & string>(name: N): KernelDataClass<M, N, C>
  }
