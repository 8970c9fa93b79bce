import { plainValue } from './plain-value.ts'

/** Characters of the widest column. */
const MAX_COLUMN_WIDTH = 40

/** Rows as an aligned table with a header. Numbers align right; long values are cut. */
export function table(
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  const isNumber = columns.map((column) =>
    rows.every((row) => row[column] === null || typeof row[column] === 'number'),
  )
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...cells.map((row) => row[at]!.length)),
  )
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
  // A line break or a control character would break the table or the terminal.
  const text = (typeof plain === 'string' ? plain : JSON.stringify(plain)).replace(/\p{Cc}+/gu, ' ')
  return text.length > MAX_COLUMN_WIDTH ? `${text.slice(0, MAX_COLUMN_WIDTH - 1)}…` : text
}
