import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileError, usageError } from '../cli-error.ts'
import { oneOf, parseCommand } from '../command-options.ts'
import { dataClassIn, openToRead } from '../open-source.ts'
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
    to: { type: 'string' },
    journal: { type: 'string' },
    format: { type: 'string' },
    filter: { type: 'string', short: 'f' },
  })
  if (values.help) return write(exportUsage)
  const [source, ...names] = positionals
  if (source === undefined)
    throw usageError('"entia export" needs a source: entia export flights.mjs --to data', 'export')
  const format = oneOf('export', 'format', values.format ?? 'ndjson', fileFormats)
  const { to } = values
  if (to === undefined && names.length !== 1)
    throw usageError(
      '"entia export" writes one dataclass to stdout. Name it, or write all to a folder: --to data',
      'export',
    )
  if (values.filter !== undefined && names.length !== 1)
    throw usageError('--filter applies to one dataclass. Name the dataclass.', 'export')
  const { store } = await openToRead(source, values.journal)
  const tables = (names.length === 0 ? store.catalog.classes.map(({ name }) => name) : names).map(
    (name) => dataClassIn(store, name),
  )
  const [only] = tables
  if (to === undefined) {
    const { columns, rows } = entitiesOf(only!, values.filter)
    await write(rowLines(rows, columns, format))
  } else {
    mkdirSync(to, { recursive: true })
    for (const table of tables)
      await writeFile(join(to, `${table.name}.${format}`), table, values.filter, format)
  }
  store.close()
  return 0
}

const entitiesOf = (table: Table, filter: string | undefined): ReturnType<typeof storedRows> =>
  storedRows(table, filter === undefined ? table.all() : table.query(filter))

async function writeFile(
  path: string,
  table: Table,
  filter: string | undefined,
  format: FileFormat,
): Promise<void> {
  const { onProgress, end } = progressLine(path)
  const { columns, rows } = entitiesOf(table, filter)
  let count = 0
  const counted = function* (): Iterable<Row> {
    for (const row of rows) {
      count++
      if (count % 10_000 === 0) onProgress(count)
      yield row
    }
  }
  try {
    await pipeline(Readable.from(rowLines(counted(), columns, format)), createWriteStream(path))
  } catch (error) {
    throw fileError(path, 'written', error)
  } finally {
    end()
  }
  process.stderr.write(`${path}: ${count.toLocaleString('en')} rows\n`)
}
