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
 * The files of a journal. Paths are joined by `/`. A folder of a disk and a database of a browser
 * implement it; tests use one that simulates power loss.
 */
export interface JournalFiles {
  /** Flags as in Node: `w`, `r+`, and `r` for a folder that is going to be synced. */
  open(path: string, flags: 'w' | 'r+' | 'r'): Promise<OpenFile>
  /** For files up to about 4 GB. Rejects with `ENOENT` if there is none. */
  readFile(path: string): Promise<Uint8Array>
  /** The same in pieces, for files of any length. */
  readPieces(path: string): Promise<readonly Uint8Array[]>
  readdir(path: string): Promise<readonly string[]>
  rename(from: string, to: string): Promise<void>
  /** Rejects with `ENOENT` if there is none. */
  unlink(path: string): Promise<void>
}

/** The code of an error of the system (`ENOENT`), or undefined. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** Removes a file if it exists. */
export async function removeFile(files: Pick<JournalFiles, 'unlink'>, path: string): Promise<void> {
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
export async function syncFolder(files: Pick<JournalFiles, 'open'>, folder: string): Promise<void> {
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
