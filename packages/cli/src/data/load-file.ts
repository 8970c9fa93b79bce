import { fileURLToPath } from 'node:url'
import type { ClassModel, LoadOptions, LoadResult } from '@entia/core'
import { CliError } from '../cli-error.ts'
import { dataFile } from './data-file.ts'
import { type RecordSource, recordSources } from './read-records.ts'
import { rowsOf } from './rows-of.ts'

/** What rows are loaded into: `store.Employee`. */
export interface LoadTarget {
  readonly model: ClassModel
  load(rows: AsyncIterable<never>, options?: LoadOptions): Promise<LoadResult>
}
export interface LoadFileOptions extends LoadOptions {
  /** The list to load of a JSON file that holds several. */
  readonly list?: string
  /** What columns do that are no attribute: refuse the load (the default), or are left out. */
  readonly unknown?: 'refuse' | 'ignore'
}

/**
 * Loads the rows of a JSON, NDJSON or CSV file into a dataclass, in one commit: `await loadFile(store.Employee, 'employees.csv')`. Columns are matched
 * with attributes by name, texts read by the attribute's type. Rejects, naming file and row, and loads nothing then.
 */
export async function loadFile(
  target: LoadTarget,
  file: string | URL,
  { list, unknown, ...options }: LoadFileOptions = {},
): Promise<LoadResult> {
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  const source = chosen(await recordSources(dataFile(path), () => {}), path, list)
  return target.load(rowsOf(source, target.model, unknown) as AsyncIterable<never>, options)
}

function chosen(sources: readonly RecordSource[], path: string, list: string | undefined): RecordSource {
  const [first, ...others] = sources
  if (list === undefined && first !== undefined && others.length === 0) return first
  const found = sources.find(({ member }) => member === list && list !== undefined)
  if (found !== undefined) return found
  const names = sources.map(({ name }) => name).join(', ')
  throw new CliError(
    list === undefined
      ? `${path} holds several lists: name one of ${names}.`
      : `${path} has no list "${list}"; it has: ${names}.`,
  )
}
