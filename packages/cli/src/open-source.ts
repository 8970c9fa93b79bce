import { existsSync, readdirSync } from 'node:fs'
import type { AnyDataStore } from '@entia/core'
import { CliError } from './cli-error.ts'
import { areAlike, dataClassName } from './data/attribute-name.ts'
import { dataFile, dataFilesIn, isData, isFolder } from './data/data-file.ts'
import { isDump, openDump } from './data/open-dump.ts'
import { inputPath } from './data/standard-input.ts'
import type { InferredModel } from './infer/infer-model.ts'
import { inferFrom, openInferred, storeNameOf } from './infer/open-data.ts'
import { keepIn } from './journal.ts'
import { type AnyStore, type LoadedModule, loadAnyStore, loadStore } from './load-store.ts'
import { suggestionOf } from './suggestion.ts'

/** A store to work with: that of a module or dump, or data files with their inferred model. */
export interface Source<S extends AnyStore = AnyDataStore> extends LoadedModule<S> {
  /** Null for a module or dump, which has its own model. */
  readonly inferred: InferredModel | null
  /** The text of a file in the form of json-server; null for other sources. */
  readonly plainText: string | null
}

/**
 * Opens a module, a dump, a folder or file of JSON, NDJSON or CSV, or with `-` such data on
 * standard input. Throws `CliError`.
 */
export async function openSource(source: string): Promise<Source> {
  const path = await inputPath(source)
  if (isData(path)) return openData(path)
  if (isDump(path)) return openDumped(path)
  return { ...(await loadStore(path)), inferred: null, plainText: null }
}

/** The same for a store that is only served, and may have an engine of its own. */
export async function openToServe(source: string): Promise<Source<AnyStore>> {
  const path = await inputPath(source)
  if (isData(path)) return openData(path)
  if (isDump(path)) return openDumped(path)
  return { ...(await loadAnyStore(path)), inferred: null, plainText: null }
}

async function openData(path: string): Promise<Source> {
  const inferred = await inferFrom(path)
  const store = await openInferred(inferred, storeNameOf(path))
  return { store, addresses: null, rest: {}, inferred, plainText: null }
}

const openDumped = async (path: string): Promise<Source> => ({
  store: await openDump(path),
  addresses: null,
  rest: {},
  inferred: null,
  plainText: null,
})

/**
 * Opens a source for the plain interface. A JSON file is read in the form of json-server. Throws
 * `CliError`.
 */
export async function openPlainSource(named: string): Promise<Source<AnyStore>> {
  const path = await inputPath(named)
  if (!isData(path) || isFolder(path) || dataFile(path).format !== 'json') {
    const source = await openToServe(path)
    return { ...source, rest: { plain: true, ...source.rest } }
  }
  // Only "serve" and "openapi" need it, and it needs the REST interface.
  const { openPlain } = await import('./plain/open-plain.ts')
  const { store, model, text } = await openPlain(path)
  const { resources } = model
  return {
    store,
    addresses: null,
    rest: { plain: { resources } },
    inferred: model,
    plainText: text,
  }
}

/**
 * Opens a source for reading, of which `names` are dataclasses. With a journal's folder, it reads
 * the folder's data instead of the source's own. Another process must not use the folder. Throws
 * `CliError`.
 */
export async function openToRead(
  source: string,
  folder: string | undefined,
  names: readonly string[],
): Promise<Source> {
  const path = await inputPath(source, names[0])
  for (const name of names) refuseMissing(path, name)
  if (folder !== undefined && !(existsSync(folder) && readdirSync(folder).length > 0))
    throw new CliError(
      `${folder} holds no journal. Name a folder that "entia serve --journal" or "entia import" wrote.`,
    )
  const opened = await openSource(path)
  if (folder !== undefined) await (await keepIn(folder, opened.store, path, () => {})).close()
  return opened
}

/**
 * Refuses a dataclass that data files do not hold, before they are read: that takes long. The lists
 * of JSON files are known only afterwards. Throws `CliError`.
 */
function refuseMissing(path: string, name: string): void {
  if (!isData(path)) return
  const files = dataFilesIn(path)
  if (files.some(({ format }) => format === 'json')) return
  nameAmong(
    name,
    files.map((file) => dataClassName(file.name)),
  )
}

/**
 * A dataclass of a store by its name, in any case, in singular or plural. Throws `CliError` with
 * the list of names, then `remedy`.
 */
export function dataClassIn(
  store: AnyDataStore,
  name: string,
  remedy = '',
): ReturnType<AnyDataStore['dataClass']> {
  return store.dataClass(
    nameAmong(
      name,
      store.catalog.classes.map((model) => model.name),
      remedy,
    ),
  )
}

function nameAmong(name: string, names: readonly string[], remedy = ''): string {
  const found =
    names.find((each) => each === name) ??
    names.find((each) => each.toLowerCase() === name.toLowerCase()) ??
    names.find((each) => areAlike(each, name))
  if (found !== undefined) return found
  throw new CliError(
    `There is no dataclass "${name}".${suggestionOf(name, names)} There ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}.${remedy}`,
  )
}
