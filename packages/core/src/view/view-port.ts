import type { Database, VisibleRecords } from '../execute/database.ts'
import { selectOf } from '../execute/run-plan.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { Catalog, ClassModel, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import { EntityBase, type EntityOrigin, type EntityPort } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import type { ResolvedPath, Sees } from '../model/path.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { ViewOptions } from '../model/view-types.ts'
import { seesEverything, visibleCondition, visiblePlan } from '../plan/condition.ts'
import { printable } from '../plan/explain-plan.ts'
import type { NameRule } from '../query/filter-cache.ts'
import { Queries, type TableQueries } from '../query/queries.ts'
import type { Reader } from '../query/reader.ts'
import type { Selection } from '../query/selection.ts'
import {
  type Binder,
  heldPath,
  type Moment,
  type Planner,
  type ReadFilter,
  type Scope,
  type SelectionPort,
} from '../query/selection-port.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import type { StoredValue } from '../value/types.ts'
import { ViewFilters } from './view-options.ts'
import { VisibleRows } from './visible-rows.ts'

/** A store, for its views and its past. */
export interface ReadStore {
  readonly catalog: Catalog
  readonly reader: Reader
  readonly composition: {
    /** A class of dataclasses with the members for reading that capabilities have added. */
    tableClass<T extends new (...args: never[]) => TableQueries>(base: T): T
  }
}

/**
 * Reads for one caller. It restricts reading in three places. Filters are bound to the names that
 * the caller may use, with the row filters added to every relation. `database` follows relations to
 * visible records only, for orders, distinct values and projections. Entities reach other entities
 * through this port.
 */
export class ViewPort implements SelectionPort, Scope, Binder, EntityPort {
  readonly whole: Reader
  readonly scope = this
  readonly binder = this
  readonly moment: Moment
  readonly planner: Planner
  readonly queries: Queries
  readonly database: Database
  readonly names: NameRule
  readonly restrictsRows: boolean
  readonly #catalog: Catalog
  readonly #filters: ViewFilters
  readonly #visible = new Map<ClassModel, VisibleRows>()
  /** The same inside a transaction. */
  readonly #openVisible = new Map<ClassModel, VisibleRows>()
  /** By `ClassModel.ordinal`. */
  readonly #origins: (EntityOrigin | undefined)[] = []
  readonly #publicTable: (dataClass: ClassModel) => DataClassCore<Untyped, Untyped, Untyped>

  constructor(
    reader: Reader,
    catalog: Catalog,
    options: ViewOptions,
    publicTable: (dataClass: ClassModel) => DataClassCore<Untyped, Untyped, Untyped>,
  ) {
    this.whole = reader
    this.moment = reader.moment
    this.planner = reader
    this.#catalog = catalog
    this.#publicTable = publicTable
    this.#filters = new ViewFilters(reader, catalog, options)
    this.names = this.#filters.names
    this.restrictsRows = this.#filters.restrictsRows
    this.database = this.restrictsRows ? this.#restrictedDatabase(reader.database) : reader.database
    const { watch, Selection, mustHold } = reader.options
    this.queries = new Queries(this, watch, Selection, mustHold)
  }

  #restrictedDatabase(whole: Database): Database {
    const database: Database = new RestrictedDatabase(whole, {
      select: (dataClass, predicate) =>
        selectOf(database, dataClass, predicate, () => this.planner.planOf(dataClass, predicate)),
      entityAt: (table, slot) =>
        this.whole.factoryOf(table.model).viewedAt(slot, this.#originOf(table.model)),
      visibleIn: (dataClass) => this.#visibleIn(dataClass),
    })
    return database
  }

  #visibleIn(dataClass: ClassModel): VisibleRecords | null {
    const rule = this.#filters.ruleOf(dataClass)
    if (rule === undefined) return null
    const { mayDangle } = this.whole
    const kept = mayDangle ? this.#openVisible : this.#visible
    const known = entryOf(kept, dataClass, () => {
      const predicate = mayDangle ? rule.openPredicate() : rule.predicate
      return new VisibleRows(this.whole, dataClass, predicate)
    })
    return known.at(this.whole.state)
  }

  get sees(): Sees {
    return this.names.sees
  }
  rowsOf(dataClass: ClassModel): Predicate | null {
    return this.#filters.rowsOf(dataClass, this.whole.mayDangle)
  }
  ruleOf(dataClass: ClassModel): string | null {
    return this.#filters.ruleOf(dataClass)?.text ?? null
  }

  get limits(): FilterLimits {
    return this.whole.limits
  }
  bindFilter(dataClass: ClassModel, text: string | Condition, params: unknown): ReadFilter {
    return this.#filters.bindFilter(dataClass, text, params, this.whole.mayDangle)
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    return this.names.bindOrderBy(dataClass, text)
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return heldPath(this.whole, dataClass, this.names.resolvePath(dataClass, text))
  }
  shown(explain: Explain): Explain {
    if (this.names === this.whole.names) return explain
    const { condition, root } = explain
    const seesAll = !this.restrictsRows && seesEverything(this.#catalog, this.sees)
    return printable({
      ...explain,
      root: seesAll ? root : visiblePlan(this.#catalog, this.sees, root),
      condition: condition === null ? null : this.shownCondition(condition),
    })
  }
  shownCondition(condition: ConditionNode): ConditionNode {
    return this.names === this.whole.names
      ? condition
      : visibleCondition(this.#catalog, this.sees, condition)
  }

  /** The entity with a stored key, if the caller may see it. */
  get(dataClass: ClassModel, key: string | number): AnyEntity | undefined {
    if (!this.restrictsRows) return this.whole.get(dataClass, key)
    const slot = this.find(dataClass, key)
    return slot < 0 ? undefined : this.database.entityAt(this.database.tableOf(dataClass), slot)
  }
  /** The record with a stored key; -1 if there is none that the caller may see. */
  find(dataClass: ClassModel, key: string | number): number {
    this.moment.enter()
    const slot = this.database.tableOf(dataClass).findKey(key)
    return slot < 0 || this.database.visibleIn(dataClass)?.has(slot) === false ? -1 : slot
  }
  relatedEntity(relation: ToOneAttribute, key: StoredValue): AnyEntity | null {
    return this.get(relation.target, key as string | number) ?? this.whole.absent(relation)
  }
  relatedSelection(relation: ToManyAttribute, key: StoredValue): Selection {
    return this.queries.related(relation, key as string | number)
  }
  /** An entity of the store as an entity of this view. */
  adopted(entity: EntityBase, dataClass: ClassModel): EntityBase {
    if (!this.restrictsRows || EntityBase.marksOf(entity).origin.port === this) return entity
    return this.whole.factoryOf(dataClass).copy(this.#originOf(dataClass), entity)
  }

  #originOf(dataClass: ClassModel): EntityOrigin {
    return (this.#origins[dataClass.ordinal] ??= this.whole.factoryOf(dataClass).originOf(this))
  }

  publicTable(dataClass: ClassModel): DataClassCore<Untyped, Untyped, Untyped> {
    return this.#publicTable(dataClass)
  }
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.whole.removeAll(table, keys)
  }
}

/**
 * The tables of a store as a view shows them. This is a class because views are short-lived: an
 * object literal with an accessor has a hidden class of its own each time, which outlives the view
 * and keeps everything that it read in memory.
 */
class RestrictedDatabase implements Database {
  readonly whole: Database
  readonly tableOf: Database['tableOf']
  readonly allocator: Database['allocator']
  readonly scratch: Database['scratch']
  readonly operators: Database['operators']
  readonly select: Database['select']
  readonly entityAt: Database['entityAt']
  readonly visibleIn: Database['visibleIn']

  constructor(whole: Database, seen: Pick<Database, 'select' | 'entityAt' | 'visibleIn'>) {
    this.whole = whole
    this.tableOf = whole.tableOf
    this.allocator = whole.allocator
    this.scratch = whole.scratch
    this.operators = whole.operators
    this.select = seen.select
    this.entityAt = seen.entityAt
    this.visibleIn = seen.visibleIn
  }

  get matching(): Database['matching'] {
    return this.whole.matching
  }
  get slices(): Database['slices'] {
    return this.whole.slices
  }
}
