import { statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AnyDataStore, isEntiaError } from '@entia/core'
import { ENGINE, type Served } from '@entia/engine'
import type { RestOptions } from '@entia/rest'
import type { Address } from './addresses.ts'
import { CliError, systemReason } from './cli-error.ts'
import { isData, refusePipe } from './data/data-file.ts'
import { missingFile } from './missing-file.ts'

/** A store that the REST adapter can serve: in memory, or with an engine of its own. */
export type AnyStore = AnyDataStore | Served

/** True for a store in this process, which all commands can read. */
export const isInMemory = (store: AnyStore): store is AnyDataStore => !(ENGINE in store)

export interface LoadedModule<S extends AnyStore = AnyDataStore> {
  readonly store: S
  /** The module's own addresses, or null if it exports none. */
  readonly addresses: readonly Address[] | null
  /** The module's options for the REST adapter, which validates them. */
  readonly rest: RestOptions
}

/** Loads a module whose store is in memory. Throws `CliError` as `loadAnyStore`. */
export async function loadStore(file: string): Promise<LoadedModule> {
  const { store, ...loaded } = await loadAnyStore(file)
  if (isInMemory(store)) return { ...loaded, store }
  await store.close()
  throw new CliError(
    `The store of ${file} has an engine of its own, and this command reads stores in memory. Serve it with "entia serve ${file}", or use the tools of its engine.`,
  )
}

/**
 * Imports a module and gets the store from its default export: a store, a promise of one, or a
 * function that returns one. Throws `CliError` with the file and the remedy.
 */
export async function loadAnyStore(file: string): Promise<LoadedModule<AnyStore>> {
  const path = resolve(file)
  checkFile(file, path)
  const exports = await importModule(file, path)
  const exported = exports.get('default')
  if (exported === undefined) {
    throw new CliError(
      `${file} has no default export. Give it one: export default createDataStore({ … })`,
    )
  }
  const store = await settle(file, exported)
  if (!isStore(store)) {
    throw new CliError(
      `The default export of ${file} is ${nameOf(store)}, not a store. Export a store from createDataStore, a promise of one, or a function that returns one.`,
    )
  }
  return {
    store,
    addresses: addressesOf(file, exports.get('addresses')),
    rest: optionsOf(file, exports.get('rest')),
  }
}

function checkFile(file: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw missingFile(file)
  refusePipe(file)
  if (isData(file) && !found.isDirectory())
    throw new CliError(
      `${file} is data, and this command needs a module. Write one: entia infer ${file} -o model.mjs`,
    )
  if (found.isDirectory())
    throw new CliError(`${file} is a folder. Name the module in it that exports the store.`)
}

async function importModule(file: string, path: string): Promise<ReadonlyMap<string, unknown>> {
  try {
    const exports: Record<string, unknown> = await import(pathToFileURL(path).href)
    return new Map(Object.entries(exports))
  } catch (error) {
    if (codeOf(error) === 'ERR_UNKNOWN_FILE_EXTENSION') {
      if (/^\.[cm]?js$/.test(extname(path))) throw failure(`${file} imports another file`, error)
      if (!/^\.[cm]?tsx?$/.test(extname(path)))
        throw new CliError(
          `${file} is neither a module nor data. Name a .mjs or .js module, or data in .json, .ndjson, .csv or .tsv; a spreadsheet can be saved as CSV.`,
        )
      throw new CliError(
        `Node ${process.versions.node} cannot run ${file}: it cannot load ${extname(path)} files. Name a .mjs or .js module. TypeScript needs Node 22.18 or newer, or compilation.`,
      )
    }
    throw failure(`${file} cannot be loaded`, error)
  }
}

async function settle(file: string, exported: unknown): Promise<unknown> {
  try {
    return await (typeof exported === 'function' ? exported() : exported)
  } catch (error) {
    throw failure(`${file} failed to create its store`, error)
  }
}

/** Runs work with the module's REST options. Throws `CliError` if the REST handler refuses them. */
export function withRestOptions<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isEntiaError(error)) throw error
    // Its shape is that of a store: see `isStore`.
    if (isEntiaError(error, 'argumentInvalid') && error.details.argument === 'The store')
      throw new CliError(
        `${file} uses another copy of @entia/core than this command. Install entia beside the module and run it there: npm install entia && npx entia …`,
      )
    throw new CliError(`The export "rest" of ${file} is refused: ${error.message}`)
  }
}

/** Errors of the engine are shown by their message alone; other errors with their stack. */
function failure(what: string, error: unknown): CliError {
  const reason = systemReason(error)
  const message = reason ?? (error instanceof Error ? error.message : String(error))
  const explainsItself = isEntiaError(error) || reason !== null || !isOfModule(error)
  return new CliError(`${what}: ${message}`, explainsItself ? {} : { cause: error })
}

/** True if the stack shows code of the module, and not only Node's loader and this program. */
function isOfModule(error: unknown): boolean {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : []
  return lines.some(
    (line) => /^\s+at (?!.*(?:node:|<anonymous>))/.test(line) && !line.includes(import.meta.url),
  )
}

/** Checks the shape and not the class: the module may import another copy of the engine. */
function isStore(value: unknown): value is AnyStore {
  if (typeof value !== 'object' || value === null || !('catalog' in value)) return false
  if (ENGINE in value) return typeof value[ENGINE] === 'function'
  return (
    'dataClass' in value &&
    typeof value.dataClass === 'function' &&
    'transact' in value &&
    typeof value.transact === 'function'
  )
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  return Object.hasOwn(value, 'attributes') ? 'a dataclass' : 'an object'
}

function addressesOf(file: string, value: unknown): readonly Address[] | null {
  if (value === undefined) return null
  if (Array.isArray(value) && value.every(isAddress)) return value
  throw new CliError(
    `The export "addresses" of ${file} must be a list of { title, path }, both text.`,
  )
}

function optionsOf(file: string, value: unknown): RestOptions {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new CliError(
    `The export "rest" of ${file} must be an object: options of createRestHandler.`,
  )
}

function isAddress(value: unknown): value is Address {
  if (typeof value !== 'object' || value === null) return false
  return (
    'title' in value &&
    typeof value.title === 'string' &&
    'path' in value &&
    typeof value.path === 'string'
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
