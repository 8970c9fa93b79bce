import { Steps } from '../execute/steps.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { Explain } from '../model/explain-types.ts'
import type { Grouping } from '../model/group-types.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import { wholeNumber } from '../value/check-options.ts'
import { type BoundGrouping, bindGrouping } from './bind-grouping.ts'
import { computeGroups, type GroupTable } from './compute-groups.ts'
import { explainGroups } from './explain-groups.ts'
import { allGroups, applyStep, bindGroupOrder, bindHaving, type GroupStep } from './group-steps.ts'
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

  explain(): Explain {
    const { selection, bound, rows } = this.#source
    return explainGroups(selection, bound, rows, this.#steps)
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
