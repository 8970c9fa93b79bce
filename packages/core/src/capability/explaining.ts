import type { Capability } from '../kernel/capability.ts'
import type { Condition } from '../model/condition-types.ts'
import type { ConditionNode, Explain, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions, SelectionPlans } from '../model/selection-types.ts'
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
import { alternatives, type TableQueries, tableParts } from '../query/queries.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import type { ReadFilter, SelectionPort } from '../query/selection-port.ts'
import { traceFilter } from '../query/trace-filter.ts'

const queries = {
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

const selection = {
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
export const explaining = { name: 'explaining', queries, selection } as const satisfies Capability

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
