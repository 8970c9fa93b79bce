import { computeAggregates, computeDistinct, countBoxed } from '../../aggregate/aggregate.ts'
import { distinctValues } from '../../aggregate/distinct.ts'
import { SelectionGrouping } from '../../aggregate/grouping.ts'
import type { EntiaError } from '../../errors.ts'
import type { Untyped } from '../../model/definition.ts'
import type { SelectionGroups } from '../../model/group-types.ts'
import { notApplicable } from '../../model/path.ts'
import type { Aggregates, SelectionAggregates } from '../../model/selection-types.ts'
import { type Selection, selectionParts } from '../../query/selection.ts'
import { formatDate } from '../../value/date.ts'
import type { Capability } from '../kernel/capability.ts'

// Sums, extremes, counts and distinct values of a selection, and of its groups.

const selection = {
  sum(this: Selection, attribute: string): number {
    const { sum } = compute(this, attribute, false)
    if (sum === null) throw notNumeric(this, attribute, 'a sum')
    return sum
  },
  average(this: Selection, attribute: string): number | null {
    const { sum, average } = compute(this, attribute, false)
    if (sum === null) throw notNumeric(this, attribute, 'an average')
    return average
  },
  min(this: Selection, attribute: string): Untyped {
    return endOf(this, attribute, 'min') ?? compute(this, attribute, false).min
  },
  max(this: Selection, attribute: string): Untyped {
    return endOf(this, attribute, 'max') ?? compute(this, attribute, false).max
  },
  countOf(this: Selection, attribute: string): number {
    const { port, members } = selectionParts(this)
    const path = port.binder.resolvePath(this.table.model, attribute)
    return (
      countBoxed(port.database, path, () => members.livingSet()) ??
      compute(this, attribute, false).count
    )
  },
  compute(
    this: Selection,
    attribute: string,
    { distinct = false }: { readonly distinct?: boolean } = {},
  ): Aggregates {
    return compute(this, attribute, distinct)
  },
  distinct(this: Selection, path: string): unknown[] {
    const { port, members } = selectionParts(this)
    port.moment.enter()
    const resolved = port.binder.resolvePath(this.table.model, path)
    return distinctValues(port.database, this.table, resolved, members.setOrAll())
  },
} satisfies SelectionAggregates<Untyped, string>

/** `sum`, `average`, `min`, `max`, `compute`, `countOf` and `distinct` of selections. */
export const aggregates = { name: 'aggregates', selection } as const satisfies Capability

function compute(of: Selection, attribute: string, isDistinct: boolean): Aggregates {
  const { port, members } = selectionParts(of)
  port.moment.enter()
  const path = port.binder.resolvePath(of.table.model, attribute)
  return (isDistinct ? computeDistinct : computeAggregates)(
    port.database,
    of.table,
    path,
    members.setOrAll(),
  )
}

/**
 * The lowest or highest value of an attribute of all entities, from its index; null if no index
 * answers.
 */
function endOf(of: Selection, name: string, end: 'min' | 'max'): unknown {
  const { port, members } = selectionParts(of)
  port.moment.enter()
  const { attribute, properties, steps } = port.binder.resolvePath(of.table.model, name)
  if (attribute.kind !== 'storage' || properties.length > 0 || steps.length > 0) return null
  const { indexing } = port.planner
  if (indexing === null || members.setOrAll() !== null) return null
  const value = indexing.endOf(of.table, attribute, end)
  return value === null || attribute.type !== 'date' ? value : formatDate(value, attribute.dateOnly)
}

const notNumeric = ({ table }: Selection, attribute: string, use: string): EntiaError =>
  notApplicable(table.model.name, attribute, use, 'Name a number or duration attribute.')

const grouped = {
  groupBy(this: Selection, attributes: string, aggregates: object = {}): SelectionGrouping {
    return SelectionGrouping.of(this, attributes, aggregates)
  },
} satisfies SelectionGroups<Untyped, string>

/** `groupBy` of selections. */
export const grouping = { name: 'grouping', selection: grouped } as const satisfies Capability
