import { existsSync, readdirSync } from 'node:fs'
import type { AnyDataStore } from '@entia/core'
import type { Address } from './addresses.ts'
import { CliError } from './cli-error.ts'
import { isData } from './data/data-file.ts'
import type { InferredModel } from './infer/infer-model.ts'
import { inferFrom, openInferred, storeNameOf } from './infer/open-data.ts'
import { keepIn } from './journal.ts'
import { type LoadedModule, loadStore } from './load-store.ts'

/** A store to work with: the export of a module, or data files with their inferred model. */
export interface Source extends LoadedModule {
  /** Null for a module, which has its own model. */
  readonly inferred: InferredModel | null
}

/** Opens a module, or a folder or file of JSON, NDJSON or CSV. Throws `CliError`. */
export async function openSource(path: string): Promise<Source> {
  if (!isData(path)) return { ...(await loadStore(path)), inferred: null }
  const inferred = await inferFrom(path)
  const store = await openInferred(inferred, storeNameOf(path))
  return { store, addresses: null as readonly Address[] | null, rest: {}, inferred }
}

/**
 * Opens a source for reading. With a journal's folder, it reads the folder's data instead of the
 * source's own. Another process must not use the folder. Throws `CliError`.
 */
export async function openToRead(path: string, folder: string | undefined): Promise<Source> {
  if (folder !== undefined && !(existsSync(folder) && readdirSync(folder).length > 0))
    throw new CliError(
      `${folder} holds no journal. Name a folder that "entia serve --journal" or "entia import" wrote.`,
    )
  const source = await openSource(path)
  if (folder !== undefined) await (await keepIn(folder, source.store, path, () => {})).close()
  return source
}

/** A dataclass of a store by its name, ignoring case. Throws `CliError` with the list of names. */
export function dataClassIn(
  store: AnyDataStore,
  name: string,
): ReturnType<AnyDataStore['dataClass']> {
  const names = store.catalog.classes.map((model) => model.name)
  const found =
    names.find((each) => each === name) ??
    names.find((each) => each.toLowerCase() === name.toLowerCase())
  if (found === undefined)
    throw new CliError(`The store has no dataclass "${name}". It has: ${names.join(', ')}.`)
  return store.dataClass(found)
}
