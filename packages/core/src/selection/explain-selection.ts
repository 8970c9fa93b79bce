import { indexOfOrder } from '../execute/index-order.ts'
import { runPlan, type Trace } from '../execute/run-plan.ts'
import { isFewOf } from '../execute/sort.ts'
import { describeOrderBy } from '../filter/describe-predicate.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Explain, ExplainNode } from '../model/explain-types.ts'
import { conditionOf } from '../plan/condition.ts'
import { explainPlan, printable } from '../plan/explain-plan.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import { countOf, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { isWalkShorter, windowOf } from './access-members.ts'
import type { ReadFilter, SelectionPort } from './selection-port.ts'

/** Where a selection came from: what `explain` plans again and runs with a clock beside it. */
export interface Provenance extends ReadFilter {
  /** What was left of other members, where the filter was asked within a selection. */
  readonly within?: RecordSet | undefined
  /** What that selection was made of; null where that cannot be asked again. */
  readonly outer?: Provenance | null | undefined
  /** True for what was made of a page: asked again, it would be all. */
  readonly isPart?: boolean | undefined
  /** The plan that was asked for by number: it is not chosen again. */
  readonly forced?: PhysicalPlan | undefined
}

/** The same in another order. A class: a spread costs more than all else of an order, and asks for what is better left unbound. */
export class OrderedProvenance implements Provenance {
  readonly #of: Provenance
  readonly orderBy: OrderBy | null
  readonly isPart: boolean

  constructor(of: Provenance, orderBy: OrderBy | null, isPart: boolean) {
    this.#of = of
    this.orderBy = orderBy
    this.isPart = isPart
  }
  get dataClass(): ClassModel {
    return this.#of.dataClass
  }
  get text(): string | null {
    return this.#of.text
  }
  get predicate(): Predicate {
    return this.#of.predicate
  }
  get asked(): (() => Predicate) | undefined {
    return this.#of.asked
  }
  get within(): RecordSet | undefined {
    return this.#of.within
  }
  get outer(): Provenance | null | undefined {
    return this.#of.outer
  }
  get forced(): PhysicalPlan | undefined {
    return this.#of.forced
  }
}

/** Of what is made of a page. */
export const partOf = (provenance: Provenance | null): Provenance | null =>
  provenance === null ? null : new OrderedProvenance(provenance, provenance.orderBy, true)

/**
 * Explains a selection by running its plan now; `page` is what would be read of it. Cost: that of the query. To a reader from
 * whom entities are hidden no plan is told, for its numbers would count them: only what was asked, and the members found.
 */
export function explainSelection(
  port: SelectionPort,
  table: Table,
  provenance: Provenance | null,
  page: { readonly skip: number; readonly top: number } | null,
  count: number,
): Explain {
  const name = table.model.name
  if (provenance === null) {
    const root = node('set', `members of ${name}, kept`, null, count, [])
    return port.shown(printable({ dataClass: name, filter: null, root, condition: null }))
  }
  const { orderBy, predicate, asked } = provenance
  const condition = conditionOf(table.model, asked === undefined ? predicate : asked(), port.statistics)
  const told = (root: ExplainNode): Explain =>
    port.shown(printable({ dataClass: name, filter: provenance.text, root, condition }))
  if (port.restrictsRows) return told(seenNode(name, count))
  // Counts are of now, like the run.
  const plan = provenance.forced ?? port.planOf(table.model, predicate)
  const trace: Trace = new Map()
  const set = runPlan(plan, port.database, { trace, now: () => port.monotonic() })
  let root = explainPlan(plan, (operator) => trace.get(operator))
  const found = countOf(provenance.within ?? set)
  if (provenance.within !== undefined) root = node('within', `members of a selection of ${name}`, null, found, [root])
  if (orderBy !== null) root = orderNode(table, plan, orderBy, found, page ?? { skip: 0, top: found }, root)
  if (page !== null) {
    const sent = Math.max(0, Math.min(page.top, found - page.skip))
    root = node('page', `skip ${page.skip}, top ${page.top}`, null, sent, [root])
  }
  return told(root)
}

/** The order of a plan that is not run: all of what is estimated would be put into it. */
export function explainOrder(table: Table, plan: PhysicalPlan, orderBy: OrderBy, input: ExplainNode): ExplainNode {
  const { estimatedRows, isExact } = input
  const ordered = orderNode(table, plan, orderBy, estimatedRows, { skip: 0, top: estimatedRows }, input)
  return { ...ordered, isExact, actualRows: null }
}

function orderNode(
  table: Table,
  plan: PhysicalPlan,
  orderBy: OrderBy,
  count: number,
  page: { readonly skip: number; readonly top: number },
  input: ExplainNode,
): ExplainNode {
  const needed = Math.min(count, page.skip + page.top)
  const text = describeOrderBy(orderBy)
  const index = indexOfOrder(table, orderBy)
  const name = index === null ? null : `${table.model.name}.${index.column.attribute.name}`
  if (index !== null && needed < count) {
    const isOwnRange = plan.kind === 'all' || (plan.kind === 'index' && windowOf(table, index, plan) !== null)
    if (isOwnRange || isWalkShorter(table, count, needed))
      return node('orderByIndex', `${text}, stops after ${needed}`, name, count, [input])
  }
  const isTop = isFewOf(needed, count)
  return node(isTop ? 'topK' : 'sort', isTop ? `${text}, best ${needed}` : text, null, count, [input])
}

/** All that a reader from whom entities are hidden learns of how the others are found. */
const seenNode = (dataClass: string, rows: number): ExplainNode =>
  node('view', `entities of ${dataClass} that can be seen`, null, rows, [])

const node = (
  operator: string,
  detail: string,
  index: string | null,
  rows: number,
  inputs: readonly ExplainNode[],
): ExplainNode => ({
  operator,
  detail,
  index,
  estimatedRows: rows,
  isExact: true,
  actualRows: rows,
  milliseconds: null,
  inputs,
})
