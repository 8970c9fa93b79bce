import { EntiaError } from '../errors.ts'
import { runPlan } from '../execute/run-plan.ts'
import { both, EVERYTHING, NOTHING } from '../filter/context.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute, ToManyAttribute } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import { notApplicable } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import { isScanDeferred } from '../plan/fast-paths.ts'
import { isSingleAccess, type PhysicalPlan } from '../plan/physical-plan.ts'
import { rewrite } from '../plan/rewrite.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions, describeFound, Refusal, refused } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import { textKey } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'
import type { Members } from './members.ts'
import { Membership } from './membership.ts'
import { asOfNow, type Provenance } from './provenance.ts'
import type { Selection } from './selection.ts'
import {
  inScoredOrder,
  type MustHold,
  type ReadFilter,
  type SelectionPort,
} from './selection-port.ts'
import type { Watch } from './watch.ts'

const QUERY_OPTIONS = ['plan', 'exposedOnly']

/** Creates selections for one reader. */
export class Queries {
  readonly #port: SelectionPort
  readonly #watch: Watch
  /** The class that the store's capabilities have extended. */
  readonly #Selection: typeof Selection
  /** See `ReaderOptions`. */
  readonly #mustHold: MustHold | undefined

  constructor(
    port: SelectionPort,
    watch: Watch,
    SelectionClass: typeof Selection,
    mustHold?: MustHold,
  ) {
    this.#port = port
    this.#mustHold = mustHold
    this.#watch = watch
    this.#Selection = SelectionClass
  }

  /** That of the reader. */
  get port(): SelectionPort {
    return this.#port
  }

  all(dataClass: ClassModel): Selection {
    return this.#ofPredicate(dataClass, EVERYTHING)
  }
  empty(dataClass: ClassModel): Selection {
    return this.#ofPredicate(dataClass, NOTHING)
  }
  /** Unknown and repeated keys are left out. */
  from(dataClass: ClassModel, keys: Iterable<unknown>): Selection {
    // Read before the store is: an iterable may write to it.
    if (typeof Object(keys)[Symbol.iterator] !== 'function')
      throw refused('The keys', 'an iterable, such as [1, 2]', describeFound(keys))
    const given = [...keys]
    this.#port.moment.enter()
    const table = this.#port.database.tableOf(dataClass)
    const visible = this.#port.database.visibleIn(dataClass)
    const slots = new Set<number>()
    for (const key of given) {
      const stored = storedKey(dataClass, key)
      const slot = stored === null ? -1 : table.findKey(stored)
      if (slot >= 0 && (visible === null || visible.has(slot))) slots.add(slot)
    }
    const members: Members = { kind: 'list', slots: Int32Array.from(slots), set: null }
    return new this.#Selection(new Membership(this.#port, table, members, null), null, this.#port)
  }
  query(
    dataClass: ClassModel,
    filter: string | Condition,
    params: unknown,
    options?: QueryOptions,
  ): Selection {
    checkCallOptions(options, QUERY_OPTIONS)
    const { watcher } = this.#watch
    if (watcher === null || !watcher.observesQueries)
      return this.#asked(dataClass, filter, params, options)
    const text = typeof filter === 'string' ? filter : filter?.text
    return this.#watch.query(watcher, dataClass.name, text, () =>
      this.#asked(dataClass, filter, params, options),
    )
  }
  #asked(
    dataClass: ClassModel,
    filter: string | Condition,
    params: unknown,
    options: QueryOptions | undefined,
  ): Selection {
    const port = this.#port
    let read: ReadFilter
    let plan: number | undefined
    try {
      // Getters among the values may write to the store, so they are read before the store is.
      read = port.binder.bindFilter(dataClass, filter, params, options)
      plan = options?.plan
    } catch (error) {
      // A closed store is refused before a wrong filter.
      port.moment.enter()
      throw error
    }
    port.moment.enter()
    return this.#selection(read, plan)
  }
  /** The first entity, in record order, whose attribute has the value. */
  findBy(dataClass: ClassModel, name: string, value: unknown): AnyEntity | undefined {
    const path = this.#port.binder.resolvePath(dataClass, name)
    const { attribute } = path
    if (attribute.kind !== 'storage' || path.steps.length > 0 || path.properties.length > 0) {
      throw notApplicable(
        dataClass.name,
        name,
        'findBy',
        'Name a stored attribute of the dataclass itself.',
      )
    }
    return this.#ofPredicate(dataClass, equalToGiven(attribute, value)).first()
  }
  /**
   * The entities that refer to the entity with a key. In a store that does not hold all of them, a
   * query within this selection may need only those that are held; all else that uses it throws as
   * `ReaderOptions.mustHold`.
   */
  related(relation: ToManyAttribute, key: string | number): Selection {
    this.#port.moment.enter()
    const read = this.#readOf(relation.target, equalTo(relation.inverse.foreignKey, key))
    try {
      this.#mustHold?.(read.dataClass, read.predicate, false)
    } catch (refusal) {
      const members = refusedMembers(this.#port.database.tableOf(read.dataClass), refusal)
      return new this.#Selection(members, null, this.#port, false, (within) =>
        this.#selection({
          ...within,
          predicate: rewrite(both([read.predicate, within.predicate])),
        }),
      )
    }
    return this.#held(read)
  }

  /** The visible entities that satisfy a predicate about own columns. */
  #ofPredicate(dataClass: ClassModel, asked: Predicate): Selection {
    this.#port.moment.enter()
    return this.#selection(this.#readOf(dataClass, asked))
  }
  #readOf(dataClass: ClassModel, asked: Predicate): ReadFilter {
    const rows = this.#port.scope.rowsOf(dataClass)
    if (rows === null) return { dataClass, text: null, predicate: asked, orderBy: null }
    const predicate = rewrite(both([asked, rows]))
    return { dataClass, text: null, predicate, asked: () => asked, orderBy: null }
  }

  #selection(read: ReadFilter, forced?: number): Selection {
    this.#mustHold?.(read.dataClass, read.predicate, false)
    return this.#held(read, forced)
  }
  #held(read: ReadFilter, forced?: number): Selection {
    const port = this.#port
    const table = port.database.tableOf(read.dataClass)
    const order = read.orderBy && inScoredOrder(port, table, read.orderBy, { read, outer: null })
    const asOf = asOfNow(port, table)
    const { matching } = port.database
    if (matching !== null) {
      const found = matching.members(read.dataClass, read.predicate, port.database)
      const isSorted = order !== null && order.length > 0
      return new this.#Selection(new Membership(port, table, found, order), null, port, isSorted)
    }
    const { planner } = port
    const isForced = forced !== undefined
    const range = isForced ? null : (planner.indexing?.planOfRange(read) ?? null)
    const plan = isForced
      ? this.#forced(read.dataClass, read.predicate, forced)
      : (range ?? planner.planOf(read.dataClass, read.predicate))
    const members = new Membership(port, table, range ?? this.#members(plan), order, asOf)
    const provenance: Provenance = {
      read,
      orderBy: read.orderBy,
      plan,
      globalStamp: isForced ? null : asOf.globalStamp,
      within: null,
      outer: null,
      isPart: false,
    }
    return new this.#Selection(members, provenance, port)
  }

  /** A single access and a deferred scan run when their records are needed; other plans run now. */
  #members(plan: PhysicalPlan): Members {
    if (isSingleAccess(plan) && (plan.kind !== 'index' || this.#port.planner.indexing !== null))
      return plan
    if (
      plan.kind === 'scan' &&
      isScanDeferred(plan, this.#port.database.tableOf(plan.dataClass).length)
    )
      return plan
    return { kind: 'set', set: runPlan(plan, this.#port.database) }
  }
  #forced(dataClass: ClassModel, predicate: Predicate, at: number): PhysicalPlan {
    const plans = alternatives(this.#port, dataClass, predicate)
    const plan = plans[at]
    if (plan === undefined) {
      throw refused('The option "plan"', `a number below ${plans.length}`, String(at))
    }
    return plan
  }
}

/** Members that are not all held: whatever reads them throws. */
const refusedMembers = (table: Table, refusal: unknown): Membership =>
  new Proxy({ table } as Membership, {
    get(_, member) {
      if (member === 'table') return table
      throw refusal
    },
  })

/** The plans priced for a predicate, the cheapest first; without indexes there is one. */
export const alternatives = (
  { planner }: SelectionPort,
  dataClass: ClassModel,
  predicate: Predicate,
): PhysicalPlan[] =>
  planner.indexing?.alternatives(dataClass, predicate) ?? [planner.planOf(dataClass, predicate)]

/** "Attribute is this stored value", null included. */
export function equalTo(attribute: StorageAttribute, value: StoredValue): Predicate {
  if (value === null) return { kind: 'compare', attribute, test: { op: 'isNull' } }
  const spelling = value as string | number | boolean
  const comparable =
    typeof spelling === 'string' ? textKey(spelling, attribute.collation) : spelling
  return { kind: 'compare', attribute, test: { op: 'equal', value: comparable, spelling } }
}

/** The same for a value as callers give it. Throws `valueInvalid`. */
export function equalToGiven(attribute: StorageAttribute, given: unknown): Predicate {
  const { type, dateOnly, name, owner } = attribute
  const stored = coerceInput(type, dateOnly, given)
  if (!(stored instanceof Refusal)) return equalTo(attribute, stored)
  const { expected, found } = stored
  throw new EntiaError('valueInvalid', { dataClass: owner.name, attribute: name, expected, found })
}

/** What a capability reads of a dataclass, on behalf of one caller. */
export interface TableParts {
  readonly model: ClassModel
  readonly port: SelectionPort
}

let partsOf: (table: TableQueries) => TableParts

/**
 * The parts of a dataclass of a store, of a view or of the past, for the capabilities that add
 * members to its class.
 */
export const tableParts = (table: TableQueries): TableParts => partsOf(table)

/**
 * The queries of one dataclass: the same for the store, for a view and for the past, each on behalf
 * of its caller.
 */
export class TableQueries {
  readonly #model: ClassModel
  readonly #queries: Queries

  static {
    partsOf = (table) => ({ model: table.#model, port: table.#queries.port })
  }

  constructor(model: ClassModel, queries: Queries) {
    this.#model = model
    this.#queries = queries
  }

  get name(): string {
    return this.#model.name
  }
  get model(): ClassModel {
    return this.#model
  }
  all(): Selection {
    return this.#queries.all(this.#model)
  }
  empty(): Selection {
    return this.#queries.empty(this.#model)
  }
  from(keys: Iterable<unknown>): Selection {
    return this.#queries.from(this.#model, keys)
  }
  query(filter: string | Condition, params?: unknown, options?: QueryOptions): Selection {
    return this.#queries.query(this.#model, filter, params, options)
  }
  findBy(attribute: string, value: unknown): AnyEntity | undefined {
    return this.#queries.findBy(this.#model, attribute, value)
  }
}
