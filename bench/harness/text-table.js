const units = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
  [1, 'ns'],
]

/** A duration with three significant digits. */
export function formatDuration(nanoseconds) {
  // A value that would round to 1000 belongs to the next unit.
  const [size, name] = units.find(([least]) => nanoseconds >= 0.9995 * least) ?? [1, 'ns']
  const value = nanoseconds / size
  return `${value >= 999.5 ? value.toFixed(0) : value.toPrecision(3)} ${name}`
}

/**
 * A padded table in GitHub-flavoured Markdown. The first columns (two by default) align left, the
 * others right.
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 * @param {number} [textColumns]
 */
export function markdownTable(header, rows, textColumns = 2) {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column].length)),
  )
  const line = (row) =>
    `| ${row.map((text, column) => (column < textColumns ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join(' | ')} |\n`
  const rule = `|${widths.map((width, column) => (column < textColumns ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|\n`
  return line(header) + rule + rows.map(line).join('')
}

/**
 * The busiest functions of a profile, one per line. @param {readonly { name: string, share: number
 * }[]} functions
 */
export function shareLines(functions) {
  return functions
    .map(({ name, share }) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}\n`)
    .join('')
}
