import { createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileError, usageError } from '../cli-error.ts'
import { FORMAT_OPTIONS, formatGiven, parseCommand } from '../command-options.ts'
import { dataClassIn, openToRead } from '../open-source.ts'
import { OUT_OPTIONS, outPath, refuseExisting } from '../out-option.ts'
import { fileFormats, type Row, rowLines } from '../print/rows.ts'
import { write } from '../print/write.ts'
import { progressLine } from '../progress.ts'
import { exportUsage } from '../usage.ts'
import { storedRows } from './stored-columns.ts'

type Table = ReturnType<typeof dataClassIn>
type FileFormat = (typeof fileFormats)[number]

/**
 * `entia export <source> [dataclass…]`: writes entities to files, or one dataclass to stdout.
 * Returns the exit code.
 */
export async function exportData(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('export', parameters, {
    ...OUT_OPTIONS,
    journal: { type: 'string' },
    ...FORMAT_OPTIONS,
    quiet: { type: 'boolean', short: 'q' },
    filter: { type: 'string', short: 'f' },
  })
  if (values.help) return write(exportUsage)
  const [source, ...names] = positionals
  if (source === undefined)
    throw usageError('"entia export" needs a source: entia export flights.mjs -o backup', 'export')
  const { force, quiet = false } = values
  const out = outPath(values.out)
  const format = formatOf(out, formatGiven('export', values, fileFormats))
  const isFile = out === undefined || namedFormat(out) !== null
  if (isFile && names.length !== 1)
    throw usageError(
      `"entia export" writes one dataclass to ${out === undefined ? 'stdout' : 'a file'}. Name it, or write all to a folder: -o backup`,
      'export',
    )
  if (values.filter !== undefined && names.length !== 1)
    throw usageError('--filter applies to one dataclass. Name the dataclass.', 'export')
  if (out !== undefined && isFile) refuseExisting(out, force)
  const { store } = await openToRead(source, values.journal, names)
  const tables = (names.length === 0 ? store.catalog.classes.map(({ name }) => name) : names).map(
    (name) => dataClassIn(store, name),
  )
  const [only] = tables
  if (out === undefined) {
    const { columns, rows } = entitiesOf(only!, values.filter)
    await write(rowLines(rows, columns, format))
  } else if (isFile) await writeFile(out, only!, values.filter, format, quiet)
  else {
    const files = tables.map((table) => [join(out, `${table.name}.${format}`), table] as const)
    for (const [path] of files) refuseExisting(path, force)
    mkdirSync(out, { recursive: true })
    for (const [path, table] of files) await writeFile(path, table, values.filter, format, quiet)
  }
  store.close()
  return 0
}

/** The format that the name of a file says; null for other names, which are folders. */
function namedFormat(out: string): FileFormat | null {
  const ending = extname(out).slice(1).toLowerCase()
  const format = ending === 'jsonl' ? 'ndjson' : fileFormats.find((each) => each === ending)
  if (format !== undefined && !out.endsWith('/')) return format
  // A folder may be named backup.2026 or already exist, but x.xlsx is meant as a file.
  if (/^[a-z]\w*$/.test(ending) && !out.endsWith('/') && !existsSync(out))
    throw usageError(
      `"entia export" cannot write .${ending} files. Name a file in .${fileFormats.join(', .')}, or a folder with a slash at its end: ${out}/`,
      'export',
    )
  return null
}

/** The format that the name of the file or `--format` says. Throws a usage error for two. */
function formatOf(out: string | undefined, given: FileFormat | undefined): FileFormat {
  const named = out === undefined ? null : namedFormat(out)
  const format = given ?? named ?? 'ndjson'
  if (named !== null && format !== named)
    throw usageError(`--format ${format} contradicts the name ${out}.`, 'export')
  return format
}

const entitiesOf = (table: Table, filter: string | undefined): ReturnType<typeof storedRows> =>
  storedRows(table, filter === undefined ? table.all() : table.query(filter))

async function writeFile(
  path: string,
  table: Table,
  filter: string | undefined,
  format: FileFormat,
  quiet: boolean,
): Promise<void> {
  const { onProgress, onShare, end } = progressLine(path)
  const { columns, rows, total } = entitiesOf(table, filter)
  let count = 0
  const counted = function* (): Iterable<Row> {
    for (const row of rows) {
      count++
      if (count % 10_000 === 0) {
        onShare(count / total)
        onProgress(count)
      }
      yield row
    }
  }
  try {
    const pieces = joined(rowLines(counted(), columns, format))
    await pipeline(Readable.from(pieces), createWriteStream(path))
  } catch (error) {
    throw fileError(path, 'written', error)
  } finally {
    end()
  }
  if (!quiet) process.stderr.write(`${path}: ${count.toLocaleString('en')} rows\n`)
}

/** Characters that are written at once: a write for each line would take longer than the line. */
const PIECE = 1 << 16

function* joined(lines: Iterable<string>): Iterable<string> {
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
