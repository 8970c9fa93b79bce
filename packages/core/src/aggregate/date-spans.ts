import type { DateSpan } from '../model/group-types.ts'
import { formatDay } from '../value/date.ts'

const SPANS: ReadonlySet<string> = new Set<DateSpan>(['day', 'week', 'month', 'quarter', 'year'])

export const isDateSpan = (name: string): name is DateSpan => SPANS.has(name)

/** The first day of the span with a day in it; both are days since 1970-01-01, in UTC. */
export function startOfSpan(day: number, span: DateSpan): number {
  switch (span) {
    case 'day':
      return day
    case 'week':
      // 1970-01-01 was a Thursday.
      return day - ((((day + 3) % 7) + 7) % 7)
    case 'month':
      return startOfMonths(day, 1)
    case 'quarter':
      return startOfMonths(day, 3)
    case 'year':
      return startOfMonths(day, 12)
  }
}

/** The first day of a month that ends a whole number of spans of so many months. */
function startOfMonths(day: number, months: number): number {
  for (let at = day; ; ) {
    const text = formatDay(at)
    const first = at - Number(text.slice(-2)) + 1
    if ((Number(text.slice(-5, -3)) - 1) % months === 0) return first
    at = first - 1
  }
}
