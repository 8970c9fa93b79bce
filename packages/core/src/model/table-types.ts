import type { ClassModel } from './catalog.ts'
import type { Condition, Conditional, ConditionInput } from './condition-types.ts'
import type { Untyped } from './definition.ts'
import type { DraftOf, Entity, NewEntity, Patch } from './entity-types.ts'
import type { Explain, FilterTrace } from './explain-types.ts'
import type { ArgumentsOf, FunctionName, ResultOf } from './function-types.ts'
import type { RowBlock } from './row-block.ts'
import type {
  EntityText,
  FilterParameters,
  QueryOptions,
  Selection,
  SelectionReader,
  TextForm,
} from './selection-types.ts'
import type { AttributesOf, AttributeValue, KeyOf, Model } from './value-types.ts'

type AttributeName<M extends Model, N extends keyof M> = keyof AttributesOf<M, N> & string
type Key<M extends Model, N extends keyof M> = KeyOf<AttributesOf<M, N>>

// `DataClassTable` is assembled from one interface per capability, as `Selection` is.
// `DataClassCore` and `DataClassWrites` are the parts that every store has. `S` is the type of the
// selections.

/** Finding the entities of one dataclass. */
export interface DataClassCore<M extends Model, N extends keyof M, S = Selection<M, N>>
  extends Conditional<M, N> {
  readonly name: N & string
  readonly model: ClassModel
  /** The number of entities. */
  readonly count: number
  get(key: Key<M, N>): Entity<M, N> | undefined
  has(key: Key<M, N>): boolean
  all(): S
  empty(): S
  /** The entities with these keys, in that order; unknown keys are left out. */
  from(keys: Iterable<Key<M, N>>): S
  /** `parameters` are the values of a text. A condition of `where` has its own. */
  query(
    filter: string | Condition<N & string>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): S
  /** The first entity, in record order, whose attribute has the value. */
  findBy<K extends AttributeName<M, N>>(
    attribute: K,
    value: AttributeValue<M, N, K>,
  ): Entity<M, N> | undefined
}

/** Finding entities by the words of their texts. */
export interface DataClassSearch<S> {
  /**
   * The entities with every one of the words, each in any attribute with `words: true` that the
   * caller knows. A word that ends with `@` or `*` is a prefix; other signs separate words. The
   * best matches come first. The order is that of `all()` in the past, and where a row filter
   * hides entities. Throws `attributeNotApplicable` if no attribute has words. Cost: as `%` for
   * each word and attribute, and the scores of all that is found.
   *
   * @example
   * ```ts
   * const Article = defineDataClass('Article', {
   *   ID: attribute.long({ key: true, autoSequence: true }),
   *   title: attribute.string({ words: true }),
   *   body: attribute.string({ words: true }),
   * })
   * const library = createDataStore({ name: 'library', dataClasses: [Article] })
   * library.Article.load([
   *   { title: 'Night trains', body: 'They leave at nine.' },
   *   { title: 'Boats' },
   * ])
   * library.Article.search('nine train*').keys() // → [ 1 ]
   * ```
   */
  search(words: string): S
}

/** How filters are answered. */
export interface DataClassPlans<N extends string = string> {
  /** The plan a query would take, without running it. */
  explain(
    filter: string | Condition<N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): Explain
  /** Runs each part of a filter by itself and reports what it found. Costs more than the query. */
  trace(
    filter: string | Condition<N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): FilterTrace
  /** Every plan that the planner prices for a filter, the cheapest first, without running one. */
  plans(filter: string | Condition<N>, parameters?: FilterParameters): readonly Explain[]
}

/** Filters that the compiler checks. */
export interface DataClassConditions<M extends Model, N extends keyof M, S = Selection<M, N>> {
  /**
   * A filter as text, as a condition of `where`, or as a function that makes one:
   * `query((e) => e('salary', '>', 50_000))`. `parameters` are the values of a text.
   */
  query(
    filter: string | ConditionInput<M, N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): S
}

/** Text of entities in a form that an adapter defines. */
export interface DataClassTexts<M extends Model, N extends keyof M> {
  /** One entity as text; undefined when there is none. Creates no entity object. */
  text(key: Key<M, N>, form: TextForm): EntityText | undefined
  /**
   * Identifies the entity that has a key now, in this instance of the store. A later entity with
   * the same key has another life, and every `restore` begins a new life. Within a life no stamp
   * occurs twice. Undefined when there is no entity.
   */
  life(key: Key<M, N>): string | undefined
}

/** Reads of one dataclass, of the present or of an older global stamp. */
export interface DataClassReader<
  M extends Model,
  N extends keyof M,
  S extends SelectionReader<M, N> = Selection<M, N>,
> extends DataClassCore<M, N, S>,
    DataClassSearch<S>,
    DataClassPlans<N & string>,
    DataClassTexts<M, N> {
  /**
   * A filter as text, as a condition of `where`, or as a function that makes one:
   * `query((e) => e('salary', '>', 50_000))`. `parameters` are the values of a text.
   */
  query(
    filter: string | ConditionInput<M, N>,
    parameters?: FilterParameters,
    options?: QueryOptions,
  ): S
}

/** A stamp makes a write conditional: it throws `stampChanged` if the entity was saved since. */
export interface WriteOptions {
  readonly stamp?: number
}

export interface RemoveOptions extends WriteOptions {
  /**
   * The maximal number of entities that the removals of one transaction may remove or change by
   * `onDelete` rules. More throw `budgetExceeded`. All are written without yielding to the event
   * loop. There is no limit by default.
   */
  readonly maxCascade?: number
}

export interface LoadOptions {
  /** Called repeatedly with the number of rows read so far. */
  readonly onProgress?: (rows: number) => void
  /**
   * A relation to a missing entity makes the load fail (`'check'`, the default) or becomes null.
   */
  readonly relations?: 'check' | 'null'
  /** `false` skips the hooks. */
  readonly hooks?: boolean
}
export interface LoadResult {
  readonly count: number
}

/** One update of a batch: the key of the entity, the patch, and the stamp that was read. */
export interface EntityChange<M extends Model, N extends keyof M> extends WriteOptions {
  readonly key: Key<M, N>
  readonly patch: Patch<M, N>
}
export interface UpdateResult {
  /** The number of changes in the batch. */
  readonly count: number
}

/** Writes to one dataclass. */
export interface DataClassWrites<M extends Model, N extends keyof M> {
  /**
   * Saves a new entity and returns it. A relation is given by the entity or its key. Attributes
   * that are left out get their default, their next number, or null. Cost: O(attributes) and the
   * entries of indexes. Throws `valueInvalid` for a value of a wrong type, `keyNotUnique`,
   * `uniqueViolation`, and `validationFailed` for a rule or hook; then nothing is saved.
   *
   *     const ada = store.Employee.insert({ lastName: 'Byron', employer: acme })
   */
  insert(values: NewEntity<M, N>): Entity<M, N>
  // Compilers explain the last overload that fails, so the usual one is last, here and in `load`.
  /** As below, by a function that edits a copy: `update(7, (draft) => { draft.salary += 1 })`. */
  update(key: Key<M, N>, edit: (draft: DraftOf<M, N>) => void, options?: WriteOptions): Entity<M, N>
  /**
   * Saves changed values and returns the entity; its stamp rises by one if a value changed. With
   * `stamp` it is an optimistic lock. Throws as `insert`, and `entityNotFound`, `stampChanged`.
   *
   *     store.Employee.update(ada.key, { salary: 70_000 }, { stamp: ada.stamp })
   */
  update(key: Key<M, N>, patch: Patch<M, N>, options?: WriteOptions): Entity<M, N>
  /**
   * Removes an entity. The option `onDelete` of relations decides about entities that refer to it.
   * Throws `entityNotFound`, `stampChanged`, `removeRestricted`, `budgetExceeded`.
   */
  remove(key: Key<M, N>, options?: RemoveOptions): void
  /** The entity that a save would give, a new one when `key` is null; stores nothing. */
  preview(key: Key<M, N> | null, values: Patch<M, N>): Entity<M, N>
}

/** Many writes in one commit. */
export interface DataClassLoads<M extends Model, N extends keyof M> {
  /**
   * Inserts many entities in one commit; rows may refer to each other, and a refusal loads nothing.
   * A `RowBlock` stands for many rows.
   */
  load(rows: Iterable<NewEntity<M, N> | RowBlock>, options?: LoadOptions): LoadResult
  load(rows: AsyncIterable<NewEntity<M, N> | RowBlock>, options?: LoadOptions): Promise<LoadResult>
  // Also the first one, which rows of type `any` take.
  load(rows: Iterable<NewEntity<M, N> | RowBlock>, options?: LoadOptions): LoadResult
  /**
   * Many updates in one commit, all or none, without returning the entities. Missing entities and
   * stale stamps are checked first, so that refusing a batch for one of them costs next to nothing.
   */
  updateAll(changes: readonly EntityChange<M, N>[]): UpdateResult
}

/** Indexes added and dropped at run time. */
export interface DataClassIndexes<M extends Model, N extends keyof M> {
  createIndex(attribute: AttributeName<M, N>): void
  dropIndex(attribute: AttributeName<M, N>): void
}

/** Class functions that work on the dataclass or on one entity. */
export interface DataClassFunctions<M extends Model, N extends keyof M> {
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

/** One dataclass of a store. */
export interface DataClassTable<M extends Model, N extends keyof M>
  extends DataClassReader<M, N>,
    DataClassWrites<M, N>,
    DataClassLoads<M, N>,
    DataClassIndexes<M, N>,
    DataClassFunctions<M, N> {}

/** The type of the entities of a table: `EntityOf<typeof store.Employee>`. */
export type EntityOf<T> =
  T extends DataClassReader<infer M, infer N, Untyped> ? Entity<M, N> : never
