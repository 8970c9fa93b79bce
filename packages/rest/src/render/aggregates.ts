import type { AggregatePath, Aggregates } from '../engine/engine.ts'
import { dayAsDateTime } from './date-text.ts'

/** The value of one keyword; null where there is none. */
export function bareAggregate(
  aggregates: Aggregates | undefined,
  path: AggregatePath | undefined,
  only: 'average' | 'count' | 'max' | 'min' | 'sum',
): unknown {
  if (aggregates === undefined || path === undefined) return null
  return only === 'min' || only === 'max'
    ? bound(aggregates[only], path)
    : (aggregates[only] ?? null)
}

/** All aggregates of an attribute. */
export function allAggregates(aggregates: Aggregates, path: AggregatePath): object {
  const { count, sum, average } = aggregates
  const bounds = { min: bound(aggregates.min, path), max: bound(aggregates.max, path) }
  // A property of an object has a sum only if its values are numbers.
  return path.isNumeric && sum != null
    ? { count, sum, average: average ?? null, ...bounds }
    : { count, ...bounds }
}

/** Aggregates show calendar dates as date-times. */
function bound(value: unknown, path: AggregatePath): unknown {
  return path.type === 'dateOnly' && typeof value === 'string'
    ? dayAsDateTime(value)
    : (value ?? null)
}
