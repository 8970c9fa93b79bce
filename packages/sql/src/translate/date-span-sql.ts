import type { DateSpan } from '@entia/core'
import { type Sql, sql } from '../sql-builder/sql.ts'

/** Dates of PostgreSQL do not reach as far back; the calendar repeats after so many days. */
const CYCLE = 146_097
/** 2000-01-01 in days since 1970-01-01. */
const START = 10_957

/** Milliseconds since 1970 as days. */
export const dayOf = (milliseconds: Sql): Sql =>
  sql`((${milliseconds} - mod(mod(${milliseconds}, 86400000) + 86400000, 86400000)) / 86400000)`

/** The first day of the span with a day in it; both are days since 1970-01-01. */
export function startOfSpan(day: Sql, span: DateSpan): Sql {
  switch (span) {
    case 'day':
      return day
    case 'week':
      // 1970-01-01 was a Thursday.
      return sql`(${day} - mod(mod(${day} + 3, 7) + 7, 7))`
    default:
      return startInCycle(day, UNITS[span])
  }
}

const UNITS = { month: sql`'month'`, quarter: sql`'quarter'`, year: sql`'year'` } as const

/** Truncates the day with the same place in the cycle that begins with the year 2000. */
function startInCycle(day: Sql, unit: Sql): Sql {
  const cycle = sql`${sql`${CYCLE}::integer`}`
  const place = sql`mod(mod(${day} - ${START}::integer, ${cycle}) + ${cycle}, ${cycle})::integer`
  const start = sql`date_trunc(${unit}, (date '2000-01-01' + ${place})::timestamp)::date - date '2000-01-01'`
  return sql`(${day} - ${place} + (${start}))`
}
