import { EntityFactory } from '../entity/entity-factory.ts'
import { type Database, type Matching, ScratchVectors } from '../execute/database.ts'
import { ScanCounts } from '../execute/index-statistics.ts'
import { SCAN_OPERATORS, selectOf } from '../execute/run-plan.ts'
import { type ReadingLimits, TimeSlices } from '../execute/time-slices.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { EntityPort } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import { everything, type ResolvedPath } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { Reading } from '../model/store-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import { planScan } from '../plan/access-paths.ts'
import type { Counts } from '../plan/cost.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { Clock } from '../ports.ts'
import { WordAllocator } from '../storage/bitset-kernel.ts'
import type { Table } from '../storage/table.ts'
import { refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import type { StagedView } from '../write/stage-set.ts'
import { refusePromise } from '../write/write-errors.ts'
import { createNameRules, type NameRule, type NameRules } from './filter-cache.ts'
import type { Indexing, IndexSupport } from './index-pages.ts'
import { equalTo, Queries } from './queries.ts'
import type { Selection } from './selection.ts'
import {
  type Binder,
  heldPath,
  type Moment,
  type MustHold,
  type Planner,
  type ReadFilter,
  type Scope,
  type SelectionPort,
} from './selection-port.ts'
import type { Watch } from './watch.ts'

/** The tables that a reader reads: those of the writer, or those of the past. */
export interface TableSource extends Moment {
  /** All tables; of the past, those that were read. */
  readonly tables: readonly Table[]
  /** Called without its object. */
  tableOf(this: void, dataClass: ClassModel): Table
  /**
   * Refuses a broken or closed store; true inside a transaction, which may see other values than
   * the columns hold.
   */
  isOpen(): boolean
  /** The record of a stored key, as the open transaction sees it, or -1. */
  locate(table: Table, key: string | number): number
  /**
   * What the open transaction has staged of a living record; null when the columns hold it as it
   * is.
   */
  staged(table: Table, slot: number): StagedView | null
  /** Removes those of the keys that still exist, all or none; returns how many it removed. */
  removeAll(table: Table, keys: readonly (string | number)[]): number
}

/** What a reader is made with. */
export interface ReaderOptions {
  readonly clock: Clock
  readonly limits: FilterLimits
  readonly watch: Watch
  /** The class of its selections, which the store's capabilities have extended. */
  readonly Selection: typeof Selection
  /** Null in a store without the capability `indexes`. */
  readonly indexes: IndexSupport | null
  /** For a store that holds only some records; see `Database.matching`. */
  readonly matching?: Matching | undefined
  /** For a store that holds only some entities. */
  readonly mustHold?: MustHold | undefined
  /** The public object of a dataclass. */
  publicTable(dataClass: ClassModel): DataClassCore<Untyped, Untyped, Untyped>
}

/**
 * The one way of reading: text -> prepared filter (cached) -> predicate -> plan -> selection, and
 * record -> entity.
 */
export class Reader implements SelectionPort, Scope, Binder, Planner, NameRules {
  readonly database: Database & { slices: TimeSlices | null }
  readonly counts: Counts
  readonly indexing: Indexing | null
  readonly queries: Queries
  readonly whole = this
  readonly scope = this
  readonly binder = this
  readonly planner = this
  readonly moment: Moment
  readonly restrictsRows = false
  readonly sees = everything
  readonly names: NameRule
  readonly exposedNames: NameRule
  readonly template: NameRules['template']
  readonly options: ReaderOptions
  readonly #source: TableSource
  readonly #entities: EntityPort
  readonly #factories: EntityFactory[]

  constructor(source: TableSource, options: ReaderOptions) {
    const { limits, indexes } = options
    this.#source = source
    this.moment = source
    this.options = options
    const { names, exposedNames, template } = createNameRules(limits, indexes?.template)
    this.names = names
    this.exposedNames = exposedNames
    this.template = template
    const database: Database & { slices: TimeSlices | null } = {
      tableOf: source.tableOf,
      allocator: new WordAllocator(() => indexes?.createKernel() ?? null),
      scratch: new ScratchVectors(),
      slices: null,
      select: (dataClass, predicate) =>
        selectOf(database, dataClass, predicate, () => this.planOf(dataClass, predicate)),
      entityAt: (table, slot) => this.#factories[table.model.ordinal].at(slot),
      visibleIn: () => null,
      matching: options.matching ?? null,
      operators: indexes?.operators ?? SCAN_OPERATORS,
      get whole() {
        return database
      },
    }
    this.database = database
    this.queries = new Queries(this, options.watch, options.Selection, options.mustHold)
    this.indexing = indexes?.forReader(database, source) ?? null
    this.counts = this.indexing?.counts ?? new ScanCounts(database, source)
    this.#entities = {
      relatedEntity: (relation: ToOneAttribute, key: StoredValue) =>
        this.get(relation.target, key as string | number) ?? this.absent(relation),
      relatedSelection: (relation: ToManyAttribute, key: StoredValue) =>
        this.queries.related(relation, key as string | number),
    }
    this.#factories = source.tables.map((table) => new EntityFactory(table, this.#entities))
  }

  /** Prepares for the entities of a table that the source did not have before. */
  addTable(table: Table): void {
    this.#factories[table.model.ordinal] = new EntityFactory(table, this.#entities)
  }

  /**
   * True inside a transaction and in a store that holds only some entities: a foreign key may then
   * lead to nothing. Filters are bound before
   * staged writes are applied, so that `isProvisional` would come too late. Throws `storeClosed`
   * and `storeBroken`.
   */
  get mayDangle(): boolean {
    return this.#source.isOpen() || this.options.mustHold !== undefined
  }

  get mustHold(): MustHold | undefined {
    return this.options.mustHold
  }
  /** Throws if an entity with this key may exist elsewhere; see `ReaderOptions.mustHold`. */
  mustHoldKey(dataClass: ClassModel, key: string | number): void {
    this.mustHold?.(dataClass, equalTo(dataClass.key, key), false)
  }

  /** The entity behind a relation that leads to none that is held. Throws as `heldPath`. */
  absent(relation: ToOneAttribute): null {
    heldPath(this, relation.owner, { steps: [relation], attribute: relation.target.key })
    return null
  }

  /** The entity with a stored key, in the open transaction's view. */
  get(dataClass: ClassModel, key: string | number): AnyEntity | undefined {
    return this.getFrom(this.database.tableOf(dataClass), key)
  }
  /** The same where the table is known. */
  getFrom(table: Table, key: string | number): AnyEntity | undefined {
    const isOpen = this.#source.isOpen()
    const slot = isOpen ? this.#source.locate(table, key) : table.findKey(key)
    if (slot < 0) return undefined
    return isOpen ? this.entityAt(table, slot) : this.#factories[table.model.ordinal].at(slot)
  }
  /** The entity of a living record, in the open transaction's view. */
  entityAt(table: Table, slot: number): AnyEntity {
    const staged = this.#source.staged(table, slot)
    return staged === null
      ? this.#factories[table.model.ordinal].at(slot)
      : this.#stagedEntity(table, staged)
  }
  /** An entity from values; see `EntityFactory.of`. */
  entityOf(
    table: Table,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
  ): AnyEntity {
    return this.#factories[table.model.ordinal].of(values, stamp, timestamp)
  }
  #stagedEntity(table: Table, staged: StagedView): AnyEntity {
    const factory = this.#factories[table.model.ordinal]
    const { slot, ordinals, values, stamp, timestamp } = staged
    if (ordinals === null) return factory.of(values, stamp, timestamp)
    if (!factory.hasHidden || !ordinals.some((ordinal) => table.model.storage[ordinal].hidden)) {
      return factory.changed(slot, ordinals, values, stamp, timestamp)
    }
    const all = table.readAll(slot)
    for (let i = 0; i < ordinals.length; i++) all[ordinals[i]] = values[i]
    return factory.of(all, stamp, timestamp)
  }
  /** Makes the entities of a dataclass, for views too. */
  factoryOf(dataClass: ClassModel): EntityFactory {
    return this.#factories[dataClass.ordinal]
  }

  get limits(): FilterLimits {
    return this.options.limits
  }
  rowsOf(): null {
    return null
  }
  ruleOf(): null {
    return null
  }
  shown(explain: Explain): Explain {
    return explain
  }
  shownCondition(condition: ConditionNode): ConditionNode {
    return condition
  }
  publicTable(dataClass: ClassModel): DataClassCore<Untyped, Untyped, Untyped> {
    return this.options.publicTable(dataClass)
  }

  /** Compiled filters are cached by text; the predicate comes back rewritten. */
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    options?: QueryOptions,
  ): ReadFilter {
    const names = options?.exposedOnly === true ? this.exposedNames : this.names
    return names.bindFilter(dataClass, text, params, this.mayDangle)
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    return this.names.bindOrderBy(dataClass, text)
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return heldPath(this, dataClass, this.names.resolvePath(dataClass, text))
  }

  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    const { slices } = this.database
    if (slices === null) return this.#plan(dataClass, predicate)
    return slices.once(['plan', dataClass, predicate], () => this.#plan(dataClass, predicate))
  }
  #plan(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    return this.indexing === null
      ? planScan(dataClass, predicate, this.counts)
      : this.indexing.plan(dataClass, predicate)
  }
  monotonic(): number {
    return this.options.clock.monotonic()
  }

  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.#source.removeAll(table, keys)
  }

  /** Changes with every write, and when a column or an index is replaced. Cost: O(dataclasses). */
  get state(): number {
    let state = 0
    for (const { version, layout } of this.#source.tables) state += version + layout
    return state
  }
}

/** The writer of a store that is read. */
interface ReadingWriter {
  /** Refuses a broken or closed store, and an open transaction. */
  outside(operation: string): void
}

export class StoreReading<R> implements Reading<R> {
  readonly #reader: Reader
  readonly #writer: ReadingWriter
  readonly #body: () => R
  readonly #slices: TimeSlices
  #state = -1
  #result: { readonly value: R } | undefined

  constructor(reader: Reader, limits: ReadingLimits, writer: ReadingWriter, body: () => R) {
    this.#reader = reader
    this.#writer = writer
    writer.outside('reading')
    this.#body = body
    this.#slices = new TimeSlices(reader.options.clock, limits)
  }

  advance(): boolean {
    if (this.#result !== undefined) return true
    this.#writer.outside('reading')
    const { database, state } = this.#reader
    // A write makes earlier results wrong.
    if (state !== this.#state) this.#slices.forget()
    this.#state = state
    const outer = database.slices
    database.slices = this.#slices
    try {
      this.#result = this.#slices.run(this.#body)
    } finally {
      database.slices = outer
    }
    if (this.#result === undefined) return false
    refusePromise(this.#result.value, 'The body of reading', 'Await before it or after it.')
    return true
  }

  get value(): R {
    if (this.#result === undefined)
      throw refused(
        'The reading',
        'one that has come to its end',
        'one whose advance has not answered true',
      )
    return this.#result.value
  }
}
