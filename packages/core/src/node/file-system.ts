import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { joined } from '../dump/line-writer.ts'

/** An open file. */
export interface OpenFile {
  /** Appends, or writes at a position; may write less than it is given. */
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  truncate(length: number): Promise<void>
  /** Resolves when everything written survives a power loss. */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * What dumps and journals need from a file system. Paths are joined by `/`. Tests use one that
 * simulates power loss.
 */
export interface FileSystem {
  /** Flags as in Node: `w`, `wx`, `r+`, and `r` for a folder that is going to be synced. */
  open(path: string, flags: 'w' | 'wx' | 'r+' | 'r'): Promise<OpenFile>
  /** For files up to about 4 GB. */
  readFile(path: string): Promise<Uint8Array>
  /** The same in pieces, for files of any length. */
  readPieces(path: string): Promise<readonly Uint8Array[]>
  /** Fails if the file exists. */
  createFile(path: string, text: string): Promise<void>
  readdir(path: string): Promise<readonly string[]>
  mkdir(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** A second name for a file, or a copy of it. */
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

/** The files of this machine. */
export const nodeFiles: FileSystem = {
  open,
  readFile: async (path) => joined(await readPieces(path)),
  readPieces,
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
}

/** Bytes of one read. Node cannot read more than 2 GiB at once. */
const READ_PIECE = 1 << 28

async function readPieces(path: string): Promise<readonly Uint8Array[]> {
  const file = await open(path, 'r')
  try {
    const pieces: Uint8Array[] = []
    // The size is a hint: the file ends where a read returns nothing.
    const { size } = await file.stat()
    for (let read = 0; ; ) {
      const piece = new Uint8Array(Math.min(READ_PIECE, Math.max(size - read, 65_536)))
      const { bytesRead } = await file.read(piece, 0, piece.length, read)
      if (bytesRead === 0) return pieces
      read += bytesRead
      pieces.push(piece.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** The code of an error of the system (`ENOENT`), or undefined. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** Removes a file if it exists. */
export async function removeFile(files: FileSystem, path: string): Promise<void> {
  try {
    await files.unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Writes all of the bytes at a position. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

/** Makes new and changed names in a folder survive a power loss, if the system can. */
export async function syncFolder(files: FileSystem, folder: string): Promise<void> {
  let handle: OpenFile
  try {
    handle = await files.open(folder, 'r')
  } catch (error) {
    if (CANNOT_SYNC.has(codeOf(error))) return
    throw error
  }
  try {
    await handle.sync()
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}

/**
 * Error codes of systems that cannot open or sync a folder: Windows and some network file systems.
 */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set([
  'EISDIR',
  'EPERM',
  'EACCES',
  'EINVAL',
  'ENOTSUP',
])
