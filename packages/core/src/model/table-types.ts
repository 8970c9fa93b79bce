import type { ClassModel } from './catalog.ts'
import type { Untyped } from './definition.ts'
import type { DraftOf, Entity, NewEntity, Patch } from './entity-types.ts'
import type { Explain, FilterTrace } from './explain-types.ts'
import type { ArgumentsOf, FunctionName, ResultOf } from './function-types.ts'
import type { FilterParameters, QueryOptions, Selection, SelectionReader } from './selection-types.ts'
import type { EntityText, TextForm } from './text-form.ts'
import type { AttributesOf, AttributeValue, KeyOf, Model } from './value-types.ts'

type AttributeName<M extends Model, N extends keyof M> = keyof AttributesOf<M, N> & string
type Key<M extends Model, N extends keyof M> = KeyOf<AttributesOf<M, N>>

/** Reads of one dataclass, of now or of an older global stamp. `S` are its selections. */
export interface DataClassReader<
  M extends Model,
  N extends keyof M,
  S extends SelectionReader<M, N> = Selection<M, N>,
> {
  readonly name: N & string
  readonly model: ClassModel
  /** Entities there are. */
  readonly count: number
  get(key: Key<M, N>): Entity<M, N> | undefined
  has(key: Key<M, N>): boolean
  all(): S
  empty(): S
  /** The entities with these keys, in that order; unknown keys are left out. */
  from(keys: Iterable<Key<M, N>>): S
  query(filter: string, parameters?: FilterParameters, options?: QueryOptions): S
  /** The plan a query would take, without running it. */
  explain(filter: string, parameters?: FilterParameters, options?: QueryOptions): Explain
  /** Runs a filter part by part, each by itself, and tells what each found. Costs more than the query. */
  trace(filter: string, parameters?: FilterParameters, options?: QueryOptions): FilterTrace
  /** Every plan that is priced for a filter, the cheapest first, without running one. */
  plans(filter: string, parameters?: FilterParameters): readonly Explain[]
  /** The first entity, in record order, whose attribute has the value. */
  findBy<K extends AttributeName<M, N>>(attribute: K, value: AttributeValue<M, N, K>): Entity<M, N> | undefined
  /** One entity as text, in a form of the caller's; undefined where there is none. No entity is made. For adapters. */
  text(key: Key<M, N>, form: TextForm): EntityText | undefined
  /**
   * Identifies what has a key now, in this instance of the store: another entity with the same key has another life, and every `restore`
   * begins a new one. A stamp is given once in each life. Undefined where there is no entity. For adapters.
   */
  life(key: Key<M, N>): string | undefined
}

/** A stamp makes a write conditional: `stampChanged` when the entity was saved since. */
export interface WriteOptions {
  readonly stamp?: number
}

export interface RemoveOptions extends WriteOptions {
  /**
   * How many entities the removals of one transaction may take along or change by `onDelete` rules: more are refused (`budgetExceeded`). They are
   * all written in one turn of the event loop. Any number by default.
   */
  readonly maxCascade?: number
}

export interface LoadOptions {
  /** Called now and then with the rows read so far. */
  readonly onProgress?: (rows: number) => void
  /** What a relation to a missing entity does: refuse the load (`'check'`, the default) or become null. */
  readonly relations?: 'check' | 'null'
  /** `false` leaves hooks out. */
  readonly hooks?: boolean
}
export interface LoadResult {
  readonly count: number
}

/** One update of many: the entity by its key, what changes, and the stamp that was read. */
export interface EntityChange<M extends Model, N extends keyof M> extends WriteOptions {
  readonly key: Key<M, N>
  readonly patch: Patch<M, N>
}
export interface UpdateResult {
  /** Changes given. */
  readonly count: number
}

/** One dataclass of a store. */
export interface DataClassTable<M extends Model, N extends keyof M> extends DataClassReader<M, N> {
  insert(values: NewEntity<M, N>): Entity<M, N>
  update(key: Key<M, N>, patch: Patch<M, N>, options?: WriteOptions): Entity<M, N>
  update(key: Key<M, N>, edit: (draft: DraftOf<M, N>) => void, options?: WriteOptions): Entity<M, N>
  /**
   * Many updates in one commit, all or none, without handing the entities out. Missing entities and stale stamps are looked for
   * first, so that a batch refused for one of them costs next to nothing.
   */
  updateAll(changes: readonly EntityChange<M, N>[]): UpdateResult
  remove(key: Key<M, N>, options?: RemoveOptions): void
  /** What a save would give, of a new entity when `key` is null; stores nothing. */
  preview(key: Key<M, N> | null, values: Patch<M, N>): Entity<M, N>
  /** Inserts many entities in one commit; rows may refer to each other, and a refusal loads nothing. */
  load(rows: Iterable<NewEntity<M, N>>, options?: LoadOptions): LoadResult
  load(rows: AsyncIterable<NewEntity<M, N>>, options?: LoadOptions): Promise<LoadResult>
  createIndex(attribute: AttributeName<M, N>): void
  dropIndex(attribute: AttributeName<M, N>): void
  /** Calls a class function that works on the dataclass. */
  call<K extends FunctionName<M[N]['functions'], 'dataClass'>>(
    name: K,
    ...args: ArgumentsOf<M[N]['functions'], K>
  ): ResultOf<M[N]['functions'], K>
  /** Calls a class function that works on one entity. */
  callOn<K extends FunctionName<M[N]['functions'], 'entity'>>(
    entity: Entity<M, N>,
    name: K,
    ...args: ArgumentsOf<M[N]['functions'], K>
  ): ResultOf<M[N]['functions'], K>
}

/** The entities of a table: `EntityOf<typeof store.Employee>`. */
export type EntityOf<T> = T extends DataClassReader<infer M, infer N, Untyped> ? Entity<M, N> : never
