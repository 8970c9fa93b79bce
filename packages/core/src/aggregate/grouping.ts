import { Steps } from '../execute/steps.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import { describeOrderBy, describePredicate } from '../filter/predicate.ts'
import type { Explain, ExplainNode } from '../model/explain-types.ts'
import type { Grouping } from '../model/group-types.ts'
import { printable } from '../plan/explain-plan.ts'
import { explainSelection } from '../query/explain-selection.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import type { Scope } from '../query/selection-port.ts'
import { wholeNumber } from '../value/check-options.ts'
import {
  type BoundGrouping,
  bindGrouping,
  estimateGroups,
  type GroupPlan,
} from './bind-grouping.ts'
import { computeGroups, type GroupTable } from './compute-groups.ts'
import { allGroups, applyStep, bindGroupOrder, bindHaving, type GroupStep } from './group-steps.ts'
import { listMembers } from './members.ts'
import { groupRow, type Row, RowClass, rowColumns } from './row-class.ts'

/** The groups of a selection, computed once for each commit. */
class GroupSource {
  readonly selection: Selection
  readonly bound: BoundGrouping
  readonly rows: RowClass
  #known: { readonly globalStamp: number; readonly table: GroupTable } | null = null

  constructor(selection: Selection, bound: BoundGrouping) {
    this.selection = selection
    this.bound = bound
    this.rows = new RowClass(bound.dataClass, rowColumns(bound))
  }

  table(): GroupTable {
    const { port, members } = selectionParts(this.selection)
    port.moment.enter()
    const { globalStamp, isProvisional } = port.moment
    // What a transaction has written may change without a commit, or be rolled back.
    if (this.#known?.globalStamp === globalStamp && !isProvisional) return this.#known.table
    const { table } = this.selection
    const found = computeGroups(port.database, table, this.bound, members.setOrAll())
    this.#known = isProvisional ? null : { globalStamp, table: found }
    return found
  }
}

/** See `Grouping`. */
export class SelectionGrouping implements Grouping<Row> {
  readonly #source: GroupSource
  readonly #steps: readonly GroupStep[]
  #known: { readonly table: GroupTable; readonly groups: Int32Array } | null = null

  private constructor(source: GroupSource, steps: readonly GroupStep[]) {
    this.#source = source
    this.#steps = steps
  }

  /** Throws as `bindGrouping`. */
  static of(selection: Selection, attributes: string, aggregates: object): SelectionGrouping {
    const { port } = selectionParts(selection)
    port.moment.enter()
    const { model } = selection.table
    const bound = bindGrouping(port.binder, model, attributes, aggregates)
    return new SelectionGrouping(new GroupSource(selection, bound), [])
  }

  get count(): number {
    return this.#groups().groups.length
  }
  toArray(): Row[] {
    const { table, groups } = this.#groups()
    const { bound, selection } = this.#source
    const { slices } = selectionParts(selection).port.database
    const steps = Steps.in(slices, () => ['rows of groups', table], groups)
    return steps.map(groups.length, (at) => groupRow(bound, table, groups[at]))
  }
  first(): Row | undefined {
    const { table, groups } = this.#groups()
    return groups.length === 0 ? undefined : groupRow(this.#source.bound, table, groups[0])
  }
  [Symbol.iterator](): IterableIterator<Row> {
    return this.toArray()[Symbol.iterator]()
  }

  having(condition: string, parameters?: FilterParameters): SelectionGrouping {
    const { rows, selection } = this.#source
    const { limits } = selectionParts(selection).port.binder
    return this.#with(bindHaving(rows, limits, condition, parameters))
  }
  orderBy(text: string): SelectionGrouping {
    const { rows, selection } = this.#source
    const { limits } = selectionParts(selection).port.binder
    return this.#with(bindGroupOrder(rows, limits, text))
  }
  page(skip: number, top: number): SelectionGrouping {
    return this.#with({
      kind: 'page',
      skip: wholeNumber('skip', skip),
      top: wholeNumber('top', top),
    })
  }

  /** Computes the groups now, above the plan of their selection. */
  explain(): Explain {
    const { selection, bound, rows } = this.#source
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
    for (const step of this.#steps) {
      kept = applyStep(step, database.slices, rows, groups, kept)
      root = stepNode(step, kept.length, root)
    }
    return printable({ ...explained, root })
  }

  /** What Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { dataClass, terms } = this.#source.bound
    return `Groups of ${dataClass.name} by ${terms.map(({ name }) => name).join(', ')}`
  }

  #with(step: GroupStep): SelectionGrouping {
    return new SelectionGrouping(this.#source, [...this.#steps, step])
  }

  #groups(): { readonly table: GroupTable; readonly groups: Int32Array } {
    const { rows, selection } = this.#source
    const table = this.#source.table()
    if (this.#known?.table === table) return this.#known
    const { slices } = selectionParts(selection).port.database
    let groups = allGroups(slices, table)
    for (const step of this.#steps) groups = applyStep(step, slices, rows, table, groups)
    this.#known = { table, groups }
    return this.#known
  }
}

/** The share of groups that a condition is expected to keep. */
const HAVING_SHARE = 1 / 3

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
  const { estimatedRows, isExact } = input
  const node = (operator: string, detail: string, rows: number, exact = isExact): ExplainNode => ({
    operator,
    detail,
    estimatedRows: rows,
    isExact: exact,
    index: null,
    actualRows,
    milliseconds: null,
    inputs: [input],
  })
  switch (step.kind) {
    case 'having':
      return node('having', describePredicate(step.predicate), estimatedRows * HAVING_SHARE, false)
    case 'sort':
      return node('sort', describeOrderBy(step.terms), estimatedRows)
    case 'page': {
      const { skip, top } = step
      const rest = Math.max(0, Math.min(top, estimatedRows - skip))
      return node('page', `skip ${skip}, top ${top}`, rest)
    }
  }
}
