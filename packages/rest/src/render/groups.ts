import type { GroupsAnswer } from '../handle/context/answer.ts'
import { type DateOnlyFormat, dayAsDateTime, formatDateOnly } from './date-text.ts'

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
