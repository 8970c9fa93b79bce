import type {
  AliasDefinition,
  AnyDataClass,
  ComputedDefinition,
  DataClass,
  DeepReadonly,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type { AnyEntity, Entity } from './entity-types.ts'
import type { SelectionGroups } from './group-types.ts'
import type { PathValue } from './path-types.ts'
import type {
  Selection,
  SelectionAggregates,
  SelectionConditions,
  SelectionCore,
  SelectionFunctions,
  SelectionLive,
  SelectionPlans,
  SelectionProjections,
  SelectionReader,
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

/**
 * All dataclasses of a store by name. Each value has the shape of `ClassShape`; a bound that said
 * so would refuse interfaces, which have no index signature.
 */
export type Model = { readonly [name: string]: Untyped }
export type AttributesOf<M extends Model, N extends keyof M> = M[N]['attributes']
/**
 * The names of a dataclass and its attributes. `string` is among them if they are not known until
 * the program runs.
 */
export type Names<M extends Model, N extends keyof M> = N | keyof AttributesOf<M, N>

/** The same dataclasses at an older global stamp: read only. */
export type PastModel<M extends Model> = {
  readonly [N in keyof M]: M[N] & { readonly isPast: true }
}

/**
 * The selections of a dataclass: of the past, of a store with some capabilities, or of one with
 * all.
 */
type SelectionOf<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? Selection<M, N>
    : 'isPast' extends keyof M[N]
      ? SelectionReader<M, N>
      : 'capabilities' extends keyof M[N]
        ? KernelSelection<M, N, M[N]['capabilities']>
        : Selection<M, N>

/**
 * The model of one class alone, as its hooks and functions know it. Names after a relation are not
 * checked.
 */
export type LocalModel<N extends string, A, F = Untyped> = {
  readonly [K in N]: { readonly attributes: A; readonly functions: F }
}

export type Nullable<V, F> = F extends { readonly key: true } | { readonly notNull: true }
  ? V
  : V | null

/** The attribute that is the key, if the definition says so. */
export type KeyName<A> = {
  [K in keyof A]: A[K] extends StorageDefinition<Untyped, Untyped, { readonly key: true }>
    ? K
    : never
}[keyof A]
/** The type of a dataclass's key. */
export type KeyOf<A> = string extends keyof A
  ? string | number
  : A[KeyName<A>] extends StorageDefinition<infer V, Untyped, Untyped>
    ? V
    : string | number

/** The type of the value of an attribute. For an alias, the type at the end of its path. */
export type AttributeValue<
  M extends Model,
  N extends keyof M,
  K extends keyof AttributesOf<M, N>,
> = ValueOf<M, N, AttributesOf<M, N>[K]>
type ValueOf<M extends Model, N extends keyof M, D> =
  D extends StorageDefinition<infer V, Untyped, infer F>
    ? Nullable<DeepReadonly<V>, F>
    : D extends ComputedDefinition<infer V, Untyped, Untyped>
      ? V
      : D extends RelatedEntityDefinition<infer T, infer F>
        ? T extends keyof M
          ? Nullable<Entity<M, T>, F>
          : AnyEntity | null
        : D extends RelatedEntitiesDefinition<infer T, string>
          ? T extends keyof M
            ? SelectionOf<M, T>
            : Selection<Untyped, string>
          : D extends AliasDefinition<infer P>
            ? PathValue<M, N, P>
            : never

/** The stored values of one class by name, without relations, computed attributes and aliases. */
export type StoredValues<A> = {
  readonly [K in keyof A as A[K] extends StorageDefinition<Untyped, Untyped, Untyped>
    ? K
    : never]: A[K] extends StorageDefinition<infer V, Untyped, infer F>
    ? Nullable<DeepReadonly<V>, F>
    : never
}

/** The stored values of a dataclass: `ValuesOf<typeof Company>`. */
export type ValuesOf<C> = C extends DataClass<string, infer A, Untyped> ? StoredValues<A> : never

/** Attributes that can be summed. */
export type NumericName<A> = string extends keyof A
  ? string
  : {
      [K in keyof A]: A[K] extends
        | StorageDefinition<number, Untyped, Untyped>
        | ComputedDefinition<number | null, Untyped, Untyped>
        | AliasDefinition<string>
        ? K
        : never
    }[keyof A] &
      string

type Unordered =
  | RelatedEntityDefinition<string, Untyped>
  | RelatedEntitiesDefinition<string, string>
/** Attributes that have a minimum and a maximum. */
export type OrderedName<A> = string extends keyof A
  ? string
  : {
      [K in keyof A]: A[K] extends Unordered
        ? never
        : A[K] extends { readonly value?: infer V }
          ? [Extract<V, object>] extends [never]
            ? K
            : never
          : K
    }[keyof A] &
      string

/** What each capability adds to selections. */
interface SelectionParts<M extends Model, N extends keyof M> {
  readonly aggregates: SelectionAggregates<M, N>
  readonly grouping: SelectionGroups<M, N>
  readonly indexes: SelectionSearch & SelectionPlans
  readonly liveQueries: SelectionLive<M, N>
  readonly server: SelectionFunctions<M, N> & SelectionTexts
  readonly typedQueries: SelectionConditions<M, N> & SelectionProjections<M, N>
}
/** What each capability adds to dataclasses. */
interface DataClassParts<M extends Model, N extends keyof M, S> {
  readonly bulkWrites: DataClassLoads<M, N>
  readonly indexes: DataClassIndexes<M, N> & DataClassSearch<S> & DataClassPlans<N & string>
  readonly server: DataClassFunctions<M, N> & DataClassTexts<M, N>
  readonly typedQueries: DataClassConditions<M, N, S>
}
/** What each capability adds to the store. */
interface StoreParts<M extends Model, F, S> {
  readonly liveQueries: { readonly figures: StoreFigures }
  readonly persistence: StoreSnapshots & StoreDumps & StoreVerification
  readonly server: StoreServerState & StoreFunctions<F, S> & StoreReadings
  readonly views: StoreViews<M> & StorePast<M>
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
