import type { ReadingLimits } from '../execute/time-slices.ts'
import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Condition } from '../model/condition-types.ts'
import type { ConditionNode, Explain, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions, SelectionPlans } from '../model/selection-types.ts'
import type { StoreReadings } from '../model/store-types.ts'
import type { DataClassPlans } from '../model/table-types.ts'
import { conditionOf } from '../plan/condition.ts'
import { explainPlan, printable } from '../plan/explain-plan.ts'
import { indexedComparisons, type PhysicalPlan } from '../plan/physical-plan.ts'
import {
  conditionOfSelection,
  explainOrder,
  explainSelection,
  shownTo,
} from '../query/explain-selection.ts'
import { alternatives, TableQueries, tableParts } from '../query/queries.ts'
import { StoreReading } from '../query/reader.ts'
import { Selection, selectionParts } from '../query/selection.ts'
import type { ReadFilter, SelectionPort } from '../query/selection-port.ts'
import { traceFilter } from '../query/trace-filter.ts'
import { conditionFrom } from '../query/where.ts'
import { fromZero } from '../value/check-options.ts'

// Other ways to run a query: by a function, for its plan, in time slices.

type Given = Parameters<TableQueries['query']>[0]

const { query } = TableQueries.prototype
const { query: narrow } = Selection.prototype

const byFunction = {
  query(this: TableQueries, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this, filter) : filter
    return query.call(this, given, params, options)
  },
}
const narrowedByFunction = {
  query(this: Selection, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this.dataClass, filter) : filter
    return narrow.call(this, given, params, options)
  },
}

/** Functions as filters: `query((e) => e('salary', '>', 50_000))` of dataclasses and selections. */
export const typedQueries = {
  name: 'typedQueries',
  queries: byFunction,
  selection: narrowedByFunction,
} as const satisfies Capability

const plans = {
  /**
   * The plan that a query would take, without running it. Callers from whom rows are hidden learn
   * the number of entities found.
   */
  explain(
    this: TableQueries,
    filter: string | Condition,
    params?: unknown,
    options?: QueryOptions,
  ): Explain {
    const { port, model } = tableParts(this)
    if (port.scope.restrictsRows) return explain(this.query(filter, params, options))
    port.moment.enter()
    const read = port.binder.bindFilter(model, filter, params, options)
    return explained(port, read, port.planner.planOf(model, read.predicate))
  },
  /** Runs a filter part by part, and reports what each part found. */
  trace(
    this: TableQueries,
    filter: string | Condition,
    params?: unknown,
    options?: QueryOptions,
  ): FilterTrace {
    const { port, model } = tableParts(this)
    return traceFilter(port, model, filter, params, options)
  },
  /**
   * Every plan that is priced for a filter, the cheapest first; `query(…, { plan: n })` runs the
   * n-th.
   */
  plans(this: TableQueries, filter: string | Condition, params?: unknown): readonly Explain[] {
    const { port, model } = tableParts(this)
    if (port.scope.restrictsRows) return [explain(this.query(filter, params))]
    port.moment.enter()
    const read = port.binder.bindFilter(model, filter, params)
    return alternatives(port, model, read.predicate).map((plan) => explained(port, read, plan))
  },
} satisfies DataClassPlans

const planOfSelection = {
  explain(this: Selection): Explain {
    return explain(this)
  },
  condition(this: Selection): ConditionNode | null {
    const { port, provenance } = selectionParts(this)
    port.moment.enter()
    return conditionOfSelection(port, provenance)
  },
} satisfies SelectionPlans

/** `explain`, `trace` and `plans` of dataclasses, `explain` and `condition` of selections. */
export const explaining = {
  name: 'explaining',
  queries: plans,
  selection: planOfSelection,
} as const satisfies Capability

function explain(of: Selection): Explain {
  const { port, members, provenance } = selectionParts(of)
  port.moment.enter()
  return explainSelection(port, of.table, provenance, members.pageWindow, members.count)
}

function explained(port: SelectionPort, read: ReadFilter, plan: PhysicalPlan): Explain {
  const { dataClass, text: filter, predicate, orderBy } = read
  const indexed = indexedComparisons(plan)
  const condition = conditionOf(dataClass, predicate, port.planner.counts, undefined, (each) =>
    indexed.has(each),
  )
  const found = explainPlan(plan, () => undefined)
  const table = port.database.tableOf(dataClass)
  const root = orderBy === null ? found : explainOrder(port, table, plan, orderBy, found)
  return shownTo(port, printable({ dataClass: dataClass.name, filter, root, condition }))
}

const DEFAULTS: ReadingLimits = {
  turnMilliseconds: 10,
  maxMilliseconds: 1000,
  maxRowVisits: 20_000_000,
}

const limits = new WeakMap<StoreHandle, ReadingLimits>()

const store = {
  /** A read in time slices: nothing is done before its first `advance`. */
  reading<R>(this: DataStore, body: () => R): StoreReading<R> {
    const handle = handleOf(this)
    const { reader, writer } = handle
    return new StoreReading(
      reader,
      limits.get(handle) as ReadingLimits,
      () => writer.outside('reading'),
      body,
    )
  },
} satisfies StoreReadings

/** `reading` of the store. */
export const slicedReads = {
  name: 'slicedReads',
  store,
  options: { reading: { defaults: DEFAULTS, rangeOf: fromZero } },
  install(handle: StoreHandle, { reading }) {
    limits.set(handle, reading)
  },
} as const satisfies Capability<string, { reading: ReadingLimits }>
