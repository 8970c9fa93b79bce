import { resolve } from 'node:path'
import { keepOf } from '../capability/dumps.ts'
import { dumpError } from '../dump/dump-errors.ts'
import { isEntiaError } from '../errors.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import { openDump } from '../store/create-data-store.ts'
import type { OpenDumpFile } from '../store/options.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'
import { replaceFile } from './replace-file.ts'

/** The name under which the file of before is kept. */
const previousOf = (path: string): string => `${path}.previous`

/**
 * Writes a store as it is now to a file. The bytes are taken at the call: what is written meanwhile is not in them. When it
 * resolves they are on the disk, or those of a later call; the file is never found half-written, and what it held before is kept beside it as
 * `<path>.previous`. Calls that meet take turns, and of those that wait only the newest writes. Blocks for as long as `dump()` takes.
 * Rejects with the system's errors (`ENOSPC`), and then the file is as before.
 */
export async function dumpToFile(store: AnyDataStore, path: string, files: FileSystem = nodeFiles): Promise<void> {
  const keep = keepOf(store)
  const bytes = keep.dump()
  await keep.dumps.run(resolve(path), async () => void (await replaceFile(files, path, [bytes], previousOf(path))))
}

/**
 * Makes a store from a file of `dumpToFile`; options as for `openDump`. Rejects with `dumpInvalid` for a file that is damaged or of other
 * dataclasses, naming it, and with the system's errors (`ENOENT`).
 */
export const openDumpFile = (async (path: string, options: Parameters<typeof openDump>[1]) => {
  const pieces = await nodeFiles.readPieces(path)
  return naming(path, () => openDump(pieces as never, options))
}) as unknown as OpenDumpFile

/** Runs what reads the bytes of a file; an error about them names it. */
export function naming<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isEntiaError(error, 'dumpInvalid')) throw error
    const { details } = error
    throw dumpError('dumpInvalid', { ...details, problem: `in ${path}: ${details.problem}` }, { cause: error })
  }
}
