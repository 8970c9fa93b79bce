import { CliError } from '../cli-error.ts'
import type { FileRecord } from './file-record.ts'
import { blocksOfLines } from './read-lines.ts'

/** Characters of one row. A longer one has a quote that is never closed. */
const MAX_ROW_LENGTH = 64 * 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180), in blocks. An empty cell is null, two quotes are the empty
 * text. All rows share one list of names, that of the first line. Rejects with `CliError`, which
 * names the line.
 */
export async function* readCsv(path: string): AsyncIterable<readonly FileRecord[]> {
  let reader: CsvReader | null = null
  for await (const block of blocksOfLines(path)) {
    reader ??= new CsvReader(path, block)
    yield reader.read(block)
  }
  if (reader !== null) yield reader.end()
}

type Cells = (string | null)[]

/** Splits the blocks of one file into rows. */
class CsvReader {
  readonly #path: string
  readonly #delimiter: string
  /** Null before the first line. */
  #names: readonly string[] | null = null
  /** The beginning of a row whose quoted cell continues in the next block. */
  #begun = ''
  /** The number of the line at which the next row begins. */
  #line = 1

  constructor(path: string, firstBlock: string) {
    this.#path = path
    this.#delimiter = delimiterOf(firstBlock.split('\n', 1)[0]!)
  }

  /** The rows that end in a block. */
  read(block: string): readonly FileRecord[] {
    return this.#rowsOf(this.#begun + block, false)
  }

  /** The records of the text that remains after the last block. */
  end(): readonly FileRecord[] {
    return this.#begun === '' ? [] : this.#rowsOf(this.#begun, true)
  }

  #rowsOf(given: string, isEnd: boolean): readonly FileRecord[] {
    const text = this.#names === null ? given.replace(/^\uFEFF/, '') : given
    const rows: FileRecord[] = []
    this.#begun = ''
    let quote = text.indexOf('"')
    for (let at = 0; at < text.length; ) {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? text.length : newline
      if (quote >= 0 && quote < at) quote = text.indexOf('"', at)
      if (quote < 0 || quote >= end) {
        this.#put(this.#plainCells(text, at, end), rows)
        this.#line++
        at = end + 1
        continue
      }
      const scanned = this.#quotedCells(text, at)
      if (scanned === null) {
        if (isEnd || text.length - at > MAX_ROW_LENGTH)
          throw this.#refused('a quoted cell of this row is not closed')
        this.#begun = text.slice(at)
        break
      }
      this.#put(scanned.cells, rows)
      this.#line += newlinesBetween(text, at, scanned.end)
      at = scanned.end
    }
    return rows
  }

  /** A line without quotes; null for an empty one. */
  #plainCells(text: string, from: number, to: number): Cells | null {
    const end = text.charCodeAt(to - 1) === CARRIAGE_RETURN ? to - 1 : to
    if (end <= from) return null
    const cells: Cells = text.slice(from, end).split(this.#delimiter)
    for (let at = 0; at < cells.length; at++) if (cells[at] === '') cells[at] = null
    return cells
  }

  /** A row with quotes, and where the next one begins; null if it does not end in the text. */
  #quotedCells(text: string, from: number): { readonly cells: Cells; readonly end: number } | null {
    const delimiter = this.#delimiter
    const cells: Cells = []
    for (let at = from; ; ) {
      let end: number
      if (text[at] === '"') {
        const close = closingQuote(text, at + 1)
        if (close < 0) return null
        cells.push(text.slice(at + 1, close).replaceAll('""', '"'))
        end = close + 1
      } else {
        end = at
        while (end < text.length && text[end] !== delimiter && text[end] !== '\n') {
          if (text[end] === '"')
            throw this.#refused(
              'a quote stands inside a cell. Enclose the cell in quotes and write "" for a quote',
            )
          end++
        }
        const isLast = text[end] !== delimiter
        const cell = text.slice(at, isLast && text[end - 1] === '\r' ? end - 1 : end)
        cells.push(cell === '' ? null : cell)
      }
      if (text[end] === delimiter) at = end + 1
      else if (text[end] === '\n' || end >= text.length) return { cells, end: end + 1 }
      else if (text[end] === '\r' && (text[end + 1] === '\n' || end + 1 >= text.length))
        return { cells, end: end + 2 }
      else throw this.#refused('text follows the closing quote of a cell')
    }
  }

  #put(cells: Cells | null, rows: FileRecord[]): void {
    if (cells === null) return
    const names = this.#names
    if (names === null) this.#names = this.#checkedNames(cells)
    else if (cells.length === names.length) rows.push({ names, values: cells })
    else
      throw this.#refused(`it has ${cells.length} cells, and the first line names ${names.length}`)
  }

  #checkedNames(names: Cells): readonly string[] {
    const known = new Set<string>()
    for (const [at, name] of names.entries()) {
      if (name === null || name.trim() === '')
        throw new CliError(`${this.#path}: column ${at + 1} has no name in the first line.`)
      if (name.includes('\r'))
        throw new CliError(
          `${this.#path}: its lines end in CR alone. Save it with line ends of LF, or of CR and LF.`,
        )
      if (known.has(name))
        throw new CliError(
          `${this.#path}: two columns are called "${name}". Rename one of them in the first line.`,
        )
      known.add(name)
    }
    return [...known]
  }

  #refused(problem: string): CliError {
    return new CliError(`${this.#path}, line ${this.#line}: ${problem}.`)
  }
}

const CARRIAGE_RETURN = 13

function newlinesBetween(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1))
    count++
  return count
}

/** The quote that closes a cell; -1 without one. Two quotes stand for a quote. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at
  return -1
}

/**
 * The delimiter that the first line uses most: spreadsheets write semicolons in some locales.
 */
function delimiterOf(line: string): string {
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((each) => ({ each, count: names.split(each).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).each
}
