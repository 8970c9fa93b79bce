import { checkNames, refused } from '../../value/check-options.ts'

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
  /**
   * Calls `read` with the pieces of a file of any length, which it may go through several times. On
   * a disk only one of them is held.
   */
  readPieces<T>(path: string, read: (pieces: Iterable<Uint8Array>) => T): Promise<T>
  /**
   * The same piece by piece, about a mebibyte each: only one of them is held. Await nothing but the
   * next one in between.
   */
  readBlocks(path: string): AsyncIterable<Uint8Array>
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

/** Options of `openJournal`. */
export interface JournalOptions {
  /** Milliseconds from a commit to its write; null: only `flush` writes. Default 100. */
  readonly flushMilliseconds?: number | null
  /**
   * Compacts when the journal exceeds this many bytes and the size of the last dump; null: only
   * `compact` does. Default 64 MiB.
   */
  readonly compactAboveBytes?: number | null
  /**
   * Called once when a write in the background fails, and when a compaction in the background
   * fails. Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

const DEFAULTS: Required<JournalOptions> = {
  flushMilliseconds: 100,
  compactAboveBytes: 64 * 1024 * 1024,
  onError: (error) => console.error(error),
}

/** Completes the options with defaults. Throws `argumentInvalid`. */
export function checkJournalOptions(
  options: JournalOptions,
  defaults: Required<JournalOptions> = DEFAULTS,
): Required<JournalOptions> {
  checkNames(options, Object.keys(defaults))
  const settings = { ...defaults, ...options }
  for (const name of ['flushMilliseconds', 'compactAboveBytes'] as const) {
    const value: unknown = settings[name]
    if (value === null || (typeof value === 'number' && value >= 0 && value <= LARGEST[name]))
      continue
    throw refused(
      `The option ${name}`,
      `null, or a number from 0 to ${LARGEST[name]}`,
      String(value),
    )
  }
  if (typeof settings.onError !== 'function')
    throw refused('The option onError', 'a function', typeof settings.onError)
  return settings
}

const LARGEST = { flushMilliseconds: 2 ** 31 - 1, compactAboveBytes: Number.MAX_SAFE_INTEGER }

/**
 * Writes a file atomically: whenever the machine stops, the file has its new content or its old
 * one. It writes and syncs another file, which is then renamed. Each piece is taken from the
 * iterator after the piece before is written. `beforeRename` may keep the old content. Resolves to
 * the number of bytes when they are on the disk.
 */
export async function replaceFile(
  files: JournalFiles,
  path: string,
  pieces: Iterable<Uint8Array>,
  beforeRename: () => Promise<void> = async () => undefined,
): Promise<number> {
  const fresh = `${path}.new`
  const file = await files.open(fresh, 'w')
  let length = 0
  try {
    for (const piece of pieces) {
      await writeAll(file, piece, length)
      length += piece.length
    }
    await file.sync()
  } catch (error) {
    await file.close().catch(() => undefined)
    await removeFile(files, fresh).catch(() => undefined)
    throw error
  }
  await file.close()
  await beforeRename()
  await files.rename(fresh, path)
  await syncFolder(files, folderOf(path))
  return length
}

/** The folder of a path. */
export function folderOf(path: string): string {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  if (at < 0) return '.'
  return at === 0 ? '/' : path.slice(0, at)
}
