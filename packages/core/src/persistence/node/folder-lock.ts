import type { EntiaError } from '../../errors.ts'
import { journalError } from '../journal/journal-errors.ts'
import type { OpenFile } from '../journal/journal-files.ts'
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
  /**
   * True if a thread of this process has a file open, false if none has. Null if the system does
   * not tell.
   */
  hasOpen(path: string): boolean | null
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
  /** Rejects if the path has no lock or another one. Cost: one question to the file system. */
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
 *
 * Lock and claim stay open while they hold: a worker thread that is terminated removes neither, and
 * the system closes what it had open.
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
    if (isHeld(holder, process, path)) throw inUse(holder)
  }
  const self = [process.pid, process.startedAt, process.birthOf(process.pid) ?? UNKNOWN]
  // The last word distinguishes this lock from other locks of the same process.
  const text = `${self.join(' ')} ${process.unique()}\n`
  let other: Holder | null = null
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await refuseHeld()
    const claim = `${CLAIM}${self.join('_')}_${process.unique()}`
    let claimed: OpenFile | null = null
    let isTaken = false
    let lock: OpenFile | null = null
    let identity: string | null = null
    try {
      claimed = await files.open(`${folder}/${claim}`, 'wx')
      other = await otherClaim(files, folder, process, claim)
      if (other === null) {
        await refuseHeld()
        await removeFile(files, path)
        await files.createFile(path, text)
        isTaken = true
        lock = await files.open(path, 'r')
        identity = await files.identityOf(path)
      }
      await removeFile(files, `${folder}/${claim}`)
    } catch (error) {
      // A claim that stays behind locks the folder as long as this thread runs.
      await removeFile(files, `${folder}/${claim}`).catch(() => undefined)
      if (isTaken) await removeFile(files, path).catch(() => undefined)
      await lock?.close().catch(() => undefined)
      throw error
    } finally {
      await claimed?.close().catch(() => undefined)
    }
    if (lock !== null) return lockOf(files, path, { text, identity, file: lock })
    await process.pause()
  }
  throw inUse(other as Holder)
}

/** What a lock was when it was taken. No other file gets its identity while it is open. */
interface TakenLock {
  readonly text: string
  readonly identity: string | null
  readonly file: OpenFile
}

function lockOf(files: FileSystem, path: string, { text, identity, file }: TakenLock): FolderLock {
  return {
    check: async () => {
      if ((await files.identityOf(path)) === identity) return
      throw new Error(
        `its file ${path} was removed or replaced while the folder was open. Open a new store on the folder`,
      )
    },
    unlock: async () => {
      const found = await readText(files, path).catch(() => text)
      try {
        if (found === text) await removeFile(files, path)
      } finally {
        // After: a closed lock of this process is that of a terminated thread.
        await file.close()
      }
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
      const other = `${folder}/${name}`
      if (!isHeld(holder, process, other)) await removeFile(files, other)
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
 * True while the process runs, and in this process while a thread has the file open. The number of
 * the process is not enough: after a restart of the machine or container another process may have
 * it.
 */
function isHeld(holder: Holder, self: LockingProcess, path: string): boolean {
  if (!isRunning(holder, self)) return false
  return holder.pid !== self.pid || self.hasOpen(path) !== false
}

function isRunning({ pid, startedAt, birth }: Holder, self: LockingProcess): boolean {
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
