import { type JournalFiles, removeFile, syncFolder, writeAll } from './journal-files.ts'

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
