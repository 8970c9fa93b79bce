import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyDataStore } from '@entia/core'
import type * as CoreOnNode from '@entia/core/node'
import { CliError, systemReason } from './cli-error.ts'

/**
 * Persists the store of a module in a folder. Throws `CliError` if the folder is in use, damaged,
 * of another model, or cannot be created or written.
 */
export async function keepIn(
  folder: string,
  store: AnyDataStore,
  module: string,
  onError: (error: unknown) => void,
): Promise<CoreOnNode.Journal> {
  const { openJournal } = await engineOf(module)
  try {
    return await openJournal(store, resolve(folder), { onError })
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new CliError(
      `The store cannot be saved in ${folder}: ${problemOf(systemReason(error) ?? error.message, error.code)}`,
    )
  }
}

/** Explains a system error for the chosen folder. Other errors explain themselves. */
function problemOf(message: string, code: unknown): string {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'the path is a file, or leads through one. Name a folder with --journal; it is created if missing.'
    case 'EACCES':
    case 'EPERM':
      return `${message} Give it the folder, or choose another with --journal.`
    case 'EROFS':
      return `${message} Choose another folder with --journal.`
    default:
      return message
  }
}

/**
 * The engine that the module imports: it may be another copy, and a journal needs the engine of its
 * store.
 */
async function engineOf(module: string): Promise<typeof CoreOnNode> {
  let path: string
  try {
    path = createRequire(pathToFileURL(resolve(module))).resolve('@entia/core/node')
  } catch {
    return import('@entia/core/node')
  }
  return import(pathToFileURL(path).href)
}
