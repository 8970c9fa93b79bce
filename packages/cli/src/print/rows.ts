import { stringify } from 'csv-stringify/sync'
import { plainValue } from './plain-value.ts'
import { table } from './table.ts'

export type RowFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv'
export const rowFormats: readonly RowFormat[] = ['table', 'json', 'ndjson', 'csv', 'tsv']
export const fileFormats = ['ndjson', 'json', 'csv', 'tsv'] as const

export type Row = Readonly<Record<string, unknown>>

/** Rows as lines of text. A generator, so that memory does not grow with the file. */
export function* rowLines(
  rows: Iterable<Row>,
  columns: readonly string[],
  format: RowFormat,
): Iterable<string> {
  switch (format) {
    case 'table':
      yield table([...rows], columns)
      return
    case 'ndjson':
      for (const row of rows) yield `${JSON.stringify(plainRow(row, columns))}\n`
      return
    case 'csv':
    case 'tsv': {
      const delimiter = format === 'csv' ? ',' : '\t'
      yield csvLine(columns, delimiter)
      for (const row of rows)
        yield csvLine(
          columns.map((column) => csvCell(row[column])),
          delimiter,
        )
      return
    }
    case 'json': {
      let head = '[\n'
      for (const row of rows) {
        yield `${head}  ${JSON.stringify(plainRow(row, columns))}`
        head = ',\n'
      }
      yield head === '[\n' ? '[]\n' : '\n]\n'
    }
  }
}

const plainRow = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, plainValue(row[column])]))

const csvLine = (cells: readonly unknown[], delimiter: string): string =>
  plainLine(cells, delimiter) ?? quotedLine(cells, delimiter)

/** A line without quotes, null where a cell may need some: most lines need none. */
function plainLine(cells: readonly unknown[], delimiter: string): string | null {
  let line = ''
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at]
    if (typeof cell === 'string') {
      if (!plainCell.test(cell)) return null
    } else if (cell !== null && typeof cell !== 'number') return null
    line += at === 0 ? (cell ?? '') : delimiter + (cell ?? '')
  }
  return `${line}\n`
}

const plainCell = /^[^",;\t|\r\n]+$/

// An empty text is written as two quotes, to distinguish it from null.
const quotedLine = (cells: readonly unknown[], delimiter: string): string =>
  stringify([[...cells]], {
    delimiter,
    cast: { string: (value) => ({ value, quoted_empty: value === '' }) },
  })

function csvCell(value: unknown): unknown {
  const plain = plainValue(value)
  if (typeof plain === 'boolean') return String(plain)
  return typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : plain
}
