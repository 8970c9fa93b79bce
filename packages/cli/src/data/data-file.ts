import { readdirSync, type Stats, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { CliError, fileError } from '../cli-error.ts'
import { missingFile } from '../missing-file.ts'

type DataFormat = 'json' | 'ndjson' | 'csv'

/** A file of rows. */
export interface DataFile {
  readonly path: string
  /** The file name without its extension. */
  readonly name: string
  readonly format: DataFormat
}

const formats: ReadonlyMap<string, DataFormat> = new Map([
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
])

/** True for a folder and for a data file. Every other path is a module. */
export function isData(path: string): boolean {
  return formats.has(extname(path).toLowerCase()) || isFolder(path)
}

export const isFolder = (path: string): boolean => found(path)?.isDirectory() ?? false

/** The file, or the data files of a folder sorted by name. Throws `CliError` if there are none. */
export function dataFilesIn(path: string): readonly DataFile[] {
  const stats = found(path)
  if (stats === undefined) throw missingFile(path, 'file or folder')
  if (!stats.isDirectory()) {
    refusePipe(path)
    return [dataFile(path)]
  }
  const files = readdirSync(path)
    .filter((name) => formats.has(extname(name).toLowerCase()))
    .sort()
    .map((name) => dataFile(join(path, name)))
  if (files.length === 0)
    throw new CliError(`There is no .json, .ndjson, .csv or .tsv file in the folder ${path}.`)
  return files
}

/**
 * Refuses pipes and devices: data is read twice, for the model and for the rows. Throws `CliError`.
 */
export function refusePipe(path: string): void {
  const stats = found(path)
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  throw new CliError(
    `${path} is a pipe or a device, which can be read only once. Name standard input "-", or save the content as a file: cat > data.ndjson`,
  )
}

/** Throws `CliError` for any other extension. */
export function dataFile(path: string): DataFile {
  const ending = extname(path)
  const format = formats.get(ending.toLowerCase())
  if (format === undefined)
    throw new CliError(
      `${path} is not a data file. Its name must end in .json, .ndjson, .jsonl, .csv or .tsv.`,
    )
  return { path, name: basename(path, ending), format }
}

function found(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw fileError(path, 'read', error)
  }
}
