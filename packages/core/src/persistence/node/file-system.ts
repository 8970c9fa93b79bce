import { readSync } from 'node:fs'
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AnyDataStore } from '../../model/store-types.ts'
import { persistenceOf } from '../../store/capability/persistence.ts'
import { type OpenDumpFile, type OpenDumpOptions, openPieces } from '../../store/create-store.ts'
import { joined, naming } from '../../store/dump/line-writer.ts'
import {
  codeOf,
  type JournalFiles,
  type OpenFile,
  removeFile,
  replaceFile,
} from '../journal/journal-files.ts'

// Files as Node has them, and dumps in files: a dump file is complete or absent.

/** What dumps and journals need from the file system of a machine. */
export interface FileSystem extends JournalFiles {
  /** Also with the flag `wx` of Node, which fails if the file exists. */
  open(path: string, flags: 'w' | 'wx' | 'r+' | 'r'): Promise<OpenFile>
  /** Fails if the file exists. */
  createFile(path: string, text: string): Promise<void>
  mkdir(path: string): Promise<void>
  /** A second name for a file, or a copy of it. */
  link(from: string, to: string): Promise<void>
  /** A text that no other existing or open file has; null if the path leads to none. */
  identityOf(path: string): Promise<string | null>
}

/** The files of this machine. */
export const nodeFiles: FileSystem = {
  open,
  readFile: (path) => nodeFiles.readPieces(path, (pieces) => joined([...pieces])),
  readPieces: async (path, read) => {
    const file = await open(path, 'r')
    try {
      return read({ [Symbol.iterator]: () => piecesOf(file.fd) })
    } finally {
      await file.close()
    }
  },
  readBlocks,
  createFile: async (path, text) => {
    // Other processes must never see an empty file.
    const fresh = `${path}.${process.pid}`
    await writeFile(fresh, text)
    try {
      await link(fresh, path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw error
      await writeFile(path, text, { flag: 'wx' })
    } finally {
      // The process that holds the folder may have removed it already.
      await rm(fresh, { force: true })
    }
  },
  readdir,
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  rename,
  link: async (from, to) => {
    try {
      await link(from, to)
    } catch (error) {
      // Some file systems do not support links.
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EEXIST') throw error
      await copyFile(from, to)
    }
  },
  unlink,
  identityOf: async (path) => {
    try {
      const { dev, ino } = await stat(path, { bigint: true })
      return `${dev}:${ino}`
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
      throw error
    }
  },
}

/** Bytes of one block. */
const READ_BLOCK = 1 << 20

/** Reads at once: a dump is read without a break, so that nothing can come in between. */
function* piecesOf(file: number): Generator<Uint8Array, undefined> {
  for (let at = 0; ; ) {
    const piece = new Uint8Array(READ_BLOCK)
    const length = readSync(file, piece, 0, piece.length, at)
    if (length === 0) return
    at += length
    yield piece.subarray(0, length)
  }
}

async function* readBlocks(path: string): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'r')
  try {
    // The size is a hint: the file ends where a read returns nothing.
    const { size } = await file.stat()
    for (let read = 0; ; ) {
      const block = new Uint8Array(Math.min(READ_BLOCK, Math.max(size - read, 65_536)))
      const { bytesRead } = await file.read(block, 0, block.length, read)
      if (bytesRead === 0) return
      read += bytesRead
      yield block.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

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
