import type { AnySelection } from '@entia/core'
import type { AggregatePath, Aggregates } from '../engine/engine.ts'
import type { ComputeAction } from '../request/parameters.ts'

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
    case 'sum':
      return { ...nothing, sum: selection.sum(path) }
    case 'average':
      return { ...nothing, average: selection.average(path) }
    case 'min':
      return { ...nothing, min: selection.min(path) }
    case 'max':
      return { ...nothing, max: selection.max(path) }
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
