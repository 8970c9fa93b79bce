import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Milliseconds without a further event, after which a file counts as written. */
const QUIET = 100

/**
 * Calls back after a file, or a file in a folder, has changed, and not before the last call has
 * ended. Editors replace files, so the folder is watched. Returns the function that stops.
 */
export function watchFile(
  path: string,
  isFolder: boolean,
  onChange: () => Promise<void>,
): () => void {
  const folder = isFolder ? resolve(path) : dirname(resolve(path))
  let timer: NodeJS.Timeout | undefined
  let isReading = false
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(read, QUIET)
  }
  const read = (): void => {
    // A large file, read before this change, must not end up in place of it.
    if (isReading) {
      later()
      return
    }
    isReading = true
    void onChange().finally(() => {
      isReading = false
    })
  }
  const watcher: FSWatcher = watch(folder, (_, name) => {
    if (isFolder || name === null || name === basename(path)) later()
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
