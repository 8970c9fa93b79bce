import type { EntiaError } from '../errors.ts'
import { journalError } from '../journal/journal-errors.ts'
import { codeOf, removeFile } from '../journal/journal-files.ts'
import type { FileSystem } from './file-system.ts'

/** The process that wants to lock a folder, and how it learns about other processes. */
export interface LockingProcess {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  isAlive(pid: number): boolean
  /**
   * A text that distinguishes a running process from every other one that had or will have its
   * number. Null if the system does not provide one, or if there is no such process.
   */
  birthOf(pid: number): string | null
  /** A text that no other call returns, in any process. */
  unique(): string
  /** Resolves after a random number of milliseconds. */
  pause(): Promise<void>
}

/**
 * How often a process tries to be the only one that reads the lock. With the pauses this takes
 * seconds.
 */
const MAX_ATTEMPTS = 400
const CLAIM = 'lock_'
const UNKNOWN = '-'

/** A locked folder. */
export interface FolderLock {
  /** Rejects if the path has no lock or another one. Cost: reads one small file. */
  check(): Promise<void>
  /** Leaves the lock of another process alone. */
  unlock(): Promise<void>
}

interface Holder {
  readonly pid: number
  readonly startedAt: number
  /** Null if the system does not provide one. */
  readonly birth: string | null
}

/**
 * Locks a folder for this process: writes the file `lock`. Rejects with `folderInUse` while a
 * running process holds it.
 *
 * Replacing the lock of a dead process takes several steps, so only one process at a time may do
 * it. Each process creates a file with a unique name, its claim, and then lists the folder. It goes
 * on only if the list has no claim of another running process. Of two processes the one that lists
 * later sees the claim of the other, so they never both go on. Names of claims are never reused, so
 * any process may remove the claim of a dead one at any time. The file system only has to create
 * and list files. The lock holds between the processes of one machine.
 */
export async function lockFolder(
  files: FileSystem,
  folder: string,
  process: LockingProcess,
): Promise<FolderLock> {
  const path = `${folder}/lock`
  const inUse = ({ pid, startedAt }: Holder): EntiaError => {
    const isOwn = pid === process.pid && startedAt === process.startedAt
    return journalError('folderInUse', { folder, process: String(pid), file: path, isOwn })
  }
  const refuseHeld = async (): Promise<void> => {
    const holder = holderOf((await readText(files, path)).trim().split(' '))
    if (isHeld(holder, process)) throw inUse(holder)
  }
  const self = [process.pid, process.startedAt, process.birthOf(process.pid) ?? UNKNOWN]
  // The last word distinguishes this lock from other locks of the same process.
  const text = `${self.join(' ')} ${process.unique()}\n`
  let other: Holder | null = null
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await refuseHeld()
    const claim = `${CLAIM}${self.join('_')}_${process.unique()}`
    let isTaken = false
    try {
      await (await files.open(`${folder}/${claim}`, 'wx')).close()
      other = await otherClaim(files, folder, process, claim)
      if (other === null) {
        await refuseHeld()
        await removeFile(files, path)
        await files.createFile(path, text)
        isTaken = true
      }
      await removeFile(files, `${folder}/${claim}`)
    } catch (error) {
      // A claim that stays behind locks the folder as long as this process runs.
      await removeFile(files, `${folder}/${claim}`).catch(() => undefined)
      if (isTaken) await removeFile(files, path).catch(() => undefined)
      throw error
    }
    if (isTaken) return lockOf(files, path, text)
    await process.pause()
  }
  throw inUse(other as Holder)
}

function lockOf(files: FileSystem, path: string, text: string): FolderLock {
  return {
    check: async () => {
      if ((await readText(files, path)) === text) return
      throw new Error(
        `its file ${path} was removed or replaced while the folder was open. Open a new store on the folder`,
      )
    },
    unlock: async () => {
      const found = await readText(files, path).catch(() => text)
      if (found === text) await removeFile(files, path)
    },
  }
}

/**
 * Another running process with a claim; null if there is none. Of several, the first by name waits
 * until the others withdraw.
 */
async function otherClaim(
  files: FileSystem,
  folder: string,
  process: LockingProcess,
  claim: string,
): Promise<Holder | null> {
  for (let attempt = 0; ; attempt++) {
    let first: Holder | null = null
    let isFirst = true
    for (const name of await files.readdir(folder)) {
      if (!name.startsWith(CLAIM) || name === claim) continue
      const holder = holderOf(name.slice(CLAIM.length).split('_'))
      if (!isHeld(holder, process)) await removeFile(files, `${folder}/${name}`)
      else {
        first ??= holder
        if (name < claim) isFirst = false
      }
    }
    if (first === null || !isFirst || attempt === MAX_ATTEMPTS) return first
    await process.pause()
  }
}

/** The words of a lock, or of the name of a claim. */
function holderOf([pid, startedAt, birth = UNKNOWN]: readonly string[]): Holder {
  return { pid: Number(pid), startedAt: Number(startedAt), birth: birth === UNKNOWN ? null : birth }
}

/**
 * True while the process runs. Its number is not enough: after a restart of the machine or
 * container another process may have it.
 */
function isHeld({ pid, startedAt, birth }: Holder, self: LockingProcess): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  const now = birth === null ? null : self.birthOf(pid)
  if (now !== null) return now === birth
  return pid === self.pid ? startedAt === self.startedAt : self.isAlive(pid)
}

async function readText(files: FileSystem, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await files.readFile(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
