import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { CliError, fileError } from '../cli-error.ts'
import type { DataFile } from './data-file.ts'

/** A row of a file. CSV cells are texts, or null if empty; JSON keeps its types. */
export interface FileRecord {
  readonly [name: string]: unknown
}

/** Rows of one kind. Each iteration reads the file again. */
export interface RecordSource {
  /** The name of the file, or of a list in it. */
  readonly name: string
  readonly file: DataFile
  /** The list in a JSON file that holds several, otherwise null. */
  readonly member: string | null
  records(): AsyncIterable<FileRecord>
}

/**
 * The kinds of rows in a file: one, or one per list for a JSON object of lists. `onRemark` receives
 * a sentence for every other member of such an object (json-server's files hold single objects
 * too). This call and the iteration throw `CliError` with the file and the place.
 */
export async function recordSources(
  file: DataFile,
  onRemark: (remark: string) => void,
): Promise<readonly RecordSource[]> {
  if (file.format !== 'json') {
    const read = file.format === 'csv' ? readCsv : readNdjson
    return [{ name: file.name, file, member: null, records: () => read(file.path) }]
  }
  const content = parseJson(await readText(file.path), file.path, null)
  if (Array.isArray(content))
    return [{ name: file.name, file, member: null, records: () => rowsOf(content, file.path) }]
  const sources: RecordSource[] = []
  for (const [name, list] of Object.entries(isRecord(content) ? content : {}))
    if (Array.isArray(list))
      sources.push({
        name,
        file,
        member: name,
        records: () => rowsOf(list, `${file.path}, "${name}"`),
      })
    else onRemark(`${file.path}: "${name}" is not a list of objects and is skipped.`)
  if (sources.length > 0) return sources
  throw new CliError(`${file.path} must be a list of objects, or an object of such lists.`)
}

async function* rowsOf(rows: readonly unknown[], place: string): AsyncIterable<FileRecord> {
  for (const [at, row] of rows.entries()) yield recordAt(row, `${place}, row ${at + 1}`)
}

async function* readNdjson(path: string): AsyncIterable<FileRecord> {
  let line = 0
  for await (const block of blocksOfLines(path))
    for (const text of block.replace(/\r?\n$/, '').split(/\r?\n/)) {
      line++
      if (text.trim() !== '') yield recordAt(parseJson(text, path, line), `${path}, line ${line}`)
    }
}

async function* readCsv(path: string): AsyncIterable<FileRecord> {
  const { delimiter, hasEmptyTexts } = await csvForm(path)
  let names: readonly string[] = []
  const parser = parse({
    bom: true,
    delimiter,
    columns: (first: string[]) => (names = checkNames(first, path)) as string[],
    skip_empty_lines: true,
    // An empty cell is null; two quotes are the empty text. The callback doubles the parser's time.
    ...(hasEmptyTexts
      ? { cast: (value, { quoting }) => (value === '' && !quoting ? null : value) }
      : {}),
  })
  const source = Readable.from(blocksOfLines(path))
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const record of source.pipe(parser) as AsyncIterable<Record<string, unknown>>) {
      if (!hasEmptyTexts) for (const name of names) if (record[name] === '') record[name] = null
      yield record
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CliError(`${path}: ${error.message}.`)
    throw error
  } finally {
    source.destroy()
  }
}

/**
 * The delimiter that the first line uses most (spreadsheets write semicolons in some locales), and
 * whether a cell may hold just two quotes. Reads the file once.
 */
async function csvForm(
  path: string,
): Promise<{ readonly delimiter: string; readonly hasEmptyTexts: boolean }> {
  let delimiter: string | null = null
  for await (const block of blocksOfLines(path)) {
    delimiter ??= delimiterOf(block.split('\n', 1)[0]!)
    if (/(?:^|[,;\t])""(?:[,;\t\r]|$)/m.test(block)) return { delimiter, hasEmptyTexts: true }
  }
  return { delimiter: delimiter ?? ',', hasEmptyTexts: false }
}

function delimiterOf(line: string): string {
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((each) => ({ each, count: names.split(each).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).each
}

function checkNames(names: readonly string[], path: string): string[] {
  const known = new Set<string>()
  for (const [at, name] of names.entries()) {
    if (name === null || name.trim() === '')
      throw new CliError(`${path}: column ${at + 1} has no name in the first line.`)
    if (known.has(name)) throw new CliError(`${path}: two columns are called "${name}".`)
    known.add(name)
  }
  return [...names]
}

/**
 * The text of a file in blocks of whole lines. Throws `CliError` if the file is unreadable or not
 * UTF-8.
 */
async function* blocksOfLines(path: string): AsyncIterable<string> {
  let lines = 0
  let begun: Buffer[] = []
  const source = createReadStream(path)
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(NEWLINE) + 1
      begun.push(end === 0 ? chunk : chunk.subarray(0, end))
      if (end === 0) continue
      const block = Buffer.concat(begun)
      begun = [chunk.subarray(end)]
      yield textOf(block, path, lines)
      lines += newlinesIn(block)
    }
  } catch (error) {
    throw error instanceof CliError ? error : fileError(path, 'read', error)
  } finally {
    source.destroy()
  }
  const last = Buffer.concat(begun)
  if (last.length > 0) yield textOf(last, path, lines)
}

const NEWLINE = 0x0a

async function readText(path: string): Promise<string> {
  const parts: string[] = []
  for await (const block of blocksOfLines(path)) parts.push(block)
  return parts.join('')
}

/**
 * Decodes a block strictly: another encoding would silently become wrong letters. `lines` counts
 * the lines before it.
 */
function textOf(block: Buffer, path: string, lines: number): string {
  if (isUtf8(block)) return block.toString('utf8')
  for (let start = 0, line = lines + 1; ; line++) {
    const end = block.indexOf(NEWLINE, start)
    if (end !== -1 && isUtf8(block.subarray(start, end))) start = end + 1
    else
      throw new CliError(
        `${path}, line ${line}, is not UTF-8. Save the file as UTF-8, or convert it: iconv -f windows-1252 -t utf-8 old > new`,
      )
  }
}

function newlinesIn(block: Buffer): number {
  let count = 0
  for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) count++
  return count
}

function parseJson(text: string, path: string, line: number | null): unknown {
  try {
    return JSON.parse(line === 1 || line === null ? text.replace(/^\uFEFF/, '') : text)
  } catch (error) {
    throw new CliError(
      `${path}${line === null ? '' : `, line ${line}`} is not JSON: ${(error as Error).message}`,
    )
  }
}

function recordAt(row: unknown, place: string): FileRecord {
  if (isRecord(row)) return row
  throw new CliError(`${place} is not an object.`)
}

const isRecord = (value: unknown): value is FileRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
