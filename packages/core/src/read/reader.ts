import { EntityFactory } from '../entity/entity-factory.ts'
import { type Database, ScratchVectors } from '../execute/database.ts'
import { selectOf } from '../execute/run-plan.ts'
import { createStatistics } from '../execute/statistics.ts'
import type { Turns } from '../execute/turns.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import { isVisible, type ResolvedPath } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { TextForm } from '../model/text-form.ts'
import { explainedAsOf } from '../plan/explain-plan.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import { planQuery } from '../plan/plan-query.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { Clock } from '../ports.ts'
import type { Projection } from '../projection/projection.ts'
import type { RecordTexts } from '../projection/record-texts.ts'
import type { LiveSource, ReadFilter } from '../selection/selection-port.ts'
import type { PastRecord } from '../storage/history.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { WordAllocator } from '../storage/word-allocator.ts'
import { type StagedView, storedKey } from '../transaction/stage-set.ts'
import type { StoredValue } from '../value/types.ts'
import { NameRule } from './name-rule.ts'
import { Queries, type QueryPort } from './queries.ts'
import { Watch } from './watch.ts'

/** What reading needs of the writing side. */
export interface WriteSide {
  readonly tables: readonly Table[]
  /** Is called without its object. */
  tableOf(this: void, dataClass: ClassModel): Table
  /** The global stamp of the past that is read; null where it is the present. */
  readonly asOf: number | null
  readonly globalStamp: number
  readonly allocationClock: number
  /** True inside a transaction whose writes stand in the columns already. */
  readonly isProvisional: boolean
  /** Refuses a broken or closed store; true inside a transaction, whose view may differ from the columns. */
  isOpen(): boolean
  /** Refuses a broken or closed store; lets an open transaction see itself. */
  enter(): void
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  /** See `History.changedSlots`. */
  changedSlots(table: Table, globalStamp: number): readonly number[] | null
  /** The record of a stored key, as the open transaction sees it, or -1. */
  find(table: Table, key: string | number): number
  /** What the open transaction has staged of a living record; null when columns are right. */
  staged(table: Table, slot: number): StagedView | null
  /** Removes those of the keys that still exist, all or none; returns how many were there. */
  removeAll(table: Table, keys: readonly (string | number)[]): number
}

/** What a caller asks of a live query. */
export interface LiveRequest {
  readonly port: QueryPort
  readonly source: LiveSource
  /** Runs `body` outside of the sliced read that may be under way. */
  readonly undisturbed: <R>(body: () => R) => R
  readonly listener: unknown
  readonly options: unknown
}

/** Functions and public objects, which know the store as a whole. */
export interface StoreSide {
  /** Starts a live query for a reader. Throws `pastReadOnly` where nothing ever changes. */
  live(request: LiveRequest): object
  publicTable(dataClass: ClassModel): object
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown
}

/**
 * The one way of reading: text -> prepared filter (cached) -> predicate -> plan -> selection, and record -> entity.
 */
export class Reader implements QueryPort {
  readonly database: Database & { turns: Turns | null }
  readonly statistics: Statistics
  readonly queries: Queries
  readonly whole = this
  readonly restrictsRows = false
  /** Every name is known. */
  readonly names: NameRule
  /** Names of what is exposed are known. */
  readonly exposedNames: NameRule
  readonly limits: FilterLimits
  readonly watch: Watch
  readonly #writes: WriteSide
  readonly #store: StoreSide
  readonly #clock: Clock
  readonly #factories: readonly EntityFactory[]

  constructor(
    writes: WriteSide,
    store: StoreSide,
    clock: Clock,
    limits: FilterLimits,
    watch: Watch = new Watch(clock),
  ) {
    this.watch = watch
    this.#writes = writes
    this.#store = store
    this.#clock = clock
    this.limits = limits
    this.names = new NameRule(limits)
    this.exposedNames = new NameRule(limits, isVisible)
    const { tables } = writes
    const database: Database & { turns: Turns | null } = {
      tableOf: writes.tableOf,
      allocator: new WordAllocator(),
      scratch: new ScratchVectors(),
      turns: null,
      select: (dataClass, predicate) => this.#select(dataClass, predicate),
      entityAt: (table, slot) => this.#factories[table.model.ordinal].at(slot),
      visibleIn: () => null,
      get whole() {
        return database
      },
    }
    this.database = database
    this.queries = new Queries(this)
    this.statistics = createStatistics(this.database, () => this.isProvisional)
    const port = {
      relatedEntity: (relation: ToOneAttribute, key: StoredValue) =>
        this.get(relation.target, key as string | number) ?? null,
      relatedSelection: (relation: ToManyAttribute, key: StoredValue) =>
        this.queries.related(relation, key as string | number),
    }
    this.#factories = tables.map((table) => new EntityFactory(table, port))
  }

  get globalStamp(): number {
    return this.#writes.globalStamp
  }
  get allocationClock(): number {
    return this.#writes.allocationClock
  }
  get isProvisional(): boolean {
    return this.#writes.isProvisional
  }
  /**
   * True inside a transaction: a foreign key may then lead to nothing. Filters are bound before what is staged is written, so that
   * `isProvisional` would come too late. Throws `storeClosed` and `storeBroken`.
   */
  get mayDangle(): boolean {
    return this.#writes.isOpen()
  }
  enter(): void {
    this.#writes.enter()
  }
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> {
    return this.#writes.pastOf(table, globalStamp)
  }
  changedSlots(table: Table, globalStamp: number): readonly number[] | null {
    return this.#writes.changedSlots(table, globalStamp)
  }

  /** The entity with a stored key, in the open transaction's view. */
  get(dataClass: ClassModel, key: string | number): object | undefined {
    return this.getFrom(this.database.tableOf(dataClass), key)
  }
  /** The same where the table is known. */
  getFrom(table: Table, key: string | number): object | undefined {
    const isOpen = this.#writes.isOpen()
    const slot = isOpen ? this.#writes.find(table, key) : table.findKey(key)
    if (slot < 0) return undefined
    return isOpen ? this.entityAt(table, slot) : this.#factories[table.model.ordinal].at(slot)
  }
  /** The entity of a living record, in the open transaction's view. */
  entityAt(table: Table, slot: number): object {
    const staged = this.#writes.staged(table, slot)
    return staged === null ? this.#factories[table.model.ordinal].at(slot) : this.#stagedEntity(table, staged)
  }
  /** An entity from values; see `EntityFactory.of`. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object {
    return this.#factories[table.model.ordinal].of(values, stamp, timestamp)
  }
  #stagedEntity(table: Table, staged: StagedView): object {
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

  rowsOf(): null {
    return null
  }
  ruleOf(): null {
    return null
  }
  shown(explain: Explain): Explain {
    const { asOf } = this.#writes
    return asOf === null ? explain : explainedAsOf(explain, asOf)
  }
  shownCondition(condition: ConditionNode): ConditionNode {
    return condition
  }
  /** Makes the entities of a dataclass, for views too. */
  factoryOf(dataClass: ClassModel): EntityFactory {
    return this.#factories[dataClass.ordinal]
  }
  /** Changes with every write, and when a column or an index is replaced. Cost: O(dataclasses). */
  get state(): number {
    let state = 0
    for (const { version, layout } of this.#writes.tables) state += version + layout
    return state
  }

  /** Compiled filters are kept by text; the predicate comes back rewritten. */
  bindFilter(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): ReadFilter {
    const names = options?.exposedOnly === true ? this.exposedNames : this.names
    return names.bindFilter(dataClass, text, params, this.mayDangle)
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    return this.names.bindOrderBy(dataClass, text)
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return this.names.resolvePath(dataClass, text)
  }
  projection(dataClass: ClassModel, text: string): Projection {
    return this.names.projection(this.database, dataClass, text, this.layouts)
  }
  textForm(dataClass: ClassModel, form: TextForm): RecordTexts {
    return this.names.textForm(this.database, dataClass, form, this.layouts)
  }
  /** Changes when a column is replaced or a code gets a new meaning. */
  get layouts(): number {
    let layouts = 0
    for (const { layout } of this.#writes.tables) layouts += layout
    return layouts
  }

  publicTable(dataClass: ClassModel): object {
    return this.#store.publicTable(dataClass)
  }
  storedKey(dataClass: ClassModel, input: unknown): string | number | null {
    return storedKey(dataClass, input)
  }
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.#writes.removeAll(table, keys)
  }
  live(source: LiveSource, listener: unknown, options: unknown): object {
    return this.startLive(this, source, listener, options)
  }
  /** For a reader, which may be a view of this one. Throws `pastReadOnly` where nothing ever changes. */
  startLive(port: QueryPort, source: LiveSource, listener: unknown, options: unknown): object {
    return this.#store.live({ port, source, undisturbed: (body) => this.#undisturbed(body), listener, options })
  }
  /** What follows a commit may come in the middle of a read that is carried out in turns, and is none of it. */
  #undisturbed<R>(body: () => R): R {
    const { database } = this
    const outer = database.turns
    database.turns = null
    try {
      return body()
    } finally {
      database.turns = outer
    }
  }
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown {
    return this.#store.call(selection, dataClass, name, args)
  }
  monotonic(): number {
    return this.#clock.monotonic()
  }

  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    const { turns } = this.database
    if (turns === null) return planQuery(dataClass, predicate, this.statistics)
    return turns.once(['plan', dataClass, predicate], () => planQuery(dataClass, predicate, this.statistics))
  }

  #select(dataClass: ClassModel, predicate: Predicate): RecordSet {
    return selectOf(this.database, dataClass, predicate, () => this.planOf(dataClass, predicate))
  }
}
