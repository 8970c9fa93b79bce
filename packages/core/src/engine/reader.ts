import { LRUCache } from 'lru-cache'
import { EntiaError } from '../errors.ts'
import { type Database, ScratchVectors } from '../execute/database.ts'
import { runPlan } from '../execute/run-plan.ts'
import { createStatistics } from '../execute/statistics.ts'
import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { Explain } from '../model/explain-types.ts'
import { type ResolvedPath, resolvePath } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import { conditionOf } from '../plan/condition.ts'
import { explainPlan, printable } from '../plan/explain-plan.ts'
import { isSingleAccess, type PhysicalPlan } from '../plan/physical-plan.ts'
import { planAlternatives, planQuery } from '../plan/plan-query.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { Clock } from '../ports.ts'
import { EntityFactory } from '../selection/entity-factory.ts'
import type { Members } from '../selection/members.ts'
import { Membership } from '../selection/membership.ts'
import { compileProjection, type Projection } from '../selection/projection.ts'
import { Selection } from '../selection/selection.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { WordAllocator } from '../storage/bitset.ts'
import type { PastRecord } from '../storage/history.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { StagedView } from '../transaction/stage-set.ts'
import { coerceInput } from '../value/coerce.ts'
import { Refusal } from '../value/refusal.ts'
import { textKey } from '../value/text-key.ts'
import type { StoredValue } from '../value/types.ts'
import { FilterCache } from './filter-cache.ts'

/** What reading needs of the writing side. */
export interface WriteSide {
  readonly tables: readonly Table[]
  readonly globalStamp: number
  readonly allocationClock: number
  /** True inside a transaction whose writes stand in the columns already. */
  readonly isProvisional: boolean
  /** True inside a transaction. */
  readonly isOpen: boolean
  /** Refuses a broken or closed store. */
  guard(): void
  /** Refuses a broken or closed store; lets an open transaction see itself. */
  enter(): void
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  /** An entity as the open transaction sees it, or null when columns are right. */
  stagedEntity(table: Table, key: string | number): { readonly entity: object | undefined } | null
  /** Removes those of the keys that still exist, all or none; returns how many were there. */
  removeAll(table: Table, keys: readonly (string | number)[]): number
}

/** Functions and public objects, which know the store as a whole. */
export interface StoreSide {
  publicTable(dataClass: ClassModel): object
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown
}

/** Entries of the caches of compiled filters and projections, per dataclass. */
const CACHE_SIZE = 500

/**
 * The one way of reading: text -> prepared filter (cached) -> predicate -> plan -> selection, and record -> entity.
 */
export class Reader implements SelectionPort {
  readonly database: Database
  readonly statistics: Statistics
  readonly #writes: WriteSide
  readonly #store: StoreSide
  readonly #clock: Clock
  readonly #limits: FilterLimits
  readonly #factories: readonly EntityFactory[]
  readonly #filters: FilterCache
  readonly #projections: readonly LRUCache<string, { readonly layouts: string; readonly projection: Projection }>[]

  constructor(writes: WriteSide, store: StoreSide, clock: Clock, limits: FilterLimits) {
    this.#writes = writes
    this.#store = store
    this.#clock = clock
    this.#limits = limits
    const { tables } = writes
    this.database = {
      tableOf: (dataClass) => tables[dataClass.ordinal],
      allocator: new WordAllocator(),
      scratch: new ScratchVectors(),
      select: (dataClass, predicate) => this.#select(dataClass, predicate),
      entityAt: (table, slot) => this.#factories[table.model.ordinal].at(slot),
    }
    this.statistics = createStatistics(this.database)
    const port = {
      relatedEntity: (relation: ToOneAttribute, key: StoredValue) =>
        this.get(relation.target, key as string | number) ?? null,
      relatedSelection: (relation: ToManyAttribute, key: StoredValue) =>
        this.#related(relation, key as string | number),
    }
    this.#factories = tables.map((table) => new EntityFactory(table, port))
    this.#filters = new FilterCache(tables.length, limits)
    this.#projections = tables.map(() => new LRUCache({ max: CACHE_SIZE }))
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
  enter(): void {
    this.#writes.enter()
  }
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> {
    return this.#writes.pastOf(table, globalStamp)
  }

  /** The entity with a stored key, in the open transaction's view. */
  get(dataClass: ClassModel, key: string | number): object | undefined {
    this.#writes.guard()
    const table = this.#writes.tables[dataClass.ordinal]
    if (this.#writes.isOpen) {
      const staged = this.#writes.stagedEntity(table, key)
      if (staged !== null) return staged.entity
    }
    const slot = table.findKey(key)
    return slot < 0 ? undefined : this.#factories[dataClass.ordinal].at(slot)
  }
  /** An entity from values; see `EntityFactory.of`. */
  entityOf(table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object {
    return this.#factories[table.model.ordinal].of(values, stamp, timestamp)
  }
  /** The entity of a record of which something is staged. */
  stagedEntity(table: Table, staged: StagedView): object {
    const factory = this.#factories[table.model.ordinal]
    const { slot, ordinals, values, stamp, timestamp } = staged
    if (ordinals === null) return factory.of(values, stamp, timestamp)
    if (!ordinals.some((ordinal) => table.model.storage[ordinal].hidden)) {
      return factory.changed(slot, ordinals, values, stamp, timestamp)
    }
    const all = table.readAll(slot)
    for (let i = 0; i < ordinals.length; i++) all[ordinals[i]] = values[i]
    return factory.of(all, stamp, timestamp)
  }

  all(dataClass: ClassModel): Selection {
    return this.#selection(dataClass, { kind: 'constant', value: true }, null, null)
  }
  empty(dataClass: ClassModel): Selection {
    return this.#selection(dataClass, { kind: 'constant', value: false }, null, null)
  }
  /** Unknown and repeated keys are left out. */
  from(dataClass: ClassModel, keys: Iterable<unknown>): Selection {
    this.enter()
    const table = this.database.tableOf(dataClass)
    const slots = new Set<number>()
    for (const key of keys) {
      const stored = this.storedKey(dataClass, key)
      const slot = stored === null ? -1 : table.findKey(stored)
      if (slot >= 0) slots.add(slot)
    }
    return new Selection(
      new Membership(this, table, { kind: 'list', slots: Int32Array.from(slots), set: null }, null),
      null,
    )
  }
  query(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): Selection {
    const { predicate, orderBy } = this.bindFilter(dataClass, text, params, options)
    return this.#selection(dataClass, predicate, orderBy, text, options?.plan)
  }
  /** The first entity, in record order, whose attribute has the value. */
  findBy(dataClass: ClassModel, name: string, value: unknown): object | undefined {
    const path = this.resolvePath(dataClass, name)
    const { attribute } = path
    if (attribute.kind !== 'storage' || path.steps.length > 0 || path.properties.length > 0) {
      throw new EntiaError('attributeNotApplicable', {
        dataClass: dataClass.name,
        attribute: name,
        use: 'findBy',
        remedy: 'Name a stored attribute of the dataclass itself.',
      })
    }
    const stored = coerceInput(attribute.type, attribute.dateOnly, value)
    if (stored instanceof Refusal) {
      throw new EntiaError('valueInvalid', {
        dataClass: dataClass.name,
        attribute: name,
        expected: stored.expected,
        found: stored.found,
      })
    }
    return this.#selection(dataClass, equalTo(attribute, stored), null, null).first()
  }

  /** The plans priced for a filter, the cheapest first, without running any. */
  plans(dataClass: ClassModel, text: string, params: unknown): readonly Explain[] {
    this.enter()
    const { predicate } = this.bindFilter(dataClass, text, params)
    return this.#alternatives(dataClass, predicate).map((plan) => this.#explained(dataClass, text, predicate, plan))
  }
  /** The plan that a query would take, without running it. */
  explain(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): Explain {
    this.enter()
    const { predicate } = this.bindFilter(dataClass, text, params, options)
    return this.#explained(dataClass, text, predicate, this.planOf(dataClass, predicate))
  }

  /** Compiled filters are kept by text; the predicate comes back rewritten. */
  bindFilter(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): BoundFilter {
    return this.#filters.bind(dataClass, text, params as FilterParameters | undefined, options?.exposedOnly === true)
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    return bindOrderBy(text, dataClass, { limits: this.#limits })
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return resolvePath(dataClass, text)
  }
  projection(dataClass: ClassModel, text: string): Projection {
    const cache = this.#projections[dataClass.ordinal]
    const layouts = this.#writes.tables.map((table) => table.layout).join()
    let entry = cache.get(text)
    if (entry === undefined || entry.layouts !== layouts) {
      entry = { layouts, projection: compileProjection(this.database, dataClass, text) }
      cache.set(text, entry)
    }
    return entry.projection
  }

  publicTable(dataClass: ClassModel): object {
    return this.#store.publicTable(dataClass)
  }
  storedKey({ key }: ClassModel, input: unknown): string | number | null {
    if (typeof input === 'number' && key.type === 'long') return input
    const stored = coerceInput(key.type, key.dateOnly, input)
    return stored instanceof Refusal ? null : (stored as string | number | null)
  }
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.#writes.removeAll(table, keys)
  }
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown {
    return this.#store.call(selection, dataClass, name, args)
  }
  monotonic(): number {
    return this.#clock.monotonic()
  }

  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan {
    return planQuery(dataClass, predicate, this.statistics)
  }

  #select(dataClass: ClassModel, predicate: Predicate): RecordSet {
    return runPlan(this.planOf(dataClass, predicate), this.database)
  }

  #selection(
    dataClass: ClassModel,
    predicate: Predicate,
    orderBy: OrderBy | null,
    filter: string | null,
    forced?: number,
  ): Selection {
    this.enter()
    const table = this.database.tableOf(dataClass)
    const plan = forced === undefined ? this.planOf(dataClass, predicate) : this.#forced(dataClass, predicate, forced)
    const members: Members = isSingleAccess(plan)
      ? { kind: 'access', plan, predicate: plan.kind === 'all' ? null : predicate }
      : { kind: 'set', set: runPlan(plan, this.database) }
    return new Selection(new Membership(this, table, members, orderBy), {
      filter,
      predicate,
      plan,
      orderBy,
      isForced: forced !== undefined,
    })
  }

  #forced(dataClass: ClassModel, predicate: Predicate, at: number): PhysicalPlan {
    const plans = this.#alternatives(dataClass, predicate)
    const plan = plans[at]
    if (plan === undefined) {
      throw new EntiaError('argumentInvalid', {
        argument: 'The option "plan"',
        expected: `a number below ${plans.length}`,
        found: String(at),
      })
    }
    return plan
  }
  #alternatives(dataClass: ClassModel, predicate: Predicate): PhysicalPlan[] {
    return planAlternatives(dataClass, predicate, this.statistics).sort((a, b) => a.cost - b.cost)
  }
  #explained(dataClass: ClassModel, filter: string, predicate: Predicate, plan: PhysicalPlan): Explain {
    const condition = conditionOf(dataClass, predicate, this.statistics)
    return printable({ dataClass: dataClass.name, filter, root: explainPlan(plan, () => undefined), condition })
  }

  #related(relation: ToManyAttribute, key: string | number): Selection {
    return this.#selection(relation.target, equalTo(relation.inverse.foreignKey, key), null, null)
  }
}

/** "Attribute is this stored value", null included. */
function equalTo(attribute: StorageAttribute, value: StoredValue): Predicate {
  if (value === null) return { kind: 'compare', attribute, test: { op: 'isNull' } }
  const spelling = value as string | number | boolean
  const comparable = typeof spelling === 'string' ? textKey(spelling, attribute.collation) : spelling
  return { kind: 'compare', attribute, test: { op: 'equal', value: comparable, spelling } }
}
