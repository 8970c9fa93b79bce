import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { CsvError, parse } from 'csv-parse'
import { CliError } from '../cli-error.ts'
import type { DataFile } from './data-file.ts'

/** A row as a file has it: cells of CSV are texts, or null where nothing stands; JSON keeps its types. */
export interface FileRecord {
  readonly [name: string]: unknown
}

/** Rows of one kind, read anew by each iteration. */
export interface RecordSource {
  /** What they are called: the file's name, or that of a list in it. */
  readonly name: string
  readonly file: DataFile
  /** The list of a JSON file that holds several; else null. */
  readonly member: string | null
  records(): AsyncIterable<FileRecord>
}

/**
 * The kinds of rows in a file: one, or, for a JSON object of lists, one for each list. Throws `CliError`, naming file and place, for what cannot
 * be read; so does iterating.
 */
export async function recordSources(file: DataFile): Promise<readonly RecordSource[]> {
  if (file.format !== 'json') {
    const read = file.format === 'csv' ? readCsv : readNdjson
    return [{ name: file.name, file, member: null, records: () => read(file.path) }]
  }
  const content = parseJson(await readText(file.path), file.path, null)
  if (Array.isArray(content))
    return [{ name: file.name, file, member: null, records: () => rowsOf(content, file.path) }]
  const lists = Object.entries(isRecord(content) ? content : {})
  const wrong = lists.find(([, list]) => !Array.isArray(list))
  if (lists.length === 0 || wrong !== undefined)
    throw new CliError(
      `${file.path} must be a list of objects, or an object of such lists${wrong === undefined ? '' : `; "${wrong[0]}" is none`}.`,
    )
  return lists.map(([name, list]) => ({
    name,
    file,
    member: name,
    records: () => rowsOf(list as unknown[], `${file.path}, "${name}"`),
  }))
}

async function* rowsOf(rows: readonly unknown[], place: string): AsyncIterable<FileRecord> {
  for (const [at, row] of rows.entries()) yield recordAt(row, `${place}, row ${at + 1}`)
}

async function* readNdjson(path: string): AsyncIterable<FileRecord> {
  let line = 0
  for await (const text of createInterface({ input: await stream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (text.trim() !== '') yield recordAt(parseJson(text, path, line), `${path}, line ${line}`)
  }
}

async function* readCsv(path: string): AsyncIterable<FileRecord> {
  const parser = parse({
    bom: true,
    delimiter: await delimiterOf(path),
    columns: (names: string[]) => checkNames(names, path),
    skip_empty_lines: true,
    // An empty cell is no value; quotes with nothing between them are the empty text.
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  })
  const source = await stream(path)
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const record of source.pipe(parser)) yield record
  } catch (error) {
    if (error instanceof CsvError) throw new CliError(`${path}: ${error.message}.`)
    throw error
  } finally {
    source.destroy()
  }
}

/** What stands between the names of the first line most often: spreadsheets write semicolons where a comma is in numbers. */
async function delimiterOf(path: string): Promise<string> {
  const source = await stream(path)
  let head = ''
  for await (const text of source) {
    head += text
    if (head.includes('\n') || head.length > LONGEST_HEAD) break
  }
  const line = head.split('\n', 1)[0]!.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((each) => ({ each, count: line.split(each).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).each
}

const LONGEST_HEAD = 1 << 20

function checkNames(names: readonly string[], path: string): string[] {
  const seen = new Set<string>()
  for (const [at, name] of names.entries()) {
    if (name === null || name.trim() === '')
      throw new CliError(`${path}: column ${at + 1} has no name in the first line.`)
    if (seen.has(name)) throw new CliError(`${path}: two columns are called "${name}".`)
    seen.add(name)
  }
  return [...names]
}

/** Opened before anything is read of it, so that what fails is told here. */
async function stream(path: string) {
  const source = createReadStream(path, 'utf8')
  await new Promise<void>((resolve, reject) => {
    source.once('open', () => resolve())
    source.once('error', (error) => reject(unreadable(path, error)))
  })
  return source
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

const unreadable = (path: string, error: unknown): CliError =>
  new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)

function parseJson(text: string, path: string, line: number | null): unknown {
  try {
    return JSON.parse(line === 1 || line === null ? text.replace(/^\uFEFF/, '') : text)
  } catch (error) {
    throw new CliError(`${path}${line === null ? '' : `, line ${line}`} is no JSON: ${(error as Error).message}`)
  }
}

function recordAt(row: unknown, place: string): FileRecord {
  if (isRecord(row)) return row
  throw new CliError(`${place} is no object.`)
}

const isRecord = (value: unknown): value is FileRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
