import { fileURLToPath } from 'node:url'
import { type AnyDataStore, isEntiaError, type LoadOptions } from '@entia/core'
import { checkNames, describeFound, handleOf, refused } from '@entia/core/internal'
import { CliError } from '../cli-error.ts'
import { loadsOf } from './loads-of.ts'
import { rowsOf } from './rows-of.ts'

export interface LoadFilesOptions extends Pick<LoadOptions, 'relations'> {
  /** For columns that are not attributes: refuse the load (default), or skip them. */
  readonly unknown?: 'refuse' | 'ignore'
}

/**
 * Fills a store from JSON, NDJSON or CSV: a file, a folder of files, or a list of them.
 * `companies.csv` is loaded into Company; `Company=firms.csv` names the dataclass. Related
 * dataclasses come first. Each list is one commit. Resolves to the number of entities by dataclass;
 * rejects with the file and the row of the first error, and the lists before it stay loaded.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 * const companies = file('Company.csv')
 * writeFileSync(companies, 'name,city\nInitech,Oslo\n')
 * await loadFiles(store, companies) // → { Company: 1 }
 * ```
 */
export async function loadFiles(
  store: AnyDataStore,
  paths: string | URL | readonly string[],
  options: LoadFilesOptions = {},
): Promise<Readonly<Record<string, number>>> {
  handleOf(store)
  checkNames(options, ['unknown', 'relations'])
  const { unknown, ...loading } = options
  const given = paths instanceof URL ? fileURLToPath(paths) : paths
  if (typeof given !== 'string' && !Array.isArray(given))
    throw refused('The paths', 'a path or an array of paths', describeFound(given))
  const loads = await loadsOf(typeof given === 'string' ? [given] : given, store, () => {})
  const counts = new Map<string, number>()
  for (const { table, source } of loads) {
    const target = store.dataClass(table)
    try {
      const { count } = await target.load(rowsOf(source, target.model, unknown), loading)
      counts.set(table, (counts.get(table) ?? 0) + count)
    } catch (error) {
      if (!isEntiaError(error)) throw error
      throw new CliError(`${source.file.path}: ${error.message}`)
    }
  }
  return Object.fromEntries(counts)
}
