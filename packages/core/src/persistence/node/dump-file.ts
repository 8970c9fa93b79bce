import { resolve } from 'node:path'
import { persistenceOf } from '../../capability/snapshots.ts'
import { naming } from '../../dump/dump-errors.ts'
import type { AnyDataStore } from '../../model/store-types.ts'
import { openPieces } from '../../store/create-data-store.ts'
import type { OpenDumpFile, OpenDumpOptions } from '../../store/options.ts'
import { removeFile, replaceFile } from '../journal/journal-files.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'

/** The name of the copy of the file before. */
const previousOf = (path: string): string => `${path}.previous`

/**
 * Writes the current state of a store to a file. The bytes are taken at the call, so later commits
 * are not in them. When the promise resolves, these bytes, or those of a later call, are on the
 * disk. The file is never half-written, and its content before stays beside it as
 * `<path>.previous`. Concurrent calls run one at a time, and of those that wait only the latest one
 * writes. Blocks as long as `dump()` does. Rejects with errors of the system (`ENOSPC`), and then
 * the file is unchanged.
 *
 * @example
 * ```ts
 * import { openDumpFile } from '@entia/core/node'
 * const path = file('hr.dump')
 * await dumpToFile(store, path)
 * const copy = await openDumpFile(path, { name: 'hr', dataClasses })
 * copy.Employee.count // → 2
 * ```
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
    async () => void (await replaceFile(files, path, [bytes], () => keepPrevious(files, path))),
  )
}

/**
 * Creates a store from a file of `dumpToFile`; options as for `openDump`. Rejects with
 * `dumpInvalid`, which names the file, if it is damaged or has other dataclasses, and with errors
 * of the system (`ENOENT`). Reads the file twice, and holds one block of it at a time.
 *
 * @example
 * ```ts
 * import { dumpToFile } from '@entia/core/node'
 * const path = file('hr.dump')
 * await dumpToFile(store, path)
 * const copy = await openDumpFile(path, { name: 'hr', dataClasses })
 * copy.Employee.count // → 2
 * ```
 */
export const openDumpFile: OpenDumpFile = (path: string, options: OpenDumpOptions) =>
  nodeFiles.readPieces(path, (pieces) => naming(path, () => openPieces(pieces, options)))

/** Gives the current content of a file a second name, if the file exists. */
async function keepPrevious(files: FileSystem, path: string): Promise<void> {
  if (!(await exists(files, path))) return
  await removeFile(files, previousOf(path))
  await files.link(path, previousOf(path))
}

async function exists(files: FileSystem, path: string): Promise<boolean> {
  try {
    const file = await files.open(path, 'r')
    await file.close()
    return true
  } catch {
    return false
  }
}
