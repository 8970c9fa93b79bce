import { type Attribute, isNumeric } from './model.ts'

const yearMonthDay = /^([1-9]\d{3})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?$/

/**
 * A condition for the entities whose value begins with what was typed: of a date the year, the
 * month or the day, of a number all of it. Null if no value of the type does. `param` takes a value
 * and returns its placeholder.
 */
export function beginsWith(
  attribute: Attribute,
  typed: string,
  param: (value: string) => string,
): string | null {
  const { name, type } = attribute
  if (type === 'string' || type === 'uuid') return `${name} begin ${param(typed)}`
  const text = typed.trim().toLowerCase()
  if (type === 'date') {
    const span = spanOf(text)
    return span && `${name} >= ${param(span.from)} and ${name} < ${param(span.to)}`
  }
  const isValue =
    type === 'bool'
      ? text === 'true' || text === 'false'
      : isNumeric(attribute) &&
        (/^-?\d+(\.\d+)?$/.test(text) || (type === 'duration' && /^\d+:\d\d:\d\d$/.test(text)))
  return isValue ? `${name} = ${param(text)}` : null
}

/** The days of `2024`, `2024-02` or `2024-02-29`, up to the day after; null for any other text. */
function spanOf(text: string): { readonly from: string; readonly to: string } | null {
  const [, year, month, day] = yearMonthDay.exec(text) ?? []
  if (year === undefined) return null
  const at = (years: number, months: number, days: number) =>
    new Date(
      Date.UTC(Number(year) + years, Number(month ?? 1) - 1 + months, Number(day ?? 1) + days),
    )
      .toISOString()
      .slice(0, 10)
  return {
    from: at(0, 0, 0),
    to: month === undefined ? at(1, 0, 0) : day === undefined ? at(0, 1, 0) : at(0, 0, 1),
  }
}
