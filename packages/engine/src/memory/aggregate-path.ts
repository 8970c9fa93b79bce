import type { AnySelection } from '@entia/core'
import type { AggregatePath, Aggregates, ComputeAction } from '../interface/engine.ts'
import type { GroupQuery, GroupResult } from '../interface/selection-source.ts'

/** Computes only what the action needs; the other members are null. */
export function aggregate(
  selection: AnySelection,
  { path }: AggregatePath,
  action: ComputeAction,
): Aggregates {
  const nothing = { count: 0, min: null, max: null }
  switch (action) {
    case 'all':
      return selection.compute(path)
    case 'count':
      return { ...nothing, count: selection.countOf(path) }
    default:
      return { ...nothing, [action]: selection[action](path) }
  }
}

/**
 * Aggregates over distinct values. Without numbers there is no sum; it is refused as without
 * `$distinct`.
 */
export function distinctAggregates(
  selection: AnySelection,
  path: AggregatePath,
  action: ComputeAction,
): Aggregates {
  const aggregates = selection.compute(path.path, { distinct: true })
  const isSum = action === 'sum' || action === 'average'
  return isSum && aggregates.sum == null ? aggregate(selection, path, action) : aggregates
}

/** The groups of a selection that a query requests. Throws the errors of its names and texts. */
export function groupsOf(
  selection: AnySelection,
  { attributes, aggregates, having, groupOrder, skip, top, withExplain }: GroupQuery,
): Omit<GroupResult, 'globalStamp'> {
  const all = selection.groupBy(attributes.join(','), aggregates)
  const kept = having === null ? all : all.having(having.text, having.params ?? undefined)
  const page = (groupOrder === null ? kept : kept.orderBy(groupOrder)).page(skip, top)
  return {
    count: kept.count,
    rows: page.toArray(),
    explain: withExplain ? page.explain() : null,
  }
}
