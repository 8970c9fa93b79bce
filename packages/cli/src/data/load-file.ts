import { fileURLToPath } from 'node:url'
import type { ClassModel, LoadOptions, LoadResult } from '@entia/core'
import { checkNames, describeFound, refused } from '@entia/core/internal'
import { CliError } from '../cli-error.ts'
import { dataFile } from './data-file.ts'
import { type RecordSource, recordSources } from './read-records.ts'
import { rowsOf } from './rows-of.ts'

/** The dataclass that rows are loaded into: `store.Employee`. */
export interface LoadTarget {
  readonly model: ClassModel
  load(rows: AsyncIterable<never>, options?: LoadOptions): Promise<LoadResult>
}
export interface LoadFileOptions extends LoadOptions {
  /** The list to load from a JSON file that holds several. */
  readonly list?: string
  /** For columns that are not attributes: refuse the load (default), or skip them. */
  readonly unknown?: 'refuse' | 'ignore'
}

/**
 * Loads the rows of a JSON, NDJSON or CSV file into a dataclass, in one commit:
 * `await loadFile(store.Employee, 'employees.csv')`. Columns match attributes by name, and texts
 * are parsed by the attribute's type. On an error it loads nothing and rejects with the file and
 * the row.
 *
 * @example
 * ```ts
 * import { loadFile } from 'entia'
 * import { writeFileSync } from 'node:fs'
 * const csv = file('employees.csv')
 * writeFileSync(csv, 'lastName,salary\nHopper,52000\n')
 * await loadFile(store.Employee, csv)
 * store.Employee.query('lastName === Hopper').count // → 1
 * ```
 */
export async function loadFile(
  target: LoadTarget,
  file: string | URL,
  given: LoadFileOptions = {},
): Promise<LoadResult> {
  if (target?.model?.attributes === undefined || typeof target.load !== 'function')
    throw refused('The target', 'a dataclass such as store.Employee', describeFound(target))
  checkNames(given, ['list', 'unknown', 'onProgress', 'relations', 'hooks'])
  const { list, unknown, ...options } = given
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  const source = chosen(await recordSources(dataFile(path), () => {}), path, list)
  return target.load(rowsOf(source, target.model, unknown) as AsyncIterable<never>, options)
}

function chosen(
  sources: readonly RecordSource[],
  path: string,
  list: string | undefined,
): RecordSource {
  const [first, ...others] = sources
  if (list === undefined && first !== undefined && others.length === 0) return first
  const found = sources.find(({ member }) => member === list && list !== undefined)
  if (found !== undefined) return found
  const names = sources.map(({ name }) => name).join(', ')
  throw new CliError(
    list === undefined
      ? `${path} holds several lists. Name one of them: ${names}.`
      : `${path} has no list "${list}". It has: ${names}.`,
  )
}
