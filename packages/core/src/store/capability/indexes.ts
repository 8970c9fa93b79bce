import { EntiaError } from '../../errors.ts'
import type { ClassModel } from '../../model/catalog.ts'
import type { Condition } from '../../model/condition-types.ts'
import type { Untyped } from '../../model/definition.ts'
import type { ConditionNode, Explain, FilterTrace } from '../../model/explain-types.ts'
import type { QueryOptions, SelectionPlans, SelectionSearch } from '../../model/selection-types.ts'
import type { DataClassIndexes, DataClassPlans, DataClassSearch } from '../../model/table-types.ts'
import { conditionOf } from '../../plan/condition.ts'
import { explainPlan, printable } from '../../plan/explain-plan.ts'
import { indexedComparisons, type PhysicalPlan } from '../../plan/physical-plan.ts'
import {
  conditionOfSelection,
  explainOrder,
  explainSelection,
  shownTo,
} from '../../query/explain-selection.ts'
import { INDEX_SUPPORT } from '../../query/index-pages.ts'
import { alternatives, type TableQueries, tableParts } from '../../query/queries.ts'
import { type Selection, selectionParts } from '../../query/selection.ts'
import type { ReadFilter, SelectionPort } from '../../query/selection-port.ts'
import { hasScores, searchText } from '../../query/selection-port.ts'
import { traceFilter } from '../../query/trace-filter.ts'
import { createIndexSteps } from '../../storage/index-build.ts'
import { indexError } from '../../storage/stored-key.ts'
import type { Table } from '../../storage/table.ts'
import { createIndex, dropIndex } from '../../storage/table-load.ts'
import { type Capability, handleOf } from '../kernel/capability.ts'
import type { DataClassTable } from '../kernel/data-store.ts'

// Indexes, what they are used for, and the plans that show it.

const table = {
  createIndex(this: DataClassTable, attribute: string): void {
    createIndex(...ownIndex(this, attribute, 'createIndex'))
  },
  dropIndex(this: DataClassTable, attribute: string): void {
    dropIndex(...ownIndex(this, attribute, 'dropIndex'))
  },
} satisfies DataClassIndexes<Untyped, Untyped>

const queries = {
  search(this: TableQueries, words: string): Selection {
    const { model, port } = tableParts(this)
    const found = this.query(searchText(model, port.scope.sees, words))
    return hasScores(port, model) ? found.orderBy('relevance desc') : found
  },
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
} satisfies DataClassSearch<unknown> & DataClassPlans

const selection = {
  search(this: Selection, words: string): Selection {
    const { sees } = selectionParts(this).port.scope
    return this.query(searchText(this.dataClass.model, sees, words))
  },
  explain(this: Selection): Explain {
    return explain(this)
  },
  condition(this: Selection): ConditionNode | null {
    const { port, provenance } = selectionParts(this)
    port.moment.enter()
    return conditionOfSelection(port, provenance)
  },
} satisfies SelectionPlans & Record<keyof SelectionSearch, unknown>

/**
 * As `createIndex` of a dataclass, in steps between which other operations run: `nextSlice` yields
 * to them. The promise resolves when queries use the index. Throws what `createIndex` throws, at
 * the beginning, and what `nextSlice` throws; then there is no index. Over data of a million
 * records the longest step takes some milliseconds.
 */
export async function createIndexSliced(
  of: object,
  attribute: string,
  nextSlice: () => Promise<void>,
): Promise<void> {
  const steps = createIndexSteps(...ownIndex(of as DataClassTable, attribute, 'createIndex'))
  while (!steps.next().done) await nextSlice()
}

/**
 * Ordered indexes of the attributes that declare them, `createIndex` and `dropIndex` of
 * dataclasses, and `search` of dataclasses and selections. Without it, queries look up single keys,
 * unique values and related entities; all other queries scan, and orders sort. `explain`, `trace`
 * and `plans` of dataclasses, and `explain` and `condition` of selections show how a query runs.
 */
export const indexes = {
  name: 'indexes',
  table,
  queries,
  selection,
  indexes: INDEX_SUPPORT,
} as const satisfies Capability

/** The column that an index is of. Throws what a wrong attribute or an open transaction throws. */
function ownIndex(
  of: DataClassTable,
  attribute: string,
  call: 'createIndex' | 'dropIndex',
): [table: Table, ordinal: number] {
  const { port, model } = tableParts(of)
  const { writer } = handleOf(port.whole)
  const ordinal = indexable(model, attribute)
  writer.outside(call)
  return [writer.tableOf(model), ordinal]
}

function indexable(model: ClassModel, name: string): number {
  const attribute = model.attributes.get(name)
  if (attribute?.kind === 'storage' && !['object', 'image', 'blob'].includes(attribute.type))
    return attribute.ordinal
  if (attribute === undefined) {
    throw new EntiaError('attributeNotFound', {
      dataClass: model.name,
      attribute: name,
      known: [...model.attributes.keys()],
    })
  }
  throw indexError('indexInvalid', {
    dataClass: model.name,
    attribute: name,
    problem: 'only stored numbers, texts, dates and booleans can be indexed.',
  })
}

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
