/**
 * The cells of a text that a spreadsheet puts on the clipboard: tabs between cells, quotes around
 * cells with tabs or line breaks. The line break at the end begins no row.
 */
export function cellsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length || row.length > 0) {
    let cell = ''
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1)
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = Math.min(text.length, end + 1)
    }
    const rest = endOfCell(text, at)
    row.push(cell + text.slice(at, rest))
    at = rest + 1
    if (text[rest] === '\t') continue
    if (text[rest] === '\r' && text[at] === '\n') at++
    rows.push(row)
    row = []
  }
  return rows
}

function closingQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && (text[at] !== '"' || text[at + 1] === '"'))
    at += text[at] === '"' ? 2 : 1
  return at
}

function endOfCell(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '\t' && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

/** A text as it was before an export put an apostrophe before a formula. */
export function withoutApostrophe(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
