import { EntiaError } from '../errors.ts'
import { runPlan } from '../execute/run-plan.ts'
import { both } from '../filter/draft.ts'
import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute, ToManyAttribute } from '../model/catalog.ts'
import type { Explain, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { EntityText, TextForm } from '../model/text-form.ts'
import { conditionOf } from '../plan/condition.ts'
import { explainPlan, printable } from '../plan/explain-plan.ts'
import { indexedComparisons } from '../plan/indexed-comparisons.ts'
import { isSingleAccess, type PhysicalPlan } from '../plan/physical-plan.ts'
import { planAlternatives, planRange } from '../plan/plan-query.ts'
import { RangeFilter } from '../plan/range-filter.ts'
import { rewrite } from '../plan/rewrite.ts'
import { explainOrder, PlannedProvenance } from '../selection/explain-selection.ts'
import type { Members } from '../selection/members.ts'
import { Membership } from '../selection/membership.ts'
import { Selection } from '../selection/selection.ts'
import type { ReadFilter, SelectionPort } from '../selection/selection-port.ts'
import { traceFilter } from '../selection/trace-filter.ts'
import type { Table } from '../storage/table.ts'
import { coerceInput } from '../value/coerce.ts'
import { Refusal } from '../value/refusal.ts'
import { textKey } from '../value/text-key.ts'
import type { StoredValue } from '../value/types.ts'
import type { Watch } from './watch.ts'

/** A reader that selections are made for. */
export interface QueryPort extends SelectionPort {
  /** What the entities of a dataclass must satisfy to be seen; null where all can be. */
  rowsOf(dataClass: ClassModel): Predicate | null
  readonly watch: Watch
}

/** Shorter tables are scanned at once: that takes less time than to let it wait. */
const LONG = 4096

const EVERYTHING: Predicate = Object.freeze({ kind: 'constant', value: true })
const NOTHING: Predicate = Object.freeze({ kind: 'constant', value: false })

/** A birth is given to one record only, but a restore gives it back together with the stamps that came after. */
const lifeIn = (table: Table, slot: number): string => `${table.births[slot]}.${table.restores}`

/** The ways from nothing to a selection, for one reader. */
export class Queries {
  readonly #port: QueryPort
  readonly #watch: Watch

  constructor(port: QueryPort) {
    this.#port = port
    this.#watch = port.watch
  }

  all(dataClass: ClassModel): Selection {
    return this.#ofPredicate(dataClass, EVERYTHING)
  }
  empty(dataClass: ClassModel): Selection {
    return this.#ofPredicate(dataClass, NOTHING)
  }
  /** Unknown and repeated keys are left out. */
  from(dataClass: ClassModel, keys: Iterable<unknown>): Selection {
    // Read first: what gives them may write to the store.
    const given = [...keys]
    this.#port.enter()
    const table = this.#port.database.tableOf(dataClass)
    const visible = this.#port.database.visibleIn(dataClass)
    const slots = new Set<number>()
    for (const key of given) {
      const stored = this.#port.storedKey(dataClass, key)
      const slot = stored === null ? -1 : table.findKey(stored)
      if (slot >= 0 && (visible === null || visible.has(slot))) slots.add(slot)
    }
    const members: Members = { kind: 'list', slots: Int32Array.from(slots), set: null }
    return new Selection(new Membership(this.#port, table, members, null), null, this.#port)
  }
  query(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): Selection {
    const { watcher } = this.#watch
    if (watcher === null || !watcher.hearsQueries) return this.#asked(dataClass, text, params, options)
    return this.#watch.query(watcher, dataClass.name, text, () => this.#asked(dataClass, text, params, options))
  }
  #asked(dataClass: ClassModel, text: string, params: unknown, options: QueryOptions | undefined): Selection {
    const port = this.#port
    let read: ReadFilter
    let plan: number | undefined
    try {
      // The values given may be code that writes to the store: what they leave is seen.
      read = port.bindFilter(dataClass, text, params, options)
      plan = options?.plan
    } catch (error) {
      // A store that is closed says so first.
      port.enter()
      throw error
    }
    port.enter()
    return this.#selection(read, plan)
  }
  /** The first entity, in record order, whose attribute has the value. */
  findBy(dataClass: ClassModel, name: string, value: unknown): object | undefined {
    const path = this.#port.resolvePath(dataClass, name)
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
    return this.#ofPredicate(dataClass, equalTo(attribute, stored)).first()
  }
  /** One entity as text. Cost: O(values), or a look-up for what is kept. */
  text(dataClass: ClassModel, key: unknown, form: TextForm): EntityText | undefined {
    const slot = this.#slotOf(dataClass, key)
    if (slot < 0) return undefined
    const table = this.#port.database.tableOf(dataClass)
    const texts = this.#port.textForm(dataClass, form)
    const life = lifeIn(table, slot)
    return { text: texts.one(slot), life, stamp: table.stamps[slot], timestamp: texts.timestampOf(slot) }
  }
  life(dataClass: ClassModel, key: unknown): string | undefined {
    const slot = this.#slotOf(dataClass, key)
    return slot < 0 ? undefined : lifeIn(this.#port.database.tableOf(dataClass), slot)
  }
  /** The record number of a key, or -1 where this reader sees none. */
  #slotOf(dataClass: ClassModel, key: unknown): number {
    const port = this.#port
    port.enter()
    const stored = port.storedKey(dataClass, key)
    const slot = stored === null ? -1 : port.database.tableOf(dataClass).findKey(stored)
    return slot >= 0 && port.database.visibleIn(dataClass)?.has(slot) === false ? -1 : slot
  }
  /** The entities whose relation leads to that of a key. */
  related(relation: ToManyAttribute, key: string | number): Selection {
    return this.#ofPredicate(relation.target, equalTo(relation.inverse.foreignKey, key))
  }

  /** The plans priced for a filter, the cheapest first, without running any. Of rows that are hidden nothing is told: see `explain`. */
  plans(dataClass: ClassModel, text: string, params: unknown): readonly Explain[] {
    if (this.#port.restrictsRows) return [this.explain(dataClass, text, params)]
    this.#port.enter()
    const read = this.#port.bindFilter(dataClass, text, params)
    return this.#alternatives(dataClass, read.predicate).map((plan) => this.#explained(text, read, plan))
  }
  /** The plan that a query would take, without running it; to a reader from whom rows are hidden the number it finds. */
  explain(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): Explain {
    if (this.#port.restrictsRows) return this.query(dataClass, text, params, options).explain()
    this.#port.enter()
    const read = this.#port.bindFilter(dataClass, text, params, options)
    return this.#explained(text, read, this.#port.planOf(dataClass, read.predicate))
  }

  /** Runs a filter part by part; see `traceFilter`. */
  trace(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): FilterTrace {
    return traceFilter(this.#port, dataClass, text, params, options)
  }

  /** Of what can be seen, what a predicate about the dataclass's own columns selects. */
  #ofPredicate(dataClass: ClassModel, asked: Predicate): Selection {
    this.#port.enter()
    const rows = this.#port.rowsOf(dataClass)
    if (rows === null) return this.#selection({ dataClass, text: null, predicate: asked, orderBy: null })
    const predicate = rewrite(both([asked, rows]))
    return this.#selection({ dataClass, text: null, predicate, asked: () => asked, orderBy: null })
  }

  #selection(read: ReadFilter, forced?: number): Selection {
    const port = this.#port
    const table = port.database.tableOf(read.dataClass)
    if (forced !== undefined) {
      const plan = this.#forced(read.dataClass, read.predicate, forced)
      const { dataClass, text, predicate, asked, orderBy } = read
      const provenance = { dataClass, text, predicate, asked, orderBy, forced: plan }
      return new Selection(new Membership(port, table, this.#members(plan), orderBy), provenance, port)
    }
    const range = read instanceof RangeFilter ? planRange(read, port.statistics) : null
    const plan = range ?? port.planOf(read.dataClass, read.predicate)
    const members = new Membership(port, table, range ?? this.#members(plan), read.orderBy)
    return new Selection(members, new PlannedProvenance(read, plan, port.globalStamp), port)
  }

  /** What looks at own columns only is run when it is needed: what they held at the making is known as long as the history reaches. */
  #members(plan: PhysicalPlan): Members {
    if (isSingleAccess(plan)) return plan
    const isWorthIt = plan.kind === 'scan' && this.#port.database.tableOf(plan.dataClass).length >= LONG
    if (isWorthIt && plan.residual.every(({ kind }) => kind === 'compare')) return plan
    return { kind: 'set', set: runPlan(plan, this.#port.database) }
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
    return planAlternatives(dataClass, predicate, this.#port.statistics).sort((a, b) => a.cost - b.cost)
  }
  #explained(filter: string, { dataClass, predicate, orderBy }: ReadFilter, plan: PhysicalPlan): Explain {
    const indexed = indexedComparisons(plan)
    const condition = conditionOf(dataClass, predicate, this.#port.statistics, undefined, (each) => indexed.has(each))
    const found = explainPlan(plan, () => undefined)
    const table = this.#port.database.tableOf(dataClass)
    const root = orderBy === null ? found : explainOrder(table, plan, orderBy, found)
    return this.#port.shown(printable({ dataClass: dataClass.name, filter, root, condition }))
  }
}

/** "Attribute is this stored value", null included. */
function equalTo(attribute: StorageAttribute, value: StoredValue): Predicate {
  if (value === null) return { kind: 'compare', attribute, test: { op: 'isNull' } }
  const spelling = value as string | number | boolean
  const comparable = typeof spelling === 'string' ? textKey(spelling, attribute.collation) : spelling
  return { kind: 'compare', attribute, test: { op: 'equal', value: comparable, spelling } }
}
