import { CliError } from '../cli-error.ts'
import type { DataFile } from './data-file.ts'
import { readCsv } from './read-csv.ts'
import { blocksOfLines, type OnRead, readText } from './read-lines.ts'
import { blocksOf, type RecordBlock } from './record-block.ts'

/** Rows of one kind. Each iteration reads the file again. */
export interface RecordSource {
  /** The name of the file, or of a list in it. */
  readonly name: string
  readonly file: DataFile
  /** The list in a JSON file that holds several, otherwise null. */
  readonly member: string | null
  /**
   * In blocks, since a promise for each row would take longer than reading it. `onRead` receives
   * the share of the file that has been read, from 0 to 1.
   */
  records(onRead?: OnRead): AsyncIterable<RecordBlock>
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
    return [{ name: file.name, file, member: null, records: (onRead) => read(file.path, onRead) }]
  }
  const content = parseJson(await readText(file.path), file.path, null)
  if (Array.isArray(content))
    return [
      {
        name: file.name,
        file,
        member: null,
        records: (onRead) => rowsOf(content, file.path, onRead),
      },
    ]
  const sources: RecordSource[] = []
  for (const [name, list] of Object.entries(isObject(content) ? content : {}))
    if (Array.isArray(list))
      sources.push({
        name,
        file,
        member: name,
        records: (onRead) => rowsOf(list, `${file.path}, "${name}"`, onRead),
      })
    else onRemark(`${file.path}: "${name}" is not a list of objects and is skipped.`)
  if (sources.length > 0) return sources
  throw new CliError(`${file.path} must be a list of objects, or an object of such lists.`)
}

async function* rowsOf(
  rows: readonly unknown[],
  place: string,
  onRead: OnRead | undefined,
): AsyncIterable<RecordBlock> {
  let count = 0
  for (const block of blocksOf(
    rows.map((row, at) => recordAt(row, () => `${place}, row ${at + 1}`)),
  )) {
    count += block.count
    onRead?.(count / rows.length)
    yield block
  }
}

async function* readNdjson(path: string, onRead?: OnRead): AsyncIterable<RecordBlock> {
  let line = 0
  for await (const block of blocksOfLines(path, onRead)) {
    const records: Readonly<Record<string, unknown>>[] = []
    for (const text of block.replace(/\r?\n$/, '').split(/\r?\n/)) {
      line++
      if (text.trim() !== '')
        records.push(recordAt(parseJson(text, path, line), () => `${path}, line ${line}`))
    }
    yield* blocksOf(records)
  }
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

function recordAt(row: unknown, place: () => string): Readonly<Record<string, unknown>> {
  if (isObject(row)) return row
  throw new CliError(`${place()} is not an object.`)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
