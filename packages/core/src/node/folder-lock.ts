import type { EntiaError } from '../errors.ts'
import { codeOf, type FileSystem, removeFile } from './file-system.ts'
import { journalError } from './journal-errors.ts'

/** The process that wants a folder, and how it learns about others. */
export interface LockingProcess {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  isAlive(pid: number): boolean
  /**
   * A text that distinguishes a living process from every other one that had or will have its number. Null where the system does not
   * tell, or there is no such process.
   */
  birthOf(pid: number): string | null
  /** A text that no other call answers, in any process. */
  unique(): string
  /** Resolves after some milliseconds, not always the same number. */
  pause(): Promise<void>
}

/** How often a process tries to be the only one that looks at the lock. With the pauses this takes seconds. */
const MAX_ATTEMPTS = 400
const CLAIM = 'lock_'
const UNKNOWN = '-'

interface Holder {
  readonly pid: number
  readonly startedAt: number
  /** Null where the system did not tell. */
  readonly birth: string | null
}

/**
 * Takes a folder for this process: writes the file `lock`. Rejects with `folderInUse` while a living process has it.
 *
 * Finding the lock of a dead process, removing it and writing another one takes several steps, so only one process at a time may do
 * that. Each creates a file with a name of its own, a claim, and then lists the folder: only who sees no claim of another living
 * process goes on. Of two processes the one that lists later sees the claim of the other, so both never go on. The names of
 * claims do not come again, so anybody may remove the claim of a dead process at any time. This needs no more of a file system than
 * that files are created and listed; it holds between the processes of one machine.
 */
export async function lockFolder(
  files: FileSystem,
  folder: string,
  process: LockingProcess,
): Promise<() => Promise<void>> {
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
        await files.createFile(path, `${self.join(' ')}\n`)
        isTaken = true
      }
      await removeFile(files, `${folder}/${claim}`)
    } catch (error) {
      // What stays keeps everybody out while this process lives.
      await removeFile(files, `${folder}/${claim}`).catch(() => undefined)
      if (isTaken) await removeFile(files, path).catch(() => undefined)
      throw error
    }
    if (isTaken) return () => removeFile(files, path)
    await process.pause()
  }
  throw inUse(other as Holder)
}

/** A living process that wants the folder too; null when there is none. Of several that meet, the first by name waits for the others to step back. */
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

/** True while the process lives. A number alone is not enough: after a restart, of a container too, another process may have it. */
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
