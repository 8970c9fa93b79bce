import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as CoreOnNode from '@entia/core/node'
import { CliError } from './cli-error.ts'
import type { Store } from './load-store.ts'

/**
 * Keeps the store of a module in a folder. Throws `CliError` for a folder that is in use, damaged or of another model, and for one that
 * cannot be made or written.
 */
export async function keepIn(
  folder: string,
  store: Store,
  module: string,
  onError: (error: unknown) => void,
): Promise<CoreOnNode.Journal> {
  const { openJournal } = await engineOf(module)
  try {
    return await openJournal(store, resolve(folder), { onError })
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new CliError(`The store cannot be kept in ${folder}: ${problemOf(error.message, error.code)}`)
  }
}

/** What a refusal of the system means for whoever chose the folder; other errors say it themselves. */
function problemOf(message: string, code: unknown): string {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'that is a file, or leads through one. Name a folder with --journal; it is made where there is none.'
    case 'EACCES':
    case 'EPERM':
      return `this user may not write there (${message}). Give it the folder, or choose another with --journal.`
    case 'EROFS':
      return `nothing can be written on that disk (${message}). Choose another folder with --journal.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no room left on that disk (${message}).`
    default:
      return message
  }
}

/** The engine that the module itself was given, which may be another copy than ours: a journal is for stores of its own engine. */
async function engineOf(module: string): Promise<typeof CoreOnNode> {
  let path: string
  try {
    path = createRequire(pathToFileURL(resolve(module))).resolve('@entia/core/node')
  } catch {
    return import('@entia/core/node')
  }
  return import(pathToFileURL(path).href)
}
