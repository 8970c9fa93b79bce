import { constants } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  link,
  lstat,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Thrown by `replaceFile` when the file does not contain what was expected. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged'
  /** Where the version of the other program is: the file itself, or a file beside it. */
  readonly theirs: string

  constructor(theirs: string) {
    super(`${theirs} was changed by another program`)
    this.theirs = theirs
  }
}

/** The file that a path leads to over symbolic links, also where that does not exist yet. */
export async function followLinks(path: string): Promise<string> {
  for (let at = resolve(path), links = 0; ; links++) {
    const found = await realpath(at).catch(unless('ENOENT'))
    if (found !== null) return found
    const state = await lstat(at).catch(unless('ENOENT'))
    if (state === null || !state.isSymbolicLink() || links > MAX_LINKS) return at
    at = resolve(dirname(at), await readlink(at))
  }
}
const MAX_LINKS = 40

/**
 * Writes a text into a new file beside `target`, with its mode and owner, and syncs it to the disk.
 * Returns the path. Leaves nothing behind if it fails.
 */
export async function writeBeside(target: string, text: string): Promise<string> {
  const next = beside(target, NEXT)
  const old = await stat(target).catch(unless('ENOENT'))
  await rm(next, { force: true })
  try {
    // Others must not read it before it has the mode of the old file.
    const file = await open(next, 'wx', old === null ? 0o666 : 0o600)
    try {
      await file.writeFile(text)
      if (old !== null) await file.chmod(old.mode & 0o7777)
      await file.sync()
    } finally {
      await file.close()
    }
    // Only root may give a file away; the mode comes again, because a new owner clears parts of it.
    if (old !== null && !(await hasOwner(next, old)))
      await chown(next, old.uid, old.gid)
        .then(() => chmod(next, old.mode & 0o7777))
        .catch(unless('EPERM'))
    return next
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

async function hasOwner(path: string, { uid, gid }: { uid: number; gid: number }) {
  const own = await stat(path)
  return own.uid === uid && own.gid === gid
}

/**
 * Replaces `target` by the file `next` if it contains what `isExpected` accepts. An edit of another
 * program is never lost, whenever it happens: the old file is moved aside before it is compared,
 * and the new one is linked into place, which fails where another file is. Throws `FileChanged`,
 * and leaves `next` then. If the process ends in between, `restoreMoved` puts the old file back.
 */
export async function replaceFile(
  target: string,
  next: string,
  isExpected: (text: string) => boolean,
): Promise<void> {
  if ((await readEdited(target)) === null) return placeNew(target, next)
  const old = await freeName(beside(target, OLD))
  const moved = await rename(target, old).then(() => true, unless('ENOENT'))
  if (moved === null) return placeNew(target, next)
  const isSame = async () => isExpected(await readFile(old, 'utf8'))
  try {
    if (!(await isSame())) throw new FileChanged((await putBack(old, target)) ? target : old)
    if (!(await place(next, target, false))) {
      await rm(old)
      throw new FileChanged(target)
    }
  } catch (error) {
    if (!(error instanceof FileChanged)) await putBack(old, target)
    throw error
  }
  await syncFolder(dirname(target))
  // A program that had it open may have written into it since.
  if (!(await isSame())) throw new FileChanged(old)
  await rm(next)
  await rm(old)
}

async function placeNew(target: string, next: string): Promise<void> {
  if (!(await place(next, target))) throw new FileChanged(target)
  await syncFolder(dirname(target))
}

/** A folder has no links: it is moved, which fails where a file is. */
async function putBack(old: string, target: string): Promise<boolean> {
  if (!(await lstat(old)).isDirectory()) return place(old, target)
  await rename(old, target)
  return true
}

/**
 * What a file contains; null if there is none. Throws for a folder, and for a pipe or a device, a
 * read of which might never end.
 */
export async function readEdited(path: string): Promise<string | null> {
  const state = await stat(path).catch(unless('ENOENT'))
  if (state === null) return null
  if (!state.isFile()) throw new Error('it is no longer a file.')
  return readFile(path, 'utf8').catch(unless('ENOENT'))
}

/** The name itself, or with the first number that no file has. Only this process uses the name. */
export async function freeName(path: string): Promise<string> {
  for (let n = 2, name = path; ; name = `${path}-${n++}`)
    if ((await lstat(name).catch(unless('ENOENT'))) === null) return name
}

/**
 * Puts the newest file back that `replaceFile` had moved aside when its process ended. Does nothing
 * if the file is in its place.
 */
export async function restoreMoved(path: string): Promise<void> {
  const target = await followLinks(path)
  if ((await stat(target).catch(unless('ENOENT'))) !== null) return
  const folder = dirname(target)
  const names = (await readdir(folder).catch(unless('ENOENT'))) ?? []
  const moved = names.filter((name) => isMoved(name, basename(target)))
  const left = await Promise.all(
    moved.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  )
  left.sort((a, b) => b.at - a.at)
  for (const { name } of left) if (await place(join(folder, name), target)) return
}

/** True for what a process moved aside under its id, and false for that of `db.json.backup`. */
function isMoved(name: string, file: string): boolean {
  const ending = name.slice(file.length)
  return name.startsWith(file) && /^\.\d+\.entia-old(?:-\d+)?$/.test(ending)
}

/** Both end in the process id, so that two processes never share one. */
const NEXT = '.entia-new'
const OLD = '.entia-old'
const beside = (target: string, ending: string): string => `${target}.${process.pid}${ending}`

/**
 * Gives a file the name `to` if no file has it, by default in place of its own. False if one has
 * it.
 */
async function place(from: string, to: string, renames = true): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      // File systems without hard links.
      if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(codeOf(error))) throw error
      return copyFile(from, to, constants.COPYFILE_EXCL)
    })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  if (renames) await rm(from)
  return true
}

/** The names of a folder survive a power loss after this. Some systems cannot do it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Null for an error of one kind; others are thrown. */
const unless =
  (code: string) =>
  (error: unknown): null => {
    if (codeOf(error) !== code) throw error
    return null
  }
