import { CliError } from '../cli-error.ts'
import { CsvBlock } from './csv-block.ts'
import { blocksOfBytes, type OnRead } from './read-lines.ts'

/** Bytes of one row. A longer one has a quote that is never closed. */
const MAX_ROW_LENGTH = 64 * 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180), in blocks. An empty cell is null, two quotes are the empty
 * text. Rejects with `CliError`, which names the line.
 */
export async function* readCsv(path: string, onRead?: OnRead): AsyncIterable<CsvBlock> {
  let reader: CsvReader | null = null
  for await (const block of blocksOfBytes(path, onRead)) {
    reader ??= new CsvReader(path, block)
    const rows = reader.read(block)
    if (rows !== null) yield rows
  }
  const rest = reader?.end() ?? null
  if (rest !== null) yield rest
}

/** Finds the cells in the blocks of one file. */
class CsvReader {
  readonly #path: string
  readonly #delimiter: number
  /** Null before the first line. */
  #names: readonly string[] | null = null
  /** The beginning of a row whose quoted cell continues in the next block. */
  #begun: Buffer | null = null
  /** The number of the line at which the next row begins. */
  #line = 1
  /** The cells of the block that is read: where they begin and end, as in `CsvBlock`. */
  #starts: Int32Array = new Int32Array(1 << 14)
  #ends: Int32Array = new Int32Array(1 << 14)
  #cells = 0

  constructor(path: string, firstBlock: Buffer) {
    this.#path = path
    const line = firstBlock.toString('utf8').split('\n', 1)[0]!
    this.#delimiter = delimiterOf(line, /\.tsv$/i.test(path) ? '\t' : ',')
  }

  /** The rows that end in a block, if any. */
  read(block: Buffer): CsvBlock | null {
    const begun = this.#begun
    return this.#rowsOf(begun === null ? block : Buffer.concat([begun, block]), false)
  }

  /** The rows of the bytes that remain after the last block. */
  end(): CsvBlock | null {
    return this.#begun === null ? null : this.#rowsOf(this.#begun, true)
  }

  #rowsOf(bytes: Buffer, isEnd: boolean): CsvBlock | null {
    this.#begun = null
    this.#cells = 0
    let count = 0
    let at = this.#names === null && bytes.indexOf(BYTE_ORDER_MARK) === 0 ? 3 : 0
    while (at < bytes.length) {
      const first = this.#cells
      let end = this.#plainRow(bytes, at)
      const hasQuotes = end < 0
      if (hasQuotes) {
        this.#cells = first
        end = this.#quotedRow(bytes, at)
        if (end < 0) {
          if (isEnd || bytes.length - at > MAX_ROW_LENGTH)
            throw this.#refused('a quoted cell of this row is not closed')
          this.#cells = first
          this.#begun = bytes.subarray(at)
          break
        }
      }
      // An empty line is not a row.
      if (this.#cells > first) {
        if (this.#names === null) {
          this.#names = this.#checkedNames(bytes)
          this.#cells = 0
        } else if (this.#cells - first === this.#names.length) count++
        else
          throw this.#refused(
            `it has ${this.#cells - first} cells, and the first line names ${this.#names.length}`,
          )
      }
      this.#line += hasQuotes ? newlinesBetween(bytes, at, end) : 1
      at = end
    }
    return this.#names === null || count === 0
      ? null
      : new CsvBlock(this.#names, count, bytes, this.#starts, this.#ends)
  }

  /** Reads a row without quotes. Returns where the next one begins, or -1 if it has quotes. */
  #plainRow(bytes: Buffer, from: number): number {
    const delimiter = this.#delimiter
    let start = from
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === delimiter) {
        this.#put(start, at)
        start = at + 1
      } else if (byte === NEWLINE) break
      else if (byte === QUOTE) return -1
    }
    const end = at > from && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at
    if (end > from) this.#put(start, end)
    return at + 1
  }

  /** Reads a row with quotes. Returns where the next one begins, or -1 if the bytes end before. */
  #quotedRow(bytes: Buffer, from: number): number {
    const delimiter = this.#delimiter
    for (let at = from; ; ) {
      let end: number
      if (bytes[at] === QUOTE) {
        const close = closingQuote(bytes, at + 1)
        if (close < 0) return -1
        this.#put(at + 1, ~close)
        end = close + 1
      } else {
        end = at
        while (end < bytes.length && bytes[end] !== delimiter && bytes[end] !== NEWLINE) {
          if (bytes[end] === QUOTE)
            throw this.#refused(
              'a quote stands inside a cell. Enclose the cell in quotes and write "" for a quote',
            )
          end++
        }
        const isLast = bytes[end] !== delimiter
        this.#put(at, isLast && end > at && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end)
      }
      if (bytes[end] === delimiter) at = end + 1
      else if (bytes[end] === NEWLINE || end >= bytes.length) return end + 1
      else if (
        bytes[end] === CARRIAGE_RETURN &&
        (bytes[end + 1] === NEWLINE || end + 1 >= bytes.length)
      )
        return end + 2
      else throw this.#refused('text follows the closing quote of a cell')
    }
  }

  #put(start: number, end: number): void {
    const cell = this.#cells++
    if (cell === this.#starts.length) {
      this.#starts = grown(this.#starts)
      this.#ends = grown(this.#ends)
    }
    this.#starts[cell] = start
    this.#ends[cell] = end
  }

  /** The names in the first line, whose cells are the only ones so far. */
  #checkedNames(bytes: Buffer): readonly string[] {
    const columns = Array.from({ length: this.#cells }, () => '')
    const line = new CsvBlock(columns, 1, bytes, this.#starts, this.#ends)
    const known = new Set<string>()
    for (const at of columns.keys()) {
      const name = line.textAt(at)
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

const BYTE_ORDER_MARK = '\uFEFF'
const NEWLINE = 10
const CARRIAGE_RETURN = 13
const QUOTE = 34

function grown(places: Int32Array): Int32Array {
  const wider = new Int32Array(places.length * 2)
  wider.set(places)
  return wider
}

function newlinesBetween(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0 && at < to; ) {
    count++
    at = bytes.indexOf(NEWLINE, at + 1)
  }
  return count
}

/** The quote that closes a cell; -1 without one. Two quotes stand for a quote. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 2))
    if (bytes[at + 1] !== QUOTE) return at
  return -1
}

/**
 * The delimiter that the first line uses most, the usual one for a single name: spreadsheets write
 * semicolons in some locales.
 */
function delimiterOf(line: string, usual: string): number {
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [usual, ',', ';', '\t', '|'].map((each) => ({
    each,
    count: names.split(each).length,
  }))
  const { each } = counts.reduce((most, one) => (one.count > most.count ? one : most))
  return each.charCodeAt(0)
}
