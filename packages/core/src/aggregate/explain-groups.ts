import { describeOrderBy, describePredicate } from '../filter/predicate.ts'
import type { Explain, ExplainNode } from '../model/explain-types.ts'
import { printable } from '../plan/explain-plan.ts'
import { explainSelection } from '../query/explain-selection.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import type { Scope } from '../query/selection-port.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import { computeGroups } from './compute-groups.ts'
import { allGroups, applyStep, type GroupStep } from './group-steps.ts'
import { listMembers } from './members.ts'
import { estimateGroups, type GroupPlan } from './plan-grouping.ts'
import { type RowClass, rowColumns } from './row-class.ts'

/** The share of groups that a condition is expected to keep. */
const HAVING_SHARE = 1 / 3

/** Explains a grouping by computing it now, above the plan of its selection. */
export function explainGroups(
  selection: Selection,
  bound: BoundGrouping,
  rows: RowClass,
  steps: readonly GroupStep[],
): Explain {
  const { port, members, provenance } = selectionParts(selection)
  port.moment.enter()
  const { table } = selection
  const { database, planner, scope } = port
  const explained = explainSelection(port, table, provenance, members.pageWindow, members.count)
  const set = members.setOrAll()
  const started = planner.monotonic()
  const groups = computeGroups(database, table, bound, set)
  const milliseconds = planner.monotonic() - started
  const { plan, count } = groups
  // With hidden rows, an estimate would tell how many values all rows have.
  const isEstimated = !scope.restrictsRows
  let root: ExplainNode = {
    operator: OPERATORS[plan.kind],
    detail: groupingDetail(bound),
    index: countingIndex(bound, plan, scope),
    estimatedRows: isEstimated
      ? estimateGroups(database, bound, listMembers(database, table, set))
      : count,
    isExact: !isEstimated,
    actualRows: count,
    milliseconds,
    inputs: plan.kind === 'columns' ? [explained.root] : [],
  }
  let kept = allGroups(database.slices, groups)
  for (const step of steps) {
    kept = applyStep(step, database.slices, rows, groups, kept)
    root = stepNode(step, kept.length, root)
  }
  return printable({ ...explained, root })
}

const OPERATORS: { readonly [K in GroupPlan['kind']]: string } = {
  words: 'groupByWords',
  postings: 'groupByPostingLists',
  columns: 'groupByColumns',
}

/** `Flight by origin.state: count, delay.average`. */
function groupingDetail(bound: BoundGrouping): string {
  const names = rowColumns(bound).map(({ name }) => name)
  const { length } = bound.terms
  const by = names.slice(0, length).join(', ')
  const aggregates = names.slice(length).join(', ')
  return `${bound.dataClass.name} by ${by}${aggregates === '' ? '' : `: ${aggregates}`}`
}

/** The index that knows the groups, by a name that the reader knows. */
function countingIndex({ dataClass }: BoundGrouping, plan: GroupPlan, scope: Scope): string | null {
  if (plan.kind !== 'postings') return null
  const { foreignKey, name } = plan.relation
  return `${dataClass.name}.${scope.sees(foreignKey) ? foreignKey.name : name}`
}

function stepNode(step: GroupStep, actualRows: number, input: ExplainNode): ExplainNode {
  const node = { index: null, actualRows, milliseconds: null, inputs: [input] }
  const { estimatedRows, isExact } = input
  switch (step.kind) {
    case 'having':
      return {
        operator: 'having',
        detail: describePredicate(step.predicate),
        estimatedRows: estimatedRows * HAVING_SHARE,
        isExact: false,
        ...node,
      }
    case 'sort':
      return {
        operator: 'sort',
        detail: describeOrderBy(step.terms),
        estimatedRows,
        isExact,
        ...node,
      }
    case 'page': {
      const { skip, top } = step
      const rest = Math.max(0, Math.min(top, estimatedRows - skip))
      return {
        operator: 'page',
        detail: `skip ${skip}, top ${top}`,
        estimatedRows: rest,
        isExact,
        ...node,
      }
    }
  }
}
