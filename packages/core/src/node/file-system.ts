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
import { codeOf, type JournalFiles, type OpenFile } from '../journal/journal-files.ts'

/** What dumps and journals need from the file system of a machine. */
export interface FileSystem extends JournalFiles {
  /** Also with the flag `wx` of Node, which fails if the file exists. */
  open(path: string, flags: 'w' | 'wx' | 'r+' | 'r'): Promise<OpenFile>
  /** Fails if the file exists. */
  createFile(path: string, text: string): Promise<void>
  mkdir(path: string): Promise<void>
  /** A second name for a file, or a copy of it. */
  link(from: string, to: string): Promise<void>
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
