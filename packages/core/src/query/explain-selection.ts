import type { Database, Trace } from '../execute/database.ts'
import { isFewOf } from '../execute/ordering.ts'
import { runPlan } from '../execute/run-plan.ts'
import { describeOrderBy, describePredicate, type OrderBy } from '../filter/predicate.ts'
import type { ConditionNode, Explain, ExplainNode } from '../model/explain-types.ts'
import { conditionOf } from '../plan/condition.ts'
import { explainedAsOf, explainPlan, printable } from '../plan/explain-plan.ts'
import { isWalkShorter } from '../plan/fast-paths.ts'
import { indexedComparisons, inputsOf, type PhysicalPlan } from '../plan/physical-plan.ts'
import { countOf, EMPTY_SET, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Provenance } from './provenance.ts'
import type { ReadFilter, SelectionPort } from './selection-port.ts'

/**
 * Explains a selection by running its plan now; `page` is the part of it that is read. Cost: that
 * of the query. A reader with hidden entities gets only the condition and the number of members:
 * the row counts of a plan would include the hidden ones.
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
    return shownTo(port, printable({ dataClass: name, filter: null, root, condition: null }))
  }
  const { read, orderBy, within } = provenance
  const plan = planOf(port, provenance)
  const condition = conditionBy(port, read, plan)
  const explained = (root: ExplainNode): Explain =>
    shownTo(port, printable({ dataClass: name, filter: read.text, root, condition }))
  if (port.scope.restrictsRows) return explained(seenNode(name, count))
  // Counts are of now, like the run.
  const { root: foundBy, set } = runTraced(port, provenance, plan)
  const found = countOf(within ?? set)
  let root = foundBy
  if (within !== null)
    root = node('within', `members of a selection of ${name}`, null, found, [root])
  if (orderBy !== null)
    root = orderNode(port, table, plan, orderBy, found, page ?? { skip: 0, top: found }, root)
  if (page !== null) {
    const sent = Math.max(0, Math.min(page.top, found - page.skip))
    root = node('page', `skip ${page.skip}, top ${page.top}`, null, sent, [root])
  }
  return explained(root)
}

/** What the caller may know of a plan, with the global stamp where it is a plan of the past. */
export function shownTo(port: SelectionPort, explain: Explain): Explain {
  const shown = port.scope.shown(explain)
  const { asOf } = port.moment
  return asOf === null ? shown : explainedAsOf(shown, asOf)
}

/**
 * The condition of a selection, with the indexes that its plan reads; null if it was created
 * without one. Runs nothing. A reader with hidden entities gets no indexes, as from
 * `explainSelection`.
 */
export function conditionOfSelection(
  port: SelectionPort,
  provenance: Provenance | null,
): ConditionNode | null {
  if (provenance === null) return null
  const condition = conditionBy(port, provenance.read, planOf(port, provenance))
  return condition === null ? null : port.scope.shownCondition(condition)
}

/**
 * The plan that answers now: the one that ran, unless there was a commit since. Null if each member
 * is tested.
 */
function planOf(port: SelectionPort, { read, plan, globalStamp }: Provenance): PhysicalPlan | null {
  if (plan === null || globalStamp === null) return plan
  const isOfNow = globalStamp === port.moment.globalStamp && !port.moment.isProvisional
  return isOfNow && isCurrent(plan, port.database)
    ? plan
    : port.planner.planOf(read.dataClass, read.predicate)
}

/** True while no index that the plan reads was rebuilt or dropped. */
function isCurrent(plan: PhysicalPlan, database: Database): boolean {
  if (plan.kind === 'index' && plan.places.version !== database.tableOf(plan.dataClass).version)
    return false
  return inputsOf(plan).every((input) => isCurrent(input, database))
}

function conditionBy(
  port: SelectionPort,
  { dataClass, predicate, asked }: ReadFilter,
  plan: PhysicalPlan | null,
): ConditionNode | null {
  const explained = asked === undefined ? predicate : asked()
  const indexed = plan === null || port.scope.restrictsRows ? null : indexedComparisons(plan)
  return conditionOf(
    dataClass,
    explained,
    port.planner.counts,
    undefined,
    (comparison) => indexed?.has(comparison) === true,
  )
}

function runTraced(
  port: SelectionPort,
  { read: { dataClass, predicate }, within }: Provenance,
  plan: PhysicalPlan | null,
): { readonly root: ExplainNode; readonly set: RecordSet } {
  if (plan === null) {
    const detail = `${dataClass.name}.${describePredicate(predicate)}, tested one by one`
    return { root: node('filter', detail, null, countOf(within ?? EMPTY_SET), []), set: EMPTY_SET }
  }
  const trace: Trace = new Map()
  const set = runPlan(plan, port.database, { trace, now: () => port.planner.monotonic() })
  return { root: explainPlan(plan, (operator) => trace.get(operator)), set }
}

/** The order of a plan that does not run: all estimated rows are sorted. */
export function explainOrder(
  port: SelectionPort,
  table: Table,
  plan: PhysicalPlan,
  orderBy: OrderBy,
  input: ExplainNode,
): ExplainNode {
  const { estimatedRows, isExact } = input
  const ordered = orderNode(
    port,
    table,
    plan,
    orderBy,
    estimatedRows,
    { skip: 0, top: estimatedRows },
    input,
  )
  return { ...ordered, isExact, actualRows: null }
}

function orderNode(
  { planner: { indexing } }: SelectionPort,
  table: Table,
  plan: PhysicalPlan | null,
  orderBy: OrderBy,
  count: number,
  page: { readonly skip: number; readonly top: number },
  input: ExplainNode,
): ExplainNode {
  const needed = Math.min(count, page.skip + page.top)
  const text = describeOrderBy(orderBy)
  const index = needed < count ? indexing?.indexOfOrder(table, orderBy) : null
  if (indexing && index) {
    const isOwnRange =
      plan?.kind === 'all' ||
      (plan?.kind === 'index' && indexing.windowOf(table, index, plan) !== null)
    const name = `${table.model.name}.${index.column.attribute.name}`
    if (isOwnRange || isWalkShorter(table.length, count, needed))
      return node('orderByIndex', `${text}, stops after ${needed}`, name, count, [input])
  }
  const isTop = isFewOf(needed, count)
  return node(isTop ? 'topK' : 'sort', isTop ? `${text}, best ${needed}` : text, null, count, [
    input,
  ])
}

/** The plan for a reader with hidden entities. */
const seenNode = (dataClass: string, rows: number): ExplainNode =>
  node('view', `entities of ${dataClass} that can be seen`, null, rows, [])

/** A node whose rows are known, without a time of its own. */
export const node = (
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
