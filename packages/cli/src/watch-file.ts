import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Milliseconds without a further event, after which a file counts as written. */
const QUIET = 100

/**
 * Calls back after a file, or a file in a folder, has changed. Editors replace files, so the folder
 * is watched. Returns the function that stops.
 */
export function watchFile(path: string, isFolder: boolean, onChange: () => void): () => void {
  const folder = isFolder ? resolve(path) : dirname(resolve(path))
  let timer: NodeJS.Timeout | undefined
  const watcher: FSWatcher = watch(folder, (_, name) => {
    if (!isFolder && name !== null && name !== basename(path)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
