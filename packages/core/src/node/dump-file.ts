import { resolve } from 'node:path'
import { persistenceOf } from '../capability/dumps.ts'
import { dumpError } from '../dump/dump-errors.ts'
import { isEntiaError } from '../errors.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import { openPieces } from '../store/create-data-store.ts'
import type { OpenDumpFile, OpenDumpOptions } from '../store/options.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'
import { replaceFile } from './replace-file.ts'

/** The name of the copy of the file before. */
const previousOf = (path: string): string => `${path}.previous`

/**
 * Writes the current state of a store to a file. The bytes are taken at the call, so later commits
 * are not in them. When the promise resolves, these bytes, or those of a later call, are on the
 * disk. The file is never half-written, and its content before stays beside it as
 * `<path>.previous`. Concurrent calls run one at a time, and of those that wait only the latest one
 * writes. Blocks as long as `dump()` does. Rejects with errors of the system (`ENOSPC`), and then
 * the file is unchanged.
 */
export async function dumpToFile(
  store: AnyDataStore,
  path: string,
  files: FileSystem = nodeFiles,
): Promise<void> {
  const persistence = persistenceOf(store)
  const bytes = persistence.dump()
  await persistence.dumps.run(
    resolve(path),
    async () => void (await replaceFile(files, path, [bytes], previousOf(path))),
  )
}

/**
 * Creates a store from a file of `dumpToFile`; options as for `openDump`. Rejects with
 * `dumpInvalid`, which names the file, if it is damaged or has other dataclasses, and with errors
 * of the system (`ENOENT`).
 */
export const openDumpFile: OpenDumpFile = async (path: string, options: OpenDumpOptions) => {
  const pieces = await nodeFiles.readPieces(path)
  return naming(path, () => openPieces(pieces, options))
}

/** Runs `read`, which reads the bytes of a file. Adds the path to its `dumpInvalid`. */
export function naming<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isEntiaError(error, 'dumpInvalid')) throw error
    const { details } = error
    throw dumpError(
      'dumpInvalid',
      { ...details, problem: `in ${path}: ${details.problem}` },
      { cause: error },
    )
  }
}
