import type { DashboardAnswer, DashboardColumn } from '../endpoints/context/answer.ts'
import { joinMembers, membersOf } from './layout.ts'

const columnType = (
  dataType: 'BOOLEAN' | 'NUMBER' | 'STRING',
  conceptType: 'DIMENSION' | 'METRIC',
  semanticGroup: string,
  semanticType: string,
) => ({ dataType, semantics: { conceptType, semanticGroup, semanticType } })

/** The types of dashboard columns, which also determine the form of their cells. */
const TYPES: { readonly [type in DashboardColumn['type']]: ReturnType<typeof columnType> } = {
  boolean: columnType('BOOLEAN', 'DIMENSION', 'BOOLEAN', 'BOOLEAN'),
  // YYYYMMDD
  dateOnly: columnType('STRING', 'DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY'),
  // YYYYMMDDHHMMSS, in UTC
  dateTime: columnType('STRING', 'DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY_SECOND'),
  // Seconds
  duration: columnType('NUMBER', 'METRIC', 'NUMERIC', 'DURATION'),
  number: columnType('NUMBER', 'METRIC', 'NUMERIC', 'NUMBER'),
  text: columnType('STRING', 'DIMENSION', 'TEXT', 'TEXT'),
}

/** The members of a dashboard, in order. `renderRow` makes the rows. */
export function renderDashboard(answer: DashboardAnswer, rows: readonly string[]): string {
  const { columns, filtersApplied, count, first } = answer
  return joinMembers(
    membersOf({ schema: columns.map(({ name, type }) => ({ name, ...TYPES[type] })) }),
    `"rows":[${rows.join(',')}]`,
    membersOf({ filtersApplied, __COUNT: count, __FIRST: first }),
  )
}

export function renderRow(row: readonly unknown[], { columns }: DashboardAnswer): string {
  return JSON.stringify({ values: columns.map(({ type }, at) => cellOf(row[at], type)) })
}

/**
 * A value as a cell of its column. Null for a value of a computed attribute that does not have its
 * type.
 */
function cellOf(value: unknown, type: DashboardColumn['type']): boolean | number | string | null {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    case 'duration':
      return typeof value === 'number' && Number.isFinite(value) ? value / 1000 : null
    case 'text':
      return typeof value === 'string' ? value : null
    case 'dateOnly':
      return digitsOf(value, 8)
    case 'dateTime':
      return digitsOf(value, 14)
  }
}

/** The digits of `2024-01-31T08:30:00.000Z`, to the given length. */
function digitsOf(value: unknown, length: number): string | null {
  const iso = isoText(value)
  return iso === null ? null : iso.replace(/\D/g, '').padEnd(length, '0').slice(0, length)
}

/**
 * Dates of the years 0 to 9999, like all stored dates. A computed attribute may return a `Date`.
 */
function isoText(value: unknown): string | null {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? null : isoText(value.toISOString())
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(value) ? value : null
}
