import type { AggregatePath, Aggregates } from '@entia/engine'
import type { GroupsAnswer } from '../endpoints/context/answer.ts'
import { type DateOnlyFormat, dayAsDateTime, formatDateOnly } from './layout.ts'

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

/**
 * The groups of an answer as JSON. Values have the form that they have in entities, and aggregates
 * that of `$compute`.
 */
export const groupTexts = ({ rows, days }: GroupsAnswer, format: DateOnlyFormat): string[] =>
  rows.map((row) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          days.has(name) ? dayText(value, format) : value,
        ]),
      ),
    ),
  )

/** A calendar date, or an object of aggregates of calendar dates. */
function dayText(value: unknown, format: DateOnlyFormat): unknown {
  if (typeof value === 'string') return formatDateOnly(value, format)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' ? dayAsDateTime(each) : each,
    ]),
  )
}
