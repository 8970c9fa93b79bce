import { plainValue } from './plain-value.ts'

/** Characters of the widest column. */
const WIDEST = 40

/** Rows as an aligned table with a line of names, for people; numbers stand at the right. Long values are cut. */
export function table(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  const isNumber = columns.map((column) => rows.every((row) => row[column] === null || typeof row[column] === 'number'))
  const widths = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]!.length)))
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, at) => (isNumber[at] ? text.padStart(widths[at]!) : text.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  return `${[line(columns), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = plainValue(value)
  // A line break or a control character would break the table, or the terminal.
  const text = (typeof plain === 'string' ? plain : JSON.stringify(plain)).replace(/\p{Cc}+/gu, ' ')
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text
}
